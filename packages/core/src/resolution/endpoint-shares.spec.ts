import { describe, expect, test } from '@jest/globals';
import { selectionWeights } from '../model/endpoint-weights.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import { formatSimulation } from '../simulator/format-simulation.js';
import { simulatePacket } from '../simulator/simulate-packet.js';
import { makeResolver, makeService, makeSlice } from '../testing/index.js';
import type { ProxyStateResolver } from './proxy-state-resolver.js';

const WEIGHTS = 'kube-proxier.io/endpoint-weights';
const SLICE_WEIGHT = 'kube-proxier.io/weight';
const CILIUM_WEIGHT = 'service.cilium.io/weight';
const SLOW_START = 'kube-proxier.io/slow-start';

const service = (annotations: Readonly<Record<string, string>> = {}, spec: object = {}) =>
  makeService('ns/web', { clusterIP: '10.96.0.1', ports: [{ port: 80 }], ...spec }, { metadata: { annotations } });

function portOf(state: ProxyState): ResolvedServicePort {
  const [port] = state.servicePorts.values();
  if (port === undefined) {
    throw new Error('no service port');
  }
  return port;
}

const weightsOf = (state: ProxyState) =>
  Object.fromEntries(portOf(state).candidates.map(({ address, weight }) => [address, weight]));
const usedBy = (state: ProxyState) => portOf(state).cluster.map(({ address }) => address);

