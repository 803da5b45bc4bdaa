import { describe, expect, test } from '@jest/globals';
import type { ProxyState } from '../model/proxy-state.js';
import {
  endpointsOf,
  feedResolver,
  makeResolver,
  makeService,
  makeSlice,
  Random,
  RandomCluster,
  renderServicePort,
  resolveObjects,
  stateContents,
} from '../testing/index.js';
import { frontendKeyFrom, serviceKeyFrom, servicePortKeyFrom } from '../testing/keys.js';
import { diffStates } from './diff-states.js';

describe('random sequences of changes', () => {
  test.each(Array.from({ length: 40 }, (_, index) => index + 1))(
    'seed %i: every state equals that of a fresh start, changes are exact, and the rest is shared',
    (seed) => {
      const random = new Random(seed);
      const cluster = new RandomCluster(random);
      const family = seed % 2 ? 'IPv4' : 'IPv6';
      const resolver = makeResolver({ family });
      let previous = resolver.latest;
      for (let step = 0; step < 60; step += 1) {
        for (let events = random.below(4); events >= 0; events -= 1) {
          cluster.step(feedResolver(resolver));
        }
        const { state, changes } = resolver.applyPending();
        expect(stateContents(state)).toEqual(stateContents(resolveObjects(cluster.objects, { family })));
        const keys = new Set([...previous.servicePorts.keys(), ...state.servicePorts.keys()]);
        for (const key of keys) {
          const before = previous.servicePorts.get(key);
          const after = state.servicePorts.get(key);
          const differs = (before && renderServicePort(before)) !== (after && renderServicePort(after));
          expect([key, changes.servicePorts.has(key)]).toEqual([key, differs]);
          if (differs) {
            expect(changes.servicePorts.get(key)).toEqual({ previous: before, current: after });
          }
        }
        const health = new Set([...diffStates(previous, state).healthCheckNodePorts]);
        expect(changes.healthCheckNodePorts).toEqual(health);
        expect(new Set(changes.clusterIPs)).toEqual(new Set(diffStates(previous, state).clusterIPs));
        previous = state;
      }
      expect(endpointsOf(cluster.slices.values(), family).size).toBeGreaterThan(0);
    },
  );
});

describe('structural sharing', () => {
  test('an untouched Service is the same object, and so are all parts of a Service whose event changes nothing', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    resolver.updateService(undefined, makeService('b', { clusterIP: '10.96.0.2' }));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1']));
    resolver.updateEndpointSlice(undefined, makeSlice('b', ['10.0.0.2', '10.0.0.3']));
    const first = resolver.applyPending().state;
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1', '10.0.0.4']));
    expect(resolver.updateEndpointSlice(undefined, makeSlice('b', ['10.0.0.2', '10.0.0.3']))).toBe(false);
    const { state, changes } = resolver.applyPending();
    expect([...changes.servicePorts.keys()]).toEqual(['default/a:/TCP']);
    expect(state.servicePorts.get(servicePortKeyFrom('default/b:/TCP'))).toBe(
      first.servicePorts.get(servicePortKeyFrom('default/b:/TCP')),
    );
    const [before, after] = [first, state].map((one) => one.servicePorts.get(servicePortKeyFrom('default/a:/TCP')));
    expect(after?.cluster[0]).toBe(before?.cluster[0]);
    expect(after?.frontends).toBe(before?.frontends);
  });

  test('an endpoint that is not ready changes the explanation, not the rendering', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('a'));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1']));
    resolver.applyPending();
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1', { address: '10.0.0.2', ready: false }]));
    const { state, changes } = resolver.applyPending();
    expect(changes.servicePorts.size).toBe(0);
    expect(state.servicePorts.get(servicePortKeyFrom('default/a:/TCP'))?.candidates).toHaveLength(2);
  });
});

