import { describe, expect, test } from '@jest/globals';
import { PORT_RANGE_ANNOTATION, type PortRangeSupport } from '../model/port-range.js';
import type { ProxyState } from '../model/proxy-state.js';
import { formatObjectProblem } from '../objects/object-problem.js';
import type { Service } from '../objects/objects.js';
import { answerPacketQuestion } from '../questions/answer-question.js';
import { explainSimulation } from '../simulator/format-simulation.js';
import { decidePacket, type Packet, simulatePacket } from '../simulator/simulate-packet.js';
import { makeResolver, makeService, makeSlice, Random } from '../testing/index.js';

const NODE = '192.0.2.10';

/** A Service with ports of the same protocol, and a range. Older ones have smaller `created`. */
function service(
  name: string,
  range: string | undefined,
  spec: Parameters<typeof makeService>[1] = {},
  created = name.charCodeAt(0),
): Service {
  return makeService(
    name,
    { clusterIP: `10.96.0.${name.charCodeAt(0)}`, ports: [{ port: 10_000, protocol: 'UDP' }], ...spec },
    {
      metadata: {
        ...{ name, namespace: 'default', creationTimestamp: new Date(created * 1000) },
        annotations: range === undefined ? {} : { [PORT_RANGE_ANNOTATION]: range },
      },
    },
  );
}

function slice(name: string, port: number, protocol = 'UDP', address = '10.244.0.1') {
  return makeSlice(name, [address], { ports: [{ name: '', protocol, port }] });
}

function start(portRanges?: PortRangeSupport) {
  const problems: string[] = [];
  const resolver = makeResolver({
    ...(portRanges === undefined ? {} : { portRanges }),
    nodePortAddresses: { kind: 'all' },
    onProblem: (problem) => problems.push(formatObjectProblem(problem)),
  });
  resolver.updateNode({ metadata: { name: 'node1' }, status: { addresses: [{ type: 'InternalIP', address: NODE }] } });
  return { resolver, problems, state: () => resolver.applyPending().state };
}

/** The endpoints of packets to these ports. */
function outcomes(
  state: ProxyState,
  destination: string,
  ports: readonly number[],
  protocol: Packet['protocol'] = 'UDP',
) {
  return ports.map((port) => {
    const { outcome } = decidePacket(state, { source: '203.0.113.9', destination, protocol, port });
    return outcome.kind === 'forwarded' ? outcome.choices.map(({ endpoint }) => endpoint.key).join(' ') : outcome.kind;
  });
}