describe('weights', () => {
  test.each([
    ['kube-proxier.io/weight of the slice', { [SLICE_WEIGHT]: '5' }, { [WEIGHTS]: '10.0.0.1=3' }, [5, 5]],
    ["Cilium's annotation of the slice", { [CILIUM_WEIGHT]: '7' }, {}, [7, 7]],
    ['both annotations of the slice', { [SLICE_WEIGHT]: '5', [CILIUM_WEIGHT]: '7' }, {}, [5, 5]],
    ['single endpoints of the slice', { [WEIGHTS]: '10.0.0.2=9' }, { [WEIGHTS]: '10.0.0.0/24=3' }, [3, 9]],
    ['single endpoints, and the rest of the slice', { [WEIGHTS]: '10.0.0.2=9', [SLICE_WEIGHT]: '2' }, {}, [2, 9]],
    ['addresses, nodes and pods of the Service', {}, { [WEIGHTS]: 'pod/web-0 = 4, node/b=6,' }, [4, 6]],
    ['the first rule that selects an endpoint', {}, { [WEIGHTS]: '10.0.0.1=2,10.0.0.0/8=3' }, [2, 3]],
    ['an invalid weight of the slice', { [SLICE_WEIGHT]: '65536' }, {}, [1, 1]],
    ['the largest weight', { [SLICE_WEIGHT]: '65535' }, {}, [65_535, 65_535]],
    ['no annotation', {}, {}, [1, 1]],
  ])('%s', (_title, onSlice, onService, [first, second]) => {
    const endpoints = [
      { address: '10.0.0.1', node: 'a', pod: 'web-0' },
      { address: '10.0.0.2', node: 'b', pod: 'web-1' },
    ];
    const slice = makeSlice('ns/web', endpoints, { annotations: onSlice });
    const resolver = makeResolver();
    resolver.updateService(undefined, service(onService));
    resolver.updateEndpointSlice(undefined, slice);
    const expected = { '10.0.0.1': first, '10.0.0.2': second };
    expect(weightsOf(resolver.applyPending().state)).toEqual(expected);
    // The reverse order, in two syncs.
    const later = makeResolver();
    later.updateEndpointSlice(undefined, slice);
    later.updateService(undefined, service());
    later.applyPending();
    later.updateService(service(), service(onService));
    expect(weightsOf(later.applyPending().state)).toEqual(expected);
  });

  test.each(['10.0.0.1', '10.0.0.1=65536', '10.0.0.1=-1', '10.0.0.1=1.5', '10.0.0=1', 'node/=1', 'x=1', '{"a":1}'])(
    'an invalid item is reported, and the others apply: %s',
    (item) => {
      const problems: ObjectProblem[] = [];
      const resolver = makeResolver({ onProblem: (problem) => problems.push(problem) });
      resolver.updateService(undefined, service({ [WEIGHTS]: `${item}, 10.0.0.2=4` }));
      resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));
      expect(weightsOf(resolver.applyPending().state)).toEqual({ '10.0.0.1': 1, '10.0.0.2': 4 });
      expect(problems).toMatchObject([
        {
          kind: 'Service',
          namespace: 'ns',
          name: 'web',
          field: `metadata.annotations["${WEIGHTS}"]`,
          ignored: 'field',
        },
      ]);
      expect(problems[0]?.message).toContain(item.replaceAll('"', '\\"'));
    },
  );

  test('a thousand rules for a thousand endpoints cost a lookup each; excess rules are rejected by name', () => {
    const problems: ObjectProblem[] = [];
    const addresses = Array.from({ length: 1000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    const rules = addresses.map((address, index) => `${address}=${index}`);
    const resolver = makeResolver({ onProblem: (problem) => problems.push(problem) });
    resolver.updateService(undefined, service({ [WEIGHTS]: [...rules, '10.9.9.9=1'].join(',') }));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', addresses));
    expect(weightsOf(resolver.applyPending().state)).toEqual(
      Object.fromEntries(addresses.map((address, index) => [address, index])),
    );
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('"10.9.9.9=1"')]);
  });

  test('beyond the limit of networks, addresses, nodes and pods still apply; the excess network is rejected by name', () => {
    const problems: ObjectProblem[] = [];
    const networks = Array.from({ length: 64 }, (_, index) => `10.99.${index}.0/24=1`);
    const resolver = makeResolver({ onProblem: (problem) => problems.push(problem) });
    const text = [...networks, '10.98.0.0/24=1', '10.0.0.1=0', 'pod/web-1=7'].join(',');
    resolver.updateService(undefined, service({ [WEIGHTS]: text }));
    resolver.updateEndpointSlice(
      undefined,
      makeSlice('ns/web', [{ address: '10.0.0.1' }, { address: '10.0.0.2', pod: 'web-1' }]),
    );
    expect(weightsOf(resolver.applyPending().state)).toEqual({ '10.0.0.1': 0, '10.0.0.2': 7 });
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('"10.98.0.0/24=1"')]);
  });

  test('a changed weight changes this service port only, and endpoints with unchanged weight stay the same objects', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, service({ [WEIGHTS]: '10.0.0.1=2' }));
    resolver.updateService(undefined, makeService('ns/other', { clusterIP: '10.96.0.2', ports: [{ port: 80 }] }));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));
    const before = resolver.applyPending().state;
    resolver.updateService(service({ [WEIGHTS]: '10.0.0.1=2' }), service({ [WEIGHTS]: '10.0.0.1=3' }));
    const { state, changes } = resolver.applyPending();
    const [key, ...others] = changes.servicePorts.keys();
    expect([key, others]).toEqual(['ns/web:/TCP', []]);
    const endpointsOf = ({ servicePorts }: ProxyState) => key && servicePorts.get(key)?.cluster;
    expect(endpointsOf(state)).toHaveLength(2);
    expect(endpointsOf(state)?.[1]).toBe(endpointsOf(before)?.[1]);
    resolver.updateService(service({ [WEIGHTS]: '10.0.0.1=3' }), service({ [WEIGHTS]: '10.0.0.1 = 3,' }));
    expect(resolver.applyPending().changes.servicePorts.size).toBe(0);
  });

  test('explain never rounds a share to none or all', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, service({ [WEIGHTS]: '10.0.0.1=65535' }));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));
    const { state } = resolver.applyPending();
    const packet = { source: '10.0.9.9', destination: '10.96.0.1', protocol: 'TCP', port: 80 } as const;
    expect(formatSimulation(simulatePacket(state, packet))).toContain('10.0.0.1:80 (>0.999) or 10.0.0.2:80 (<0.001)');
  });

  test('the simulator and explain have the shares', () => {
    const resolver = makeResolver();
    resolver.updateService(undefined, service({ [WEIGHTS]: '10.0.0.1=3' }));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));
    const { state } = resolver.applyPending();
    const packet = { source: '10.0.9.9', destination: '10.96.0.1', protocol: 'TCP', port: 80 } as const;
    const { outcome } = simulatePacket(state, packet);
    expect(outcome.kind === 'forwarded' && outcome.choices.map(({ probability }) => probability)).toEqual([0.75, 0.25]);
    const text = formatSimulation(simulatePacket(state, packet));
    expect(text).toContain('weight 3');
    expect(text).toContain('forwarded to 10.0.0.1:80 (0.750) or 10.0.0.2:80 (0.250) (source kept)');
  });
});