describe('slices', () => {
  const addresses = (state: ProxyState) =>
    state.servicePorts.get(servicePortKeyFrom('default/a:/TCP'))?.cluster.map(({ key }) => key);

  test('an endpoint that moves from one slice to another is never removed', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('a'));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1', '10.0.0.2'], { name: 'one' }));
    expect(addresses(resolver.applyPending().state)).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.2'], { name: 'two' }));
    expect(addresses(resolver.applyPending().state)).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1'], { name: 'one' }));
    expect(addresses(resolver.applyPending().state)).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
    resolver.updateEndpointSlice(makeSlice('a', [], { name: 'two' }), undefined);
    expect(addresses(resolver.applyPending().state)).toEqual(['10.0.0.1:80']);
  });

  test('a running pod has precedence over a terminating one with its address (spec K-36), in any order of events', () => {
    const running = makeSlice('a', [{ address: '10.0.0.1', node: 'node1' }], { name: 'new' });
    const going = makeSlice('a', [{ address: '10.0.0.1', node: 'node2', ready: false, terminating: true }], {
      name: 'old',
    });
    for (const slices of [
      [running, going],
      [going, running],
    ]) {
      const state = resolveObjects({ services: [makeService('a')], slices });
      expect(state.servicePorts.get(servicePortKeyFrom('default/a:/TCP'))?.candidates).toMatchObject([
        { nodeName: 'node1', terminating: false },
      ]);
    }
  });

  describe('an endpoint in two slices (spec B-2)', () => {
    const entry = (name: string, node?: string) =>
      makeSlice('a', [node === undefined ? '10.0.0.1' : { address: '10.0.0.1', node }], { name });
    const key = servicePortKeyFrom('default/a:/TCP');

    test.each([
      ['a', 'b'],
      ['b', 'a'],
    ])('is on the node that one of them names, when that one is %s, in any order of events', (named, unnamed) => {
      const known = entry(named, 'node1');
      const unknown = entry(unnamed);
      const local = [{ isLocal: true, nodeName: 'node1' }];
      for (const slices of [
        [known, unknown],
        [unknown, known],
      ]) {
        const atOnce = resolveObjects({ services: [makeService('a')], slices });
        expect(atOnce.servicePorts.get(key)?.candidates).toMatchObject(local);
        const resolver = makeResolver();
        resolver.updateService(undefined, makeService('a'));
        for (const slice of slices) {
          resolver.updateEndpointSlice(undefined, slice);
          resolver.applyPending();
        }
        expect(resolver.latest?.servicePorts.get(key)?.candidates).toMatchObject(local);
        resolver.updateEndpointSlice(known, undefined);
        expect(resolver.applyPending().state.servicePorts.get(key)?.candidates).toMatchObject([{ isLocal: false }]);
        resolver.updateEndpointSlice(undefined, known);
        expect(resolver.applyPending().state.servicePorts.get(key)?.candidates).toMatchObject(local);
      }
    });

    test('that name two nodes is on the same node for both of them', () => {
      const slices = [entry('a', 'node2'), entry('b', 'node1')];
      const nodes = ['node1', 'node2'].map((nodeName) => {
        const state = resolveObjects({ services: [makeService('a')], slices }, { nodeName });
        return state.servicePorts.get(key)?.candidates.map(({ isLocal }) => isLocal);
      });
      expect(nodes).toEqual([[true], [false]]);
    });
  });

  test('a slice whose label changes to another Service belongs to that Service', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('a'));
    resolver.updateService(undefined, makeService('b', { clusterIP: '10.96.0.11' }));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1'], { name: 's' }));
    resolver.applyPending();
    resolver.updateEndpointSlice(
      makeSlice('a', ['10.0.0.1'], { name: 's' }),
      makeSlice('b', ['10.0.0.1'], { name: 's' }),
    );
    const { state } = resolver.applyPending();
    expect(addresses(state)).toEqual([]);
    expect(state.servicePorts.get(servicePortKeyFrom('default/b:/TCP'))?.cluster).toHaveLength(1);
  });

  test('a named port can have a different number in each pod', () => {
    const ports = (port: number) => [{ name: 'http', protocol: 'TCP', port }];
    const state = resolveObjects({
      services: [makeService('a', { ports: [{ name: 'http', port: 80 }] })],
      slices: [
        makeSlice('a', ['10.0.0.1'], { name: 'x', ports: ports(8080) }),
        makeSlice('a', ['10.0.0.1', '10.0.0.2'], { name: 'y', ports: ports(9090) }),
      ],
    });
    expect(state.servicePorts.get(servicePortKeyFrom('default/a:http/TCP'))?.cluster.map(({ key }) => key)).toEqual([
      '10.0.0.1:8080',
      '10.0.0.1:9090',
      '10.0.0.2:9090',
    ]);
  });

  test('endpoints are sorted in byte order (spec K-37)', () => {
    const state = resolveObjects({
      services: [makeService('a')],
      slices: [makeSlice('a', ['10.0.1.2', '10.0.1.1', '10.0.1.10'])],
    });
    expect(addresses(state)).toEqual(['10.0.1.10:80', '10.0.1.1:80', '10.0.1.2:80']);
  });
});

