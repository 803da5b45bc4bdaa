import { describe, expect, test } from '@jest/globals';
import { ProxierError, SPLIT_SLICE } from '@kube-proxier/core';
import { objectsOfList } from '../objects/cluster-objects.js';
import { type ChangedObjects, changeObjects, deleteObjects } from './changed-objects.js';

const CLUSTER = objectsOfList([
  {
    kind: 'Service',
    metadata: { namespace: 'shop', name: 'checkout', creationTimestamp: '2026-01-02T03:04:05Z' },
    spec: {
      ...{ type: 'NodePort', clusterIP: '10.96.0.10', clusterIPs: ['10.96.0.10'], ipFamilies: ['IPv4'] },
      ports: [{ name: 'http', port: 80, nodePort: 30080 }],
    },
  } as never,
  { kind: 'EndpointSlice', metadata: { namespace: 'shop', name: 'checkout-1' }, addressType: 'IPv4' } as never,
  {
    kind: 'EndpointSlice',
    metadata: { namespace: 'shop', name: `checkout-1${SPLIT_SLICE}1` },
    addressType: 'IPv4',
  } as never,
]);

const change = (text: string, namespace = 'default') =>
  changeObjects(CLUSTER, [{ name: 'change.yaml', text }], namespace);
const serviceOf = ({ objects }: ChangedObjects, key: string) => objects.services.get(key);

function errorOf(text: string): ProxierError {
  try {
    change(text);
  } catch (error) {
    if (error instanceof ProxierError) {
      return error;
    }
    throw error;
  }
  throw new Error('it was accepted');
}

