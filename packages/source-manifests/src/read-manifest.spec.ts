import { describe, expect, test } from '@jest/globals';
import { formatManifestProblem } from './manifest-problem.js';
import { readManifest } from './read-manifest.js';

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: work }
spec:
  clusterIP: 10.96.0.10
  ports:
    - port: 80
      nodePort: 31269
`;

function problemsOf(text: string, file = 'm/web.yaml'): readonly string[] {
  return readManifest(file, text).problems.map(formatManifestProblem);
}

function keysOf(text: string, file = 'm/web.yaml'): readonly string[] {
  const { objects, problems } = readManifest(file, text);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return objects.map(({ key }) => key);
}

const SLICE = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: work, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 8080 }]
`;

describe('readManifest', () => {
  test.each([
    ['no', false],
    ['Off', false],
    ['n', false],
    ['false', false],
    ['yes', true],
    ['ON', true],
  ])('an endpoint with the condition ready: %s is read as by kubectl, in both styles of YAML', (text, ready) => {
    const flow = `${SLICE}endpoints: [{ addresses: [10.244.0.5], conditions: { ready: ${text} } }]\n`;
    const block = `${SLICE.replace(/metadata: .*/, 'metadata:\n  name: web-1\n  namespace: work')}endpoints:\n  - addresses:\n      - 10.244.0.5\n    conditions:\n      ready: ${text}\n`;
    for (const manifest of [flow, block]) {
      const { objects } = readManifest('m/web.yaml', manifest);
      expect(objects[0]?.value).toMatchObject({ endpoints: [{ conditions: { ready } }] });
    }
  });

  test('a condition that is neither true nor false is a problem with its position', () => {
    const text = `${SLICE}endpoints: [{ addresses: [10.244.0.5], conditions: { ready: maybe } }]\n`;
    expect(problemsOf(text)).toEqual([
      expect.stringMatching(/^m\/web\.yaml:6:\d+: .*endpoints\[0\]\.conditions\.ready.*"maybe" is not true or false/),
    ]);
  });

  test('reads documents, lists and typed lists, and sets the namespace', () => {
    const text = `${SERVICE}---
# nothing here
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Service
    metadata: { name: other }
    spec: { clusterIP: 10.96.0.11, ports: [{ port: 1 }] }
  - { apiVersion: apps/v1, kind: Deployment, metadata: { name: d } }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSliceList
items:
  - metadata: { name: web-1, namespace: work, labels: { kubernetes.io/service-name: web } }
    addressType: IPv4
    ports: [{ port: 80 }]
    endpoints: [{ addresses: [10.0.0.1] }]
---
{ apiVersion: v1, kind: Node, metadata: { name: n1, namespace: ignored } }
---
{ apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: { name: kubernetes }, spec: { cidrs: [10.96.0.0/16] } }
`;
    expect(keysOf(text)).toEqual([
      'Service work/web',
      'Service default/other',
      'EndpointSlice work/web-1',
      'Node n1',
      'ServiceCIDR kubernetes',
    ]);
    expect(readManifest('m/web.yaml', text).ignored).toEqual(['Deployment d: objects of kind Deployment are not used']);
  });

  test.each([
    ['v1', 'Servce', 'Service'],
    ['v1', 'service', 'Service'],
    ['v1', 'Endpoint', 'Endpoints'],
    ['discovery.k8s.io/v1', 'EndpointSilce', 'EndpointSlice'],
  ])('a misspelt kind is reported: %s %s', (apiVersion, kind, meant) => {
    const { problems } = readManifest('m/a.yaml', `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a }\n`);
    expect(problems.map(formatManifestProblem)).toEqual([
      `m/a.yaml:2:7: ${kind} a: kind: objects of kind ${kind} are not used; is ${meant} meant?`,
    ]);
    expect(problems[0]?.severity).toBe('warning');
  });

  test('a kind without its group is reported', () => {
    const { problems } = readManifest('m/a.yaml', 'apiVersion: v1\nkind: EndpointSlice\nmetadata: { name: a }\n');
    expect(problems.map(formatManifestProblem)).toEqual([
      'm/a.yaml:1:13: EndpointSlice a: apiVersion: v1 is not a version of EndpointSlice that is read; write discovery.k8s.io/v1',
    ]);
  });

  test('reads JSON, and merge keys and anchors as kubectl does', () => {
    const json = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'web',
        managedFields: [{}],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x' },
      },
      spec: { clusterIP: '10.96.0.10', ports: [{ port: 80 }] },
    });
    const [object] = readManifest('m/web.json', json).objects;
    expect(object?.value.metadata).toEqual({ name: 'web', namespace: 'default', annotations: {} });
    expect(
      keysOf(`apiVersion: v1
kind: List
items:
  - &base { apiVersion: v1, kind: Service, metadata: { name: a }, spec: { clusterIP: 10.96.0.1, ports: [{ port: 1 }] } }
  - { <<: *base, metadata: { name: b } }
`),
    ).toEqual(['Service default/a', 'Service default/b']);
  });

  test.each([
    [
      'a bad value',
      SERVICE.replace('31269', '70000'),
      'm/web.yaml:8:17: Service work/web: spec.ports[0].nodePort: 70000 is not',
    ],
    [
      'a missing value',
      SERVICE.replace('port: 80\n      ', ''),
      'm/web.yaml:7:7: Service work/web: spec.ports[0].port: is missing',
    ],
    [
      'a bad cluster IP',
      SERVICE.replace('10.96.0.10', 'ten'),
      'm/web.yaml:5:14: Service work/web: spec.clusterIP: "ten" is not an IP address',
    ],
    [
      'in a list',
      `apiVersion: v1\nkind: List\nitems:\n- ${SERVICE.replace('31269', '0x').replaceAll('\n', '\n  ')}`,
      'm/web.yaml:11:19: Service work/web: spec.ports[0].nodePort: "0x" is not',
    ],
    [
      'in the second document',
      `${SERVICE}---\n${SERVICE.replace('31269', '-1')}`,
      'm/web.yaml:17:17: Service work/web: spec.ports[0].nodePort: -1 is not',
    ],
    ['an unclosed bracket', `${SERVICE}  x: [1, 2\n`, 'm/web.yaml:10:1: Flow sequence'],
    ['a tab', 'kind: Service\n\tapiVersion: v1\n', 'm/web.yaml:2:1: '],
    [
      'a key that comes twice',
      'apiVersion: v1\nkind: Service\nkind: Service\n',
      'm/web.yaml:3:1: Map keys must be unique',
    ],
    ['text only', 'hello\n', 'm/web.yaml:1:1: is not a Kubernetes object'],
    ['no kind', 'apiVersion: v1\nmetadata: {}\n', 'm/web.yaml:1:1: kind: is missing'],
    ['no name', 'apiVersion: v1\nkind: Service\nmetadata: {}\nspec: {}\n', 'm/web.yaml:3:11: Service default/'],
    ['items that are no list', 'apiVersion: v1\nkind: List\nitems: 5\n', 'm/web.yaml:3:8: List: items: is not a list'],
    [
      'an old version',
      'apiVersion: discovery.k8s.io/v1beta1\nkind: EndpointSlice\nmetadata: {name: a}\n',
      'm/web.yaml:1:13: EndpointSlice a: apiVersion: discovery.k8s.io/v1beta1 is not a version of EndpointSlice that is read; write discovery.k8s.io/v1',
    ],
  ])('names the place of %s', (_name, text, expected) => {
    expect(problemsOf(text).find((line) => line.startsWith(expected)) ?? problemsOf(text)).toContain(expected);
  });

  test('reports the position in JSON', () => {
    const json =
      '{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},\n"spec":{"clusterIP":"10.96.0.1","ports":[{"port":"x"}]}}';
    expect(problemsOf(json, 'm/web.json')).toEqual([
      'm/web.json:2:50: Service default/web: spec.ports[0].port: "x" is not a port (1 to 65535)',
    ]);
    expect(problemsOf('{"kind": "Service",\n "apiVersion": }', 'm/web.json')[0]).toMatch(/^m\/web\.json:\d+:\d+: /);
  });

  test('ignores a kind of the same name in another group', () => {
    expect(keysOf('apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\n')).toEqual([]);
  });

  test('accepts files without objects', () => {
    for (const text of ['', '\n', '---\n', '# nothing\n---\n---\n', '\ufeff']) {
      expect(keysOf(text)).toEqual([]);
    }
  });

  test('warns of a Service without a cluster IP, and uses the rest of the file', () => {
    const { objects, problems } = readManifest('m/web.yaml', SERVICE.replace('  clusterIP: 10.96.0.10\n', ''));
    expect(objects).toHaveLength(1);
    expect(problems.map(formatManifestProblem)).toEqual([
      expect.stringMatching(
        /^m\/web\.yaml:5:3: Service work\/web: spec\.clusterIP: it has no cluster IP, so nothing can reach it/,
      ),
    ]);
    expect(problems[0]?.severity).toBe('warning');
  });

  test('warns of valid objects that a proxy cannot use', () => {
    const loadBalancer = SERVICE.replace('spec:', 'spec:\n  type: LoadBalancer\n  externalTrafficPolicy: Local');
    const slices = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: a, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: all }]