describe('health check node ports', () => {
  test('count distinct local, ready addresses over all ports; terminating ones make it 0 (spec K-41, F-T-10)', () => {
    const resolver = makeResolver();
    resolver.updateService(
      undefined,
      makeService('a', {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 32000,
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
        ],
      }),
    );
    const ports = [
      { name: 'a', protocol: 'TCP', port: 1 },
      { name: 'b', protocol: 'TCP', port: 2 },
    ];
    const local = (ready: boolean) => [
      { address: '10.0.0.1', node: 'node1', ready, serving: true, terminating: !ready },
      { address: '10.0.0.2', node: 'node2' },
    ];
    resolver.updateEndpointSlice(undefined, makeSlice('a', local(true), { ports }));
    expect(resolver.applyPending().state.healthCheckNodePorts.get(serviceKeyFrom('default/a'))).toMatchObject({
      port: 32000,
      localEndpoints: 1,
    });
    resolver.updateEndpointSlice(undefined, makeSlice('a', local(false), { ports }));
    const { state, changes } = resolver.applyPending();
    expect(state.healthCheckNodePorts.get(serviceKeyFrom('default/a'))).toMatchObject({ localEndpoints: 0 });
    expect(changes.healthCheckNodePorts).toEqual(new Set(['default/a']));
  });
});

describe('an address that two Services claim', () => {
  const service = (name: string, created: number, externalIPs: string[]) =>
    makeService(
      name,
      { clusterIP: `10.96.0.${name.charCodeAt(0)}`, externalIPs },
      { metadata: { name, namespace: 'default', creationTimestamp: new Date(created) } },
    );

  test('belongs to the older Service, is reported once, and moves to the other when the older releases it', () => {
    const reported: string[] = [];
    const resolver = makeResolver({ onProblem: ({ name, message }) => reported.push(`${name}: ${message}`) });
    const holder = (state: ProxyState) => state.frontends.get(frontendKeyFrom('TCP/198.51.100.1:80'));
    resolver.updateService(undefined, service('b', 1000, ['198.51.100.1']));
    expect(holder(resolver.applyPending().state)).toBe('default/b:/TCP');
    resolver.updateService(undefined, service('a', 2000, ['198.51.100.1']));
    const second = resolver.applyPending();
    expect(holder(second.state)).toBe('default/b:/TCP');
    expect(
      second.state.servicePorts.get(servicePortKeyFrom('default/a:/TCP'))?.frontends.map(({ kind }) => kind),
    ).toEqual(['ClusterIP']);
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1']));
    resolver.applyPending();
    expect(reported).toEqual([
      expect.stringMatching(/^a: ExternalIP TCP\/198\.51\.100\.1:80 belongs to Service default\/b/),
    ]);
    resolver.updateService(service('b', 1000, ['198.51.100.1']), service('b', 1000, []));
    const last = resolver.applyPending();
    expect(holder(last.state)).toBe('default/a:/TCP');
    expect(new Set(last.changes.servicePorts.keys())).toEqual(new Set(['default/a:/TCP', 'default/b:/TCP']));
  });
});