describe('a port range (spec PR-1, PR-2)', () => {
  test('reaches the same ports of endpoints; ports beside it are refused', () => {
    const { resolver, state, problems } = start();
    resolver.updateService(undefined, service('a', '10000-20000'));
    resolver.updateEndpointSlice(undefined, slice('a', 10_000));
    expect(outcomes(state(), '10.96.0.97', [9_999, 10_000, 15_000, 20_000, 20_001])).toEqual([
      'refused',
      ...['10.244.0.1:10000', '10.244.0.1:15000', '10.244.0.1:20000'],
      'refused',
    ]);
    expect(problems).toEqual([]);
  });

  test('is shifted where the target port is another, for each endpoint by its own', () => {
    const { resolver, state } = start();
    resolver.updateService(undefined, service('a', '10000-10010'));
    resolver.updateEndpointSlice(undefined, slice('a', 30_000));
    const other = makeSlice('a', ['10.244.0.2'], { name: 'a-2', ports: [{ name: '', protocol: 'UDP', port: 500 }] });
    resolver.updateEndpointSlice(undefined, other);
    expect(outcomes(state(), '10.96.0.97', [10_000, 10_010])).toEqual([
      '10.244.0.1:30000 10.244.0.2:500',
      '10.244.0.1:30010 10.244.0.2:510',
    ]);
  });

  test('extends TCP and UDP alike, at every address but node ports', () => {
    const { resolver, state } = start();
    const ports = ['TCP', 'UDP'].map((protocol) => ({
      name: protocol.toLowerCase(),
      port: 50,
      protocol,
      nodePort: 30_050,
    }));
    const spec = { type: 'NodePort', ports, externalIPs: ['198.51.100.1'] };
    resolver.updateService(undefined, service('a', '50-60', spec));
    const own = ports.map(({ name, protocol }) => ({ name, protocol, port: 50 }));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.244.0.1'], { ports: own }));
    for (const protocol of ['TCP', 'UDP'] as const) {
      expect(outcomes(state(), '198.51.100.1', [50, 60, 61], protocol)).toEqual([
        '10.244.0.1:50',
        '10.244.0.1:60',
        'passed-on',
      ]);
      expect(outcomes(state(), NODE, [30_050, 30_051], protocol)).toEqual(['10.244.0.1:50', 'passed-on']);
    }
  });

  test('is explained', () => {
    const { resolver, state } = start();
    resolver.updateService(undefined, service('a', '10000-20000'));
    resolver.updateEndpointSlice(undefined, slice('a', 30_000));
    const packet = { source: '203.0.113.9', destination: '10.96.0.97', protocol: 'UDP' as const };
    expect(explainSimulation(simulatePacket(state(), { ...packet, port: 12_000 })).steps).toContain(
      'The port is in the range 10000-20000 (kube-proxier.io/port-range): endpoints get it at port 32000.',
    );
    expect(explainSimulation(simulatePacket(state(), { ...packet, port: 9 })).steps).toEqual([
      '10.96.0.97 is the cluster IP of Service default/a, which has no port 9/UDP (it has 10000-20000/UDP): refused.',
    ]);
  });

  test('is found by any of its ports', () => {
    const { resolver, state } = start();
    resolver.updateService(undefined, service('a', '10000-20000'));
    resolver.updateEndpointSlice(undefined, slice('a', 10_000));
    const ask = (port: string) => {
      const destination = { kind: 'service', namespace: 'default', name: 'a', port, protocol: undefined } as const;
      const { cases } = answerPacketQuestion([state()], { client: { kind: 'node' }, destination });
      return cases.map(({ explanation: { packet } }) => packet.port);
    };
    expect(ask('12000')).toEqual([12_000]);
    expect(ask('10000')).toEqual([10_000]);
    expect(() => ask('20001')).toThrow('Service default/a has no port 20001; it has 10000-20000/UDP');
  });

  test('is added and removed with the annotation, as a change of its service port alone', () => {
    const { resolver, state } = start();
    resolver.updateService(undefined, service('a', undefined));
    resolver.updateService(undefined, service('b', '10000-10010'));
    const before = state();
    resolver.updateService(service('a', undefined), service('a', '10000-10001'));
    const { state: after, changes } = resolver.applyPending();
    expect([...changes.servicePorts.keys()]).toEqual(['default/a:/UDP']);
    expect([...(after.portRanges?.keys() ?? [])].sort()).toEqual(['UDP/10.96.0.97', 'UDP/10.96.0.98']);
    resolver.updateService(service('a', '10000-10001'), service('a', undefined));
    resolver.updateService(service('b', '10000-10010'), service('b', undefined));
    expect(state().portRanges).toBeUndefined();
    expect([...(before.portRanges?.keys() ?? [])]).toEqual(['UDP/10.96.0.98']);
  });
});

describe('an invalid range (spec PR-3)', () => {
  test.each([
    ['nonsense', /"nonsense" is not FIRST-LAST, for example 10000-20000/],
    ['20000-10000', /"20000-10000" is not FIRST-LAST/],
    ['10000-65536', /with ports from 1 to 65535/],
    ['0-10', /is not FIRST-LAST/],
    ['9000-9100', /9000-9100: the Service has no port 9000; add one to spec.ports/],
    ['10000-10001,10000-10002', /10000-10002: port 10000 has a range already/],
  ])('%s is reported with the Service and the annotation', (range, expected) => {
    const { resolver, state, problems } = start();
    resolver.updateService(undefined, service('a', range));
    resolver.updateEndpointSlice(undefined, slice('a', 10_000));
    expect(outcomes(state(), '10.96.0.97', [10_000])).toEqual(['10.244.0.1:10000']);
    expect(problems).toEqual([expect.stringMatching(expected)]);
    expect(problems[0]).toMatch(/^Service default\/a: metadata\.annotations\["kube-proxier\.io\/port-range"\]: /);
  });

  test('with another port of the Service in it is not served; the ports are', () => {
    const { resolver, state, problems } = start();
    const ports = [
      { name: 'media', port: 10_000, protocol: 'UDP' },
      { name: 'other', port: 10_005, protocol: 'UDP' },
      { name: 'tcp', port: 10_006, protocol: 'TCP' },
    ];
    resolver.updateService(undefined, service('a', '10000-10010, 10005-10006, 10006-10007', { ports }));
    const own = ports.map((port) => ({ ...port }));
    resolver.updateEndpointSlice(undefined, makeSlice('a', ['10.244.0.1'], { ports: own }));
    const at = (port: number) => `10.244.0.1:${port}`;
    expect(outcomes(state(), '10.96.0.97', [10_000, 10_001, 10_005, 10_006])).toEqual([
      ...[at(10_000), 'refused', at(10_005), at(10_006)],
    ]);
    expect(outcomes(state(), '10.96.0.97', [10_006, 10_007], 'TCP')).toEqual([at(10_006), at(10_007)]);
    expect(problems).toEqual([expect.stringContaining('10000-10010 contains port 10005/UDP of the same Service')]);
  });

  test('whose endpoints would have ports beyond 65535 is not served until they do not', () => {
    const { resolver, state, problems } = start();
    resolver.updateService(undefined, service('a', '10000-20000'));
    resolver.updateEndpointSlice(undefined, slice('a', 60_000));
    expect(outcomes(state(), '10.96.0.97', [10_000, 10_001])).toEqual(['10.244.0.1:60000', 'refused']);
    expect(problems).toEqual([
      expect.stringMatching(/the ports of endpoint 10\.244\.0\.1:60000 would go beyond 65535/),
    ]);
    resolver.updateEndpointSlice(slice('a', 60_000), slice('a', 55_535));
    expect(outcomes(state(), '10.96.0.97', [20_000])).toEqual(['10.244.0.1:65535']);
  });

  test('is reported once, not with every change of endpoints', () => {
    const { resolver, state, problems } = start('none');
    resolver.updateService(undefined, service('a', '10000-20000'));
    for (const address of ['10.244.0.1', '10.244.0.2', '10.244.0.3']) {
      resolver.updateEndpointSlice(undefined, slice('a', 10_000, 'UDP', address));
      state();
    }
    expect(problems).toEqual([expect.stringContaining('this mode serves no port ranges')]);
  });
});

