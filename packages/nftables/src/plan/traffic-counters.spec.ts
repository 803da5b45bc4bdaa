import { describe, expect, test } from '@jest/globals';
import {
  diffStates,
  type Endpoint,
  type ProxyState,
  type ResolvedServicePort,
  type ServicePortKey,
} from '@kube-proxier/core';
import { makeResolver, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { NftablesPlanner } from './nftables-planner.js';
import { ANNOTATIONS } from './service-options.js';
import { trafficCountedBy, trafficCounter } from './traffic-counters.js';

const label = (length: number) => 'n'.repeat(length);

describe('names of counters', () => {
  test.each([
    ['10.0.0.1', '', 'TCP'],
    ['fd00:10::1', 'http', 'UDP'],
    ['::1', '', 'SCTP'],
    ['2001:db8:1111:2222:3333:4444:5555:6666', label(63), 'SCTP'],
  ] as const)('say what is counted, and are short enough: %s %s %s', (address, portName, protocol) => {
    for (const direction of ['to-endpoints', 'to-clients'] as const) {
      const servicePort = { namespace: label(63), name: label(63), portName, protocol };
      for (const what of [{}, { endpoint: { address, port: 65_535 } }]) {
        const counted = { servicePort, direction, ...what };
        const name = trafficCounter(counted);
        // NFT_NAME_MAXLEN, with its end.
        expect(name.length).toBeLessThan(256);
        expect(name).toMatch(/^[a-z][\w/.-]*$/);
        expect(trafficCountedBy(name)).toEqual(counted);
      }
    }
  });

  test('a port may be called as a protocol; other counters are not recognized', () => {
    const servicePort = { namespace: 'a', name: 'b', portName: 'tcp', protocol: 'UDP' } as const;
    const counted = { servicePort, direction: 'to-clients' } as const;
    expect(trafficCountedBy(trafficCounter(counted))).toEqual(counted);
    for (const other of ['service/a/b/tcp', 'traffic/a/b/tcp', 'traffic/a/b/tcp/10.0.0.1/in', 'mine']) {
      expect(trafficCountedBy(other)).toBeUndefined();
    }
  });
});

const many = Array.from({ length: 100 }, (_, index) => `10.244.0.${index + 1}`);

function stateOf(endpoints: readonly string[], counted: boolean): ProxyState {
  const annotations = counted ? { [ANNOTATIONS.countTraffic]: 'true' } : {};
  const ports = [{ port: 80, protocol: 'TCP' as const, nodePort: 30080 }];
  const service = makeService(
    'web',
    { type: 'NodePort', clusterIP: '10.96.0.10', ports },
    { metadata: { annotations } },
  );
  return resolveObjects({ services: [service], slices: [makeSlice('web', endpoints)] });
}

const GONE = { key: '10.244.9.9:80', address: '10.244.9.9', ready: false, serving: true, terminating: true } as const;

const plain = ({ servicePort }: ResolvedServicePort) => ({ ...servicePort, annotations: {} });

/** The plan of a change, limited to packet counting. */
function planned(before: ProxyState, after: ProxyState, endpointCounters = true) {
  const planner = new NftablesPlanner({ masqueradeBit: 14 });
  const facts = { fullyRandom: true, layout: 'constant', endpointCounters } as const;
  const first = planner.plan(before, diffStates(undefined, before), { table: undefined, facts });
  const next = planner.plan(after, diffStates(before, after));
  const count = (transaction: typeof next) => {
    const commands = transaction?.write.commands ?? [];
    return {
      counters: commands.filter((one) => 'name' in one && one.name.startsWith('traffic/')).length,
      elements: commands.flatMap((one) =>
        (one.do === 'add-elements' || one.do === 'delete-elements') && one.name.includes('traffic')
          ? one.do === 'add-elements'
            ? one.elements.map(([key]) => key)
            : one.keys
          : [],
      ),
      connections: commands.filter((one) => 'name' in one && one.name.startsWith('endpoint/')).length,
      text: JSON.stringify(commands),
      problems: transaction?.problems ?? [],
    };
  };
  return { first: count(first), next: count(next) };
}

describe('the plan for packet counting', () => {
  test('is empty if nothing is counted', () => {
    const { first, next } = planned(stateOf(many, false), stateOf(many.slice(1), false));
    expect(first.text).not.toContain('traffic');
    expect(next.text).not.toContain('traffic');
  });

  test('an added and a removed endpoint: counters and elements for two frontends and directions', () => {
    const { first, next } = planned(stateOf(many, true), stateOf([...many.slice(1), '10.244.9.9'], true));
    expect(first.counters).toBe(2 + 2 * 100);
    expect(first.elements).toHaveLength(2 * 2 * 100);
    expect(next.counters).toBe(2 * 2);
    expect(next.elements).toHaveLength(2 * 2 * 2);
    for (const key of next.elements) {
      expect(key).toMatch(/ \. (10\.244\.0\.1|10\.244\.9\.9) \. 80( \. 30080)?$/);
    }
  });

  test('removal of an endpoint without new connections: only its counters and elements', () => {
    const before = stateOf(many, true);
    const [key, port] = [...before.servicePorts][0] as [ServicePortKey, ResolvedServicePort];
    const draining = { ...port, candidates: [...port.candidates, { ...port.candidates[0], ...GONE } as Endpoint] };
    const first = { ...before, servicePorts: new Map([[key, draining]]) };
    expect(diffStates(first, before).servicePorts.size).toBe(0);
    const { next } = planned(first, before);
    expect(next.counters).toBe(2);
    expect(next.elements).toHaveLength(2 * 2);
    expect(next.connections).toBe(1);
    // The elements of two frontends in three maps, and three counters.
    expect(JSON.parse(next.text)).toHaveLength(2 * 3 + 3);
    const { next: uncounted } = planned(
      { ...first, servicePorts: new Map([[key, { ...draining, servicePort: plain(port) }]]) },
      { ...before, servicePorts: new Map([[key, { ...port, servicePort: plain(port) }]]) },
    );
    expect(uncounted.text).toBe('[]');
  });

  test('is empty on an unsupported host, with one log line for each requesting Service', () => {
    const { first, next } = planned(stateOf([], false), stateOf(many, true), false);
    expect(first.problems).toEqual([]);
    expect(next.text).not.toContain('traffic');
    // Connections are counted, as the Service requests all counts.
    expect(next.text).toContain('service/default/web/tcp');
    expect(next.problems).toEqual([
      'Service default/web: kube-proxier.io/count-traffic: this host can count connections only',
    ]);
  });
});

test('an annotation with an invalid value is one log line for a Service of many ports, and a changed endpoint adds none', () => {
  const ports = Array.from({ length: 50 }, (_, index) => ({ name: `p${index}`, port: 1000 + index }));
  const annotations = { [ANNOTATIONS.countTraffic]: 'yes' };
  const service = makeService('default/web', { ports }, { metadata: { annotations } });
  const resolver = makeResolver();
  resolver.updateService(undefined, service);
  const slice = makeSlice('default/web', ['10.244.0.1'], { ports: ports.map(({ name }) => ({ name, port: 8080 })) });
  resolver.updateEndpointSlice(undefined, slice);
  const before = resolver.applyPending().state;
  const next = makeSlice('default/web', ['10.244.0.2'], { ports: ports.map(({ name }) => ({ name, port: 8080 })) });
  resolver.updateEndpointSlice(slice, next);
  const changed = planned(before, resolver.applyPending().state);
  expect(changed.first.problems).toEqual([
    expect.stringMatching(/^Service default\/web: .*"yes" is not one of true, false/),
  ]);
  expect(changed.next.problems).toEqual([]);
});