describe('an external IP that is an address of this node', () => {
  const node = {
    metadata: { name: 'node1' },
    spec: { podCIDRs: ['10.244.1.0/24'] },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.10' }] },
  };
  const at = (name: string, created: number, spec: object) =>
    makeService(
      name,
      { clusterIP: `10.96.0.${name.charCodeAt(0)}`, ...spec },
      {
        metadata: { name, namespace: 'default', creationTimestamp: new Date(created) },
      },
    );
  const nodePort = (created: number) =>
    at('good', created, { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] });
  const external = (created: number, address = '192.0.2.10', port = 30080) =>
    at('thief', created, { externalIPs: [address], ports: [{ port }] });
  const start = (options: Parameters<typeof makeResolver>[0] = {}) => {
    const problems: string[] = [];
    const resolver = makeResolver({
      ...options,
      onProblem: ({ name, message }) => problems.push(`${name}: ${message}`),
    });
    resolver.updateNode(node);
    resolver.updateServiceCIDRs(['10.96.0.0/16']);
    return { resolver, problems, holder: (key: string) => resolver.latest.frontends.get(frontendKeyFrom(key)) };
  };

  test('does not take the NodePort of an older Service, in any order of events', () => {
    for (const order of [
      [nodePort(1000), external(2000)],
      [external(2000), nodePort(1000)],
    ]) {
      const { resolver, problems, holder } = start();
      for (const service of order) {
        resolver.updateService(undefined, service);
        resolver.applyPending();
      }
      expect(holder('TCP/192.0.2.10:30080')).toBeUndefined();
      expect(holder('TCP/node:30080')).toBe('default/good:/TCP');
      expect(problems).toContainEqual(
        expect.stringMatching(
          /^thief: ExternalIP TCP\/192\.0\.2\.10:30080 belongs to Service default\/good, which is older/,
        ),
      );
    }
  });

  test('gets it when the older Service is deleted, and returns it when that Service is recreated with its age', () => {
    const { resolver, holder } = start();
    resolver.updateService(undefined, nodePort(1000));
    resolver.updateService(undefined, external(2000));
    resolver.applyPending();
    resolver.updateService(nodePort(1000), undefined);
    expect([...resolver.applyPending().changes.servicePorts.keys()].sort()).toEqual([
      'default/good:/TCP',
      'default/thief:/TCP',
    ]);
    expect(holder('TCP/192.0.2.10:30080')).toBe('default/thief:/TCP');
    resolver.updateService(undefined, nodePort(1000));
    resolver.applyPending();
    expect(holder('TCP/192.0.2.10:30080')).toBeUndefined();
  });

  test('keeps its port when it is older, and the NodePort is served on the other addresses', () => {
    const { resolver, holder } = start();
    resolver.updateService(undefined, external(1000));
    resolver.updateService(undefined, nodePort(2000));
    resolver.applyPending();
    expect(holder('TCP/192.0.2.10:30080')).toBe('default/thief:/TCP');
    expect(holder('TCP/node:30080')).toBe('default/good:/TCP');
    const exceptions = () =>
      resolver.latest.servicePorts
        .get(servicePortKeyFrom('default/good:/TCP'))
        ?.frontends.find(({ kind }) => kind === 'NodePort')?.exceptAddresses;
    expect(exceptions()).toEqual(['192.0.2.10']);
    resolver.updateService(external(1000), undefined);
    resolver.applyPending();
    expect(exceptions()).toBeUndefined();
    resolver.updateService(undefined, external(1000));
    expect([...resolver.applyPending().changes.servicePorts.keys()].sort()).toEqual([
      'default/good:/TCP',
      'default/thief:/TCP',
    ]);
    expect(exceptions()).toEqual(['192.0.2.10']);
  });

  test('does not get it on an address that is added to the node later', () => {
    const { resolver, holder } = start();
    resolver.updateService(undefined, nodePort(1000));
    resolver.updateService(undefined, external(2000, '192.0.2.99'));
    resolver.applyPending();
    expect(holder('TCP/192.0.2.99:30080')).toBe('default/thief:/TCP');
    expect(resolver.updateLocalAddresses(['127.0.0.1', '192.0.2.10', '192.0.2.99'])).toBe(true);
    resolver.applyPending();
    expect(holder('TCP/192.0.2.99:30080')).toBeUndefined();
  });

  test.each([
    ['192.0.2.10', 'is an address of this node'],
    ['10.244.1.7', 'is in the pod network'],
    ['10.96.5.5', 'is in the Service network'],
  ])('%s is served with one warning that names the overlap', (address, words) => {
    const { resolver, problems, holder } = start();
    resolver.updateService(undefined, external(1000, address, 22));
    resolver.applyPending();
    resolver.updateEndpointSlice(undefined, makeSlice('thief', ['10.0.0.1']));
    resolver.applyPending();
    expect(holder(`TCP/${address}:22`)).toBe('default/thief:/TCP');
    expect(problems).toEqual([
      expect.stringContaining(`thief: external IP ${address} ${words}: packets to port 22 of it`),
    ]);
  });

  test('is not programmed when the options exclude such addresses', () => {
    const { resolver, problems, holder } = start({ overlappingExternalAddresses: 'refuse' });
    resolver.updateService(undefined, external(1000, '192.0.2.10', 22));
    const { state } = resolver.applyPending();
    expect(holder('TCP/192.0.2.10:22')).toBeUndefined();
    expect(state.servicePorts.get(servicePortKeyFrom('default/thief:/TCP'))?.frontends.map(({ kind }) => kind)).toEqual(
      ['ClusterIP'],
    );
    expect(problems).toEqual([
      'thief: external IP 192.0.2.10 is an address of this node; port 22 of it is not served, as such addresses are refused here',
    ]);
  });
});