---
{ apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: { name: b }, addressType: IPv4 }
`;
    for (const [text, count] of [
      [loadBalancer, 1],
      [slices, 2],
    ] as const) {
      const { problems, objects } = readManifest('m/web.yaml', text);
      expect(problems.map(({ severity }) => severity)).toEqual(Array(count).fill('warning'));
      expect(objects).toHaveLength(count);
    }
  });

  test('converts Endpoints, and reports their problems with the original field paths', () => {
    const text = `apiVersion: v1
kind: Endpoints
metadata: { name: web, namespace: work }
subsets:
  - addresses: [{ ip: 10.0.0.1 }, { ip: "fd00::1" }]
    ports: [{ name: http, port: 80 }]
`;
    expect(keysOf(text)).toEqual(['EndpointSlice work/web.endpoints-ipv4', 'EndpointSlice work/web.endpoints-ipv6']);
    expect(problemsOf(text.replace('10.0.0.1', 'x'))[0]).toBe(
      'm/web.yaml:5:23: Endpoints work/web: subsets[0].addresses[0].ip: "x" is not an IP address',
    );
    expect(problemsOf(text.replace('10.0.0.1', '127.0.0.1'))[0]).toMatch(
      /^m\/web\.yaml:5:23: Endpoints work\/web: subsets\[0\]\.addresses\[0\]\.ip: 127\.0\.0\.1 is a loopback/,
    );
    expect(problemsOf(text.replace('80', '0.5'))[0]).toMatch(
      /^m\/web\.yaml:6:33: Endpoints work\/web: subsets\[0\]\.ports\[0\]\.port: 0\.5 is not a port/,
    );
  });

  test('withstands alias bombs, deep nesting and cycles', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'].map((pair) => pair.split(''))) {
      bomb.push(`${to}: &${to} [${`*${from},`.repeat(9)}]`);
    }
    expect(problemsOf(bomb.join('\n'))[0]).toMatch(/alias/i);
    expect(problemsOf(`a: ${'['.repeat(100_000)}`)[0]).toMatch(/web\.yaml/);
    expect(problemsOf(`apiVersion: v1\nkind: List\nitems: &i [{apiVersion: v1, kind: List, items: *i}]`)[0]).toMatch(
      /web\.yaml/,
    );
  });

  test('prints only printable characters', () => {
    const hostile =
      'kind: "Service"\napiVersion: v1\nmetadata: {name: "a\\n2026 ERROR \\u001b[31m\\u202e", namespace: "x\\r"}\n';
    const evilKind = 'kind: "Se\\nrvice\\u2028"\napiVersion: "v1\\n"\n';
    for (const text of [
      hostile,
      evilKind,
      `${hostile}x: [`,
      '"a\u001b[31m": "\u202e',
      'kind: EndpointSlice\napiVersion: discovery.k8s.io/v\u0007\n',
    ]) {
      const manifest = readManifest('m/a\nb.yaml', text);
      for (const line of [...manifest.problems.map(formatManifestProblem), ...manifest.ignored]) {
        expect(line).toMatch(/^[\x20-\x7e]+$/);
      }
      expect(manifest.problems.length + manifest.ignored.length).toBeGreaterThan(0);
    }
  });

  test('reports at most 20 problems individually', () => {
    const ports = Array.from({ length: 50 }, (_, index) => `{name: p${index}, port: 0}`).join(',');
    const services = Array.from(
      { length: 3 },
      (_, index) =>
        `{apiVersion: v1, kind: Service, metadata: {name: s${index}}, spec: {clusterIP: 10.0.0.1, ports: [${ports}]}}`,
    );
    const problems = problemsOf(services.join('\n---\n'));
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toMatch(/and \d+ more problems in this file/);
  });
});