describe('objects of plan --delete', () => {
  const cluster = objectsOfList([
    { kind: 'Service', metadata: { namespace: 'shop', name: 'checkout' } } as never,
    ...['checkout', 'cart'].map((service) => ({
      kind: 'EndpointSlice',
      metadata: { namespace: 'shop', name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
    })),
  ] as never);
  const left = (name: string, namespace = 'default') => {
    const { services, endpointSlices } = deleteObjects(cluster, [name], namespace);
    return [...services.keys(), ...endpointSlices.keys()];
  };

  test('are removed, a Service with its slices', () => {
    expect(left('svc/shop/checkout')).toEqual(['shop/cart-1']);
    expect(left('service/checkout', 'shop')).toEqual(['shop/cart-1']);
    expect(left('endpointslice/shop/cart-1')).toEqual(['shop/checkout', 'shop/checkout-1']);
    expect([...deleteObjects(CLUSTER, ['endpointslice/shop/checkout-1'], '').endpointSlices.keys()]).toEqual([]);
    expect(cluster.services.size).toBe(1);
  });

  test.each([
    ['svc/checkout', /there is no Service default\/checkout; .*-n sets the namespace/],
    ['endpointslice/shop/x', /there is no EndpointSlice shop\/x/],
    ['checkout', /not svc\/\[<namespace>\/\]<name> or/],
    ['pod/checkout', /not svc/],
    ['svc/', /not svc/],
    ['svc/a/b/c', /not svc/],
  ])('%s is refused', (name, message) => {
    expect(() => left(name)).toThrow(message);
  });
});

describe('objects of plan -f', () => {
  test('keep what the API server has assigned, as kubectl apply does', () => {
    const changed = change(
      'kind: Service\nmetadata: {name: checkout}\nspec: {type: NodePort, ports: [{port: 80}, {port: 443}]}',
      'shop',
    );
    expect(serviceOf(changed, 'shop/checkout')).toMatchObject({
      metadata: { namespace: 'shop', creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: { clusterIP: '10.96.0.10', ports: [{ port: 80, nodePort: 30080 }, { port: 443 }] },
    });
    expect(changed.assigned).toEqual([
      { service: 'shop/checkout', field: 'spec.ports[1].nodePort', what: 'NodePort of shop/checkout port 443' },
    ]);
    expect(changed.withoutAddress).toEqual([]);
  });

  test('replace the fields that they set, and default to the namespace of -n', () => {
    const changed = change(
      'kind: Service\nmetadata: {name: checkout}\nspec: {clusterIP: 10.96.0.11, ports: [{port: 80}]}',
    );
    expect([...changed.objects.services.keys()]).toEqual(['shop/checkout', 'default/checkout']);
    expect(serviceOf(changed, 'default/checkout')?.spec?.clusterIP).toBe('10.96.0.11');
    const replaced = change(
      'kind: Service\nmetadata: {name: checkout, namespace: shop}\nspec: {clusterIP: 10.96.0.11, ports: [{port: 80}]}',
    );
    expect(serviceOf(replaced, 'shop/checkout')?.spec?.clusterIP).toBe('10.96.0.11');
  });

  test('replace all parts of a slice that lists several ports', () => {
    const text = 'kind: EndpointSlice\nmetadata: {name: checkout-1, namespace: shop}\naddressType: IPv4';
    expect([...change(text).objects.endpointSlices.keys()]).toEqual(['shop/checkout-1']);
  });

  test('may be a list, several documents, JSON, and objects that no proxy reads', () => {
    const item = { metadata: { name: 'cart' }, spec: { clusterIP: '10.96.0.30', ports: [{ port: 80 }] } };
    const list = JSON.stringify({ kind: 'ServiceList', items: [item] });
    const { notes, objects } = change(`${list}\n---\nkind: Deployment\n---\nkind: Secret\n---\nkind: Secret\n`);
    expect(objects.services.has('default/cart')).toBe(true);
    expect(notes).toEqual(['Ignored, as a service proxy does not read them: 1 Deployment, 2 Secret.']);
  });

  test('have no address before the API server assigns one', () => {
    const { withoutAddress, assigned } = change(
      'kind: Service\nmetadata: {name: new}\nspec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}]}\n' +
        '---\nkind: Service\nmetadata: {name: name}\nspec: {type: ExternalName, externalName: acme.test}\n' +
        '---\nkind: Service\nmetadata: {name: headless}\nspec: {clusterIP: None, ports: [{port: 80}]}\n',
    );
    expect(withoutAddress).toEqual(['default/new']);
    expect(assigned.map(({ field }) => field)).toEqual(['spec.ports[0].nodePort', 'spec.healthCheckNodePort']);
  });

  test.each([
    ['no YAML', 'a: [', / at line 1, column \d+; give Kubernetes objects/],
    ['no object', '- 1\n- 2\n', /not an object with a kind/],
    ['nothing', '# nothing\n', /it has no objects/],
    ['a Service without a name', 'kind: Service\nmetadata: {}\n', /a Service has no metadata.name/],
    ['metadata that is no object', 'kind: Service\nmetadata: 1\n', /metadata of a Service is not an object/],
    ['references that grow', bomb(), /alias/],
    ['bytes that control a terminal', 'kind: "\\e[2J\\u202e"\nmetadata: 1\n', /u\{1b\}\[2J/],
    [
      'a hostile namespace',
      'kind: Service\nmetadata: {name: web, namespace: "a\\e\\nNo differences."}',
      /metadata.namespace/,
    ],
    ['a name that is a number', 'kind: Service\nmetadata: {name: 7}', /Service default\/7: metadata\.name: /],
    ['no spec', 'kind: Service\nmetadata: {name: a}\nspec: null', /Service default\/a: spec: /],
    [
      'a command for an address',
      'kind: Service\nmetadata: {name: a}\nspec: {clusterIP: "10.96.0.9; flush ruleset"}',
      /clusterIP/,
    ],
    ['a wrong name of a slice', 'kind: EndpointSlice\nmetadata: {name: -a}\naddressType: IPv4', /metadata\.name: /],
  ])('with %s are refused in one line', (_what, text, message) => {
    const error = errorOf(text);
    expect(error.code).toBe('INVALID_CHANGE');
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^-f change\.yaml: [\x20-\x7e]+; give Kubernetes objects as YAML or JSON$/);
  });

  test('with odd values do not end the command', () => {
    const { objects, notes } = change(
      'kind: Service\nmetadata: {name: checkout, namespace: shop}\nspec: {type: NodePort, ports: [null, 3]}\n' +
        '---\nkind: ServiceCIDR\nmetadata: {name: a}\nspec: {cidrs: [10.9.0.0/16, nonsense]}\n',
    );
    expect(objects.serviceCIDRs).toEqual(['10.9.0.0/16']);
    expect(notes).toEqual([expect.stringMatching(/^ServiceCIDR a: spec\.cidrs\[1\]: "nonsense" .*\.$/)]);
  });
});

/** A document of a few hundred bytes that has a billion values. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 10; level++) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  return `kind: Service\n${lines.join('\n')}\n`;
}