describe('a malformed update', () => {
  test('leaves the last good object in force', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, makeService('a', { clusterIP: '10.96.0.1' }));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.0.0.1']));
    const before = resolver.applyPending().state;
    resolver.updateService(makeService('a'), makeService('a', { clusterIP: 'nonsense' }));
    resolver.updateEndpointSlice(undefined, { ...makeSlice('a', []), addressType: 'nonsense' });
    const { state, changes } = resolver.applyPending();
    expect(state.servicePorts).toBe(before.servicePorts);
    expect(changes.servicePorts.size).toBe(0);
  });
});

describe('which packets come from pods', () => {
  test.each([
    ['cluster networks', { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] }, 'fd00:244::/64'],
    [
      'the first of several cluster networks',
      { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', '10.245.0.0/16', 'fd00:244::/64', 'fd00:245::/64'] },
      'fd00:244::/64',
    ],
    ['networks of the node', { kind: 'node-cidr' }, 'fd00:244:0:7::/80'],
    ['one network', { kind: 'source-cidr', cidr: '10.244.0.0/16' }, undefined],
  ] as const)('%s count for their own family only (spec K-60, K-62)', (_what, localTrafficDetection, six) => {
    const detectors = (['IPv4', 'IPv6'] as const).map((family) => {
      const resolver = makeResolver({ family, localTrafficDetection });
      const podCIDRs = ['10.244.0.0/16', 'fd00:244:0:7::/80'];
      resolver.updateNode({ metadata: { name: 'node1' }, spec: { podCIDRs } });
      return resolver.applyPending().state.node.detector;
    });
    expect(detectors).toEqual([
      { kind: 'source-cidr', cidr: '10.244.0.0/16' },
      six === undefined ? { kind: 'none' } : { kind: 'source-cidr', cidr: six },
    ]);
  });
});
