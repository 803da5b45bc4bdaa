import { describe, expect, test } from '@jest/globals';
import type { Proxier } from '../contract/proxier.js';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { Random } from '../testing/random.js';
import { RandomCluster } from '../testing/random-cluster.js';
import { firstServicePorts, viewServicePorts } from './service-view.js';

const ignoring = new Proxy({}, { get: () => () => {} }) as Proxier;

describe('viewServicePorts', () => {
  test.each(['IPv4', 'IPv6'] as const)(
    'an endpoint is used exactly when an address of the Service forwards to it: random clusters, %s',
    (family) => {
      let used = 0;
      let unused = 0;
      for (let seed = 1; seed <= 40; seed++) {
        const cluster = new RandomCluster(new Random(seed));
        for (let step = 0; step < 60; step++) {
          cluster.step(ignoring);
        }
        const state = resolveObjects(cluster.objects, { family });
        for (const view of viewServicePorts(state)) {
          const resolved = [...state.servicePorts.values()].find(
            ({ name }) =>
              name.namespace === view.namespace &&
              name.name === view.name &&
              name.portName === view.portName &&
              name.protocol === view.protocol,
          );
          const forwarded = (resolved?.frontends ?? []).flatMap(({ routes }) =>
            routes.flatMap((route) =>
              route.action === 'forward' ? (resolved?.[route.endpoints] ?? []).map(({ key }) => key) : [],
            ),
          );
          const viewed = view.endpoints.filter((endpoint) => endpoint.used).map((endpoint) => keyOf(endpoint));
          expect(new Set(viewed)).toEqual(new Set(forwarded));
          used += viewed.length;
          unused += view.endpoints.length - viewed.length;
        }
      }
      // Both kinds occurred.
      expect(Math.min(used, unused)).toBeGreaterThan(25);
    },
  );

  test('only the selected Services', () => {
    const services = [makeService('web'), makeService('kube-system/dns', { clusterIP: '10.96.0.53' })];
    const state = resolveObjects({ services, slices: [makeSlice('web', ['10.244.0.1'])] });
    const names = (selection?: object) => viewServicePorts(state, selection).map(({ name }) => name);
    expect(names()).toEqual(['web', 'dns']);
    expect(names({ namespace: 'kube-system' })).toEqual(['dns']);
    expect(names({ name: 'web' })).toEqual(['web']);
    expect(names({ namespace: 'kube-system', name: 'web' })).toEqual([]);
  });

  test('a Service without endpoints on this node: the external policy says why none is used', () => {
    const service = makeService('web', {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      internalTrafficPolicy: 'Local',
    });
    const state = resolveObjects({
      services: [service],
      slices: [makeSlice('web', [{ address: '10.244.7.1', node: 'node2' }])],
    });
    expect(viewServicePorts(state)[0]?.endpoints).toEqual([
      expect.objectContaining({ used: false, reason: 'on node node2, and only endpoints on this node are used' }),
    ]);
  });
});

describe('firstServicePorts', () => {
  const names = ['b/web', 'a/web', 'c/dns', 'a/api'];
  const state = resolveObjects({
    services: names.map((name, index) => makeService(name, { clusterIP: `10.96.0.${index + 1}` })),
    slices: [],
  });
  const first = (selection: object, limit: number) => {
    const { total, servicePorts } = firstServicePorts([state], selection, limit);
    return { total, names: servicePorts.map(({ namespace, name }) => `${namespace}/${name}`) };
  };

  test('the first by namespace and name, and the total number', () => {
    expect(first({}, 2)).toEqual({ total: 4, names: ['a/api', 'a/web'] });
    expect(first({}, 9)).toEqual({ total: 4, names: ['a/api', 'a/web', 'b/web', 'c/dns'] });
  });

  test('a search matches parts of namespace/name', () => {
    expect(first({ search: '/web' }, 9)).toEqual({ total: 2, names: ['a/web', 'b/web'] });
    expect(first({ search: 'a/w' }, 9)).toEqual({ total: 1, names: ['a/web'] });
    expect(first({ search: 'A/W' }, 9)).toEqual({ total: 0, names: [] });
  });

  test('all families', () => {
    const other = resolveObjects(
      { services: [makeService('a/six', { clusterIP: 'fd00::1' })], slices: [] },
      { family: 'IPv6' },
    );
    const { total, servicePorts } = firstServicePorts([state, other], { namespace: 'a' }, 9);
    expect([total, ...servicePorts.map(({ name, family }) => `${name} ${family}`)]).toEqual([
      3,
      'api IPv4',
      'six IPv6',
      'web IPv4',
    ]);
  });
});

function keyOf({ address, port }: { readonly address: string; readonly port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