describe('weight 0 drains an endpoint', () => {
  const DRAINED = { [WEIGHTS]: '10.0.0.1=0' };

  function resolved(
    annotations: Readonly<Record<string, string>>,
    endpoints: Parameters<typeof makeSlice>[1],
    spec = {},
  ) {
    const resolver = makeResolver();
    resolver.updateService(undefined, service(annotations, spec));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', endpoints));
    return resolver.applyPending().state;
  }

  test('it gets no new connections, and stays a candidate', () => {
    const state = resolved(DRAINED, ['10.0.0.1', '10.0.0.2']);
    expect(usedBy(state)).toEqual(['10.0.0.2']);
    expect(portOf(state).candidates).toHaveLength(2);
  });

  test('with all drained, connections are refused', () => {
    const state = resolved(DRAINED, ['10.0.0.1']);
    expect(portOf(state).frontends[0]?.routes).toEqual([{ source: 'any', action: 'reject' }]);
  });

  test('explain says that connections are refused or dropped for that reason', () => {
    const packet = { source: '10.0.9.9', destination: '10.96.0.1', protocol: 'TCP', port: 80 } as const;
    const explained = (state: ProxyState) => simulatePacket(state, packet).steps.join('\n');
    expect(explained(resolved(DRAINED, ['10.0.0.1', { address: '10.0.0.2', ready: false }]))).toContain(
      'All endpoints of it that could answer are drained (weight 0): refused.',
    );
    expect(explained(resolved(DRAINED, [{ address: '10.0.0.1', ready: false }]))).toContain(
      'No endpoint of it is ready',
    );
    const endpoints = [
      { address: '10.0.0.1', node: 'node1' },
      { address: '10.0.0.2', node: 'node2' },
    ];
    expect(explained(resolved(DRAINED, endpoints, { internalTrafficPolicy: 'Local' }))).toContain(
      'all endpoints on this node (node1) that could answer are drained (weight 0), though others exist: dropped.',
    );
  });

  test('without ready endpoints, a serving terminating one is used, a drained one is not', () => {
    const terminating = { ready: false, serving: true, terminating: true };
    const state = resolved(DRAINED, ['10.0.0.1', { address: '10.0.0.2', ...terminating }]);
    expect(usedBy(state)).toEqual(['10.0.0.2']);
    expect(portOf(resolved(DRAINED, [{ address: '10.0.0.1', ...terminating }])).selection.clusterBasis).toBe('none');
  });

  test('topology hints are followed among those that are not drained', () => {
    const zones = (address: string, zone: string) => ({ address, zones: [zone] });
    const resolver = makeResolver();
    resolver.updateNode({ metadata: { name: 'node1', labels: { 'topology.kubernetes.io/zone': 'z1' } } });
    resolver.updateService(undefined, service(DRAINED));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', [zones('10.0.0.1', 'z1'), zones('10.0.0.2', 'z2')]));
    expect(usedBy(resolver.applyPending().state)).toEqual(['10.0.0.2']);
  });

  test('a health check node port does not count it', () => {
    const spec = {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 32000,
      ports: [{ port: 80, nodePort: 30080 }],
    };
    const endpoints = [{ address: '10.0.0.1', node: 'node1' }];
    const local = (annotations: Readonly<Record<string, string>>) =>
      [...resolved(annotations, endpoints, spec).healthCheckNodePorts.values()].map((check) => check.localEndpoints);
    expect(local({})).toEqual([1]);
    expect(local(DRAINED)).toEqual([0]);
  });
});