describe('what a mode can serve (spec PR-6)', () => {
  test.each([
    ['any', 30_000, true],
    ['same-port', 30_000, false],
    ['same-port', 10_000, true],
    ['none', 10_000, false],
  ] as const)('%s, endpoints at %i', (support, target, served) => {
    const { resolver, state, problems } = start(support);
    resolver.updateService(undefined, service('a', '10000-10010'));
    resolver.updateEndpointSlice(undefined, slice('a', target));
    expect(outcomes(state(), '10.96.0.97', [10_000, 10_010])).toEqual([
      `10.244.0.1:${target}`,
      served ? `10.244.0.1:${target + 10}` : 'refused',
    ]);
    expect(problems).toHaveLength(served ? 0 : 1);
  });
});

describe('one holder of each address and port, the older Service (spec PR-4)', () => {
  const ip = '198.51.100.1';
  const at = (port: number) => ({ externalIPs: [ip], ports: [{ port, protocol: 'UDP' }] });
  /** Services by age, each with its first port, and a range or none. */
  const held = (...services: readonly (readonly [name: string, port: number, range?: string])[]) => {
    const { resolver, state, problems } = start();
    // The events arrive in reverse order: only the age may decide.
    for (const [name, port, range] of [...services].reverse()) {
      resolver.updateService(undefined, service(name, range, at(port)));
      resolver.updateEndpointSlice(undefined, slice(name, port, 'UDP', `10.244.0.${name.charCodeAt(0)}`));
      state();
    }
    const holder = (port: number) => {
      const { servicePort } = decidePacket(state(), { source: '203.0.113.9', destination: ip, protocol: 'UDP', port });
      return servicePort?.name.name;
    };
    return { resolver, state, problems, holders: (...ports: number[]) => ports.map(holder) };
  };

  test('a port in an older range is not granted', () => {
    const { holders, problems } = held(['a', 100, '100-200'], ['b', 150]);
    expect(holders(100, 149, 150, 151, 200)).toEqual(['a', 'a', 'a', 'a', 'a']);
    expect(problems).toContainEqual(
      expect.stringMatching(/^Service default\/b: ExternalIP UDP\/198\.51\.100\.1:150 belongs to Service default\/a/),
    );
  });

  test('a range that contains an older port is served at its first port only', () => {
    const { holders, problems } = held(['a', 150], ['b', 100, '100-200']);
    expect(holders(100, 149, 150, 151, 200)).toEqual(['b', undefined, 'a', undefined, undefined]);
    expect(problems).toEqual([
      expect.stringMatching(
        /100-200: port 150 of ExternalIP 198\.51\.100\.1 belongs to Service default\/a, which is older or first by name, so of the range only port 100\/UDP is served there/,
      ),
    ]);
  });

  test('of two ranges, the younger keeps its first port if that is free', () => {
    expect(held(['a', 100, '100-200'], ['b', 50, '50-150']).holders(50, 99, 100, 200)).toEqual([
      'b',
      undefined,
      'a',
      'a',
    ]);
    expect(held(['a', 100, '100-200'], ['b', 150, '150-250']).holders(150, 200, 201)).toEqual(['a', 'a', undefined]);
    expect(held(['a', 100, '100-200'], ['b', 201, '201-250']).holders(200, 201, 250)).toEqual(['a', 'b', 'b']);
    expect(held(['a', 100, '100-200'], ['b', 100, '100-250']).holders(100, 200, 250)).toEqual(['a', 'a', undefined]);
  });

  test('a range that is not granted takes no port from other Services', () => {
    const { holders } = held(['a', 150], ['b', 100, '100-200'], ['c', 180]);
    expect(holders(100, 150, 180, 190)).toEqual(['b', 'a', 'c', undefined]);
  });

  test('the range is served when the older Service is deleted, and revoked when it is recreated', () => {
    const { resolver, holders } = held(['a', 150], ['b', 100, '100-200']);
    const older = service('a', undefined, at(150));
    resolver.updateService(older, undefined);
    expect(holders(149, 150, 200)).toEqual(['b', 'b', 'b']);
    resolver.updateService(undefined, older);
    expect(holders(149, 150, 200)).toEqual([undefined, 'a', undefined]);
    const moved = service('a', undefined, at(201));
    resolver.updateService(older, moved);
    expect(holders(149, 200, 201)).toEqual(['b', 'b', 'a']);
  });

  test('a NodePort is a claim on addresses of the node: an older one is kept, a younger one is not served there', () => {
    for (const [nodePortAge, expected] of [
      [1, { range: 'passed-on', nodePort: '10.244.0.1:80' }],
      [1000, { range: '10.244.0.1:29999', nodePort: '10.244.0.1:30500' }],
    ] as const) {
      const { resolver, state } = start();
      const range = service('r', '29000-31000', { externalIPs: [NODE], ports: [{ port: 29_000, protocol: 'UDP' }] });
      const ports = [{ port: 80, protocol: 'UDP', nodePort: 30_500 }];
      const nodePort = service('n', undefined, { type: 'NodePort', ports }, nodePortAge);
      for (const order of [
        [range, nodePort],
        [nodePort, range],
      ]) {
        order.forEach((one) => void resolver.updateService(undefined, one));
        resolver.updateEndpointSlice(undefined, slice('r', 29_000));
        resolver.updateEndpointSlice(undefined, slice('n', 80));
        expect(outcomes(state(), NODE, [29_999, 30_500])).toEqual([expected.range, expected.nodePort]);
        order.forEach((one) => void resolver.updateService(one, undefined));
        expect(state().portRanges).toBeUndefined();
      }
    }
  });

  test.each(Array.from({ length: 30 }, (_, index) => index))(
    'seed %i: the result depends on the Services only, and no port has two holders',
    (seed) => {
      const random = new Random(seed);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const { resolver, state } = start();
      const current = new Map<string, Service>();
      const all = Array.from({ length: 24 }, (_, index) => index + 1);
      for (let step = 0; step < 60; step++) {
        const name = random.pick(names);
        const port = 1 + random.below(20);
        const range = random.chance(0.6) ? `${port}-${port + random.below(8)}` : undefined;
        const spec = {
          externalIPs: [random.pick([ip, NODE])],
          ports: [{ port, protocol: 'UDP', ...(random.chance(0.4) ? { nodePort: 1 + random.below(20) } : {}) }],
          type: 'NodePort',
        };
        const next = random.chance(0.2) ? undefined : service(name, range, spec);
        resolver.updateService(current.get(name), next);
        next === undefined ? current.delete(name) : current.set(name, next);
        if (random.chance(0.5)) {
          continue;
        }
        const fresh = start();
        [...current.values()].forEach((one) => void fresh.resolver.updateService(undefined, one));
        const [is, wanted] = [state(), fresh.state()];
        for (const address of [ip, NODE]) {
          const holders = (of: ProxyState) =>
            all.map((to) => {
              const packet = { source: '203.0.113.9', destination: address, protocol: 'UDP' as const, port: to };
              return decidePacket(of, packet).servicePort?.key;
            });
          expect(holders(is)).toEqual(holders(wanted));
          const claims = all.map((to) =>
            [...is.servicePorts.values()].filter(({ frontends }) =>
              frontends.some((one) => one.address === address && one.port <= to && to <= (one.lastPort ?? one.port)),
            ),
          );
          expect(claims.filter((owners) => owners.length > 1)).toEqual([]);
        }
      }
    },
  );
});