describe('slow start', () => {
  const ANNOTATED = { [SLOW_START]: '20s' };
  const partsOf = (state: ProxyState) => portOf(state).cluster.map(({ slowStart }) => slowStart);

  function started(annotations: Readonly<Record<string, string>> = ANNOTATED): ProxyStateResolver {
    const resolver = makeResolver();
    resolver.updateService(undefined, service(annotations));
    resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1']));
    expect(partsOf(resolver.applyPending(0).state)).toEqual([undefined]);
    expect(resolver.nextStep).toBeUndefined();
    return resolver;
  }

  const addSecond = (resolver: ProxyStateResolver) =>
    resolver.updateEndpointSlice(makeSlice('ns/web', ['10.0.0.1']), makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));

  test('a new endpoint gets a tenth of its share, and a tenth more every tenth of the time', () => {
    const resolver = started();
    addSecond(resolver);
    const seen = [partsOf(resolver.applyPending(5000).state)[1]];
    const times = [];
    for (let due = resolver.nextStep; due !== undefined; due = resolver.nextStep) {
      times.push(due);
      const { state, changes } = resolver.applyPending(due);
      if (changes.servicePorts.size > 0) {
        seen.push(partsOf(state)[1]);
      }
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, undefined]);
    expect(times).toEqual(Array.from({ length: 10 }, (_, index) => 7000 + 2000 * index));
  });

  test('steps are at most one a second, of all endpoints together', () => {
    const resolver = started({ [SLOW_START]: '3s' });
    addSecond(resolver);
    resolver.applyPending(1000);
    const slice = (...addresses: string[]) => makeSlice('ns/web', addresses, { name: 'web-2' });
    resolver.updateEndpointSlice(undefined, slice('10.0.0.3'));
    expect(partsOf(resolver.applyPending(1400).state)).toEqual([undefined, 1, 1]);
    const times: number[] = [];
    for (let due = resolver.nextStep; due !== undefined; due = resolver.nextStep) {
      times.push(due);
      resolver.applyPending(due);
    }
    expect(times.every((time, index) => time - (times[index - 1] ?? 1400) >= 1000)).toBe(true);
    expect(partsOf(resolver.latest)).toEqual([undefined, undefined, undefined]);
  });

  test('an endpoint that becomes ready again starts again; another change of it does not', () => {
    const resolver = started();
    const both = (second: object) => makeSlice('ns/web', ['10.0.0.1', { address: '10.0.0.2', ...second }]);
    addSecond(resolver);
    resolver.applyPending(0);
    resolver.updateEndpointSlice(undefined, both({ zones: ['z'] }));
    expect(partsOf(resolver.applyPending(10_000).state)[1]).toBe(5);
    resolver.updateEndpointSlice(undefined, both({ ready: false }));
    expect(partsOf(resolver.applyPending(11_000).state)).toEqual([undefined]);
    expect(resolver.nextStep).toBeUndefined();
    resolver.updateEndpointSlice(undefined, both({}));
    expect(partsOf(resolver.applyPending(12_000).state)[1]).toBe(1);
  });

  test('the first endpoints of a Service have their whole share, as have endpoints added while no other is ready', () => {
    const resolver = started();
    resolver.updateEndpointSlice(makeSlice('ns/web', ['10.0.0.1']), makeSlice('ns/web', []));
    resolver.applyPending(1000);
    resolver.updateEndpointSlice(makeSlice('ns/web', []), makeSlice('ns/web', ['10.0.0.1', '10.0.0.2']));
    expect(partsOf(resolver.applyPending(2000).state)).toEqual([undefined, undefined]);
  });

  test('a drained endpoint that gets a weight again starts slowly', () => {
    const resolver = started();
    addSecond(resolver);
    resolver.applyPending(0);
    const drained = service({ ...ANNOTATED, [WEIGHTS]: '10.0.0.2=0' });
    resolver.updateService(service(ANNOTATED), drained);
    expect(usedBy(resolver.applyPending(1000).state)).toEqual(['10.0.0.1']);
    resolver.updateService(drained, service(ANNOTATED));
    expect(partsOf(resolver.applyPending(30_000).state)).toEqual([undefined, 1]);
  });

  test('without the annotation, or with an invalid one, there is none', () => {
    for (const text of ['', '0s', '-5s', '1h', '3601s', 'soon']) {
      const problems: ObjectProblem[] = [];
      const resolver = makeResolver({ onProblem: (problem) => problems.push(problem) });
      resolver.updateService(undefined, service({ [SLOW_START]: text }));
      resolver.updateEndpointSlice(undefined, makeSlice('ns/web', ['10.0.0.1']));
      resolver.applyPending(0);
      addSecond(resolver);
      expect(partsOf(resolver.applyPending(1).state)).toEqual([undefined, undefined]);
      expect(problems.map(({ field }) => field)).toEqual([`metadata.annotations["${SLOW_START}"]`]);
    }
  });

  test('without the annotation, a Service has equal shares with the next sync', () => {
    const resolver = started();
    addSecond(resolver);
    resolver.applyPending(0);
    resolver.updateService(service(ANNOTATED), service());
    const { state } = resolver.applyPending(500);
    expect(selectionWeights(portOf(state).cluster)).toBeUndefined();
    expect(resolver.nextStep).toBeUndefined();
  });
});
