import { describe, expect, test } from '@jest/globals';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import {
  feedResolver,
  makeResolver,
  makeService,
  makeSlice,
  Random,
  RandomCluster,
  resolveObjects,
  runCount,
} from '../testing/index.js';
import { compareStates, isEmptyComparison } from './compare-states.js';
import { comparisonLines, formatPlanLines, formatPlanSummary } from './format-comparison.js';

const OPTIONS = { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16'] } } as const;

function text(before: ProxyState | undefined, after: ProxyState | undefined): string {
  const comparison = compareStates([{ family: 'IPv4', before, after }]);
  return `${formatPlanLines(comparisonLines(comparison))}${formatPlanSummary(comparison)}`;
}

const checkout = makeService('shop/checkout', {
  ...{ type: 'NodePort', clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80, nodePort: 30080 }] },
});
const here = { address: '10.244.0.5', node: 'node1', pod: 'checkout-1' };
const there = { address: '10.244.7.5', node: 'node2', pod: 'checkout-2' };
const slice = (...endpoints: Parameters<typeof makeSlice>[1]) =>
  makeSlice('shop/checkout', endpoints, { ports: [{ name: 'http', port: 8080 }] });
const state = (objects: Parameters<typeof resolveObjects>[0], options = {}) =>
  resolveObjects(objects, { ...OPTIONS, ...options });

describe('comparison of states', () => {
  test('a Service that appears', () => {
    expect(text(state({}), state({ services: [checkout], slices: [slice(here, there)] }))).toBe(`\
+ shop/checkout:http (TCP)
    + ClusterIP 10.96.0.10:80: forward to cluster endpoints
    + NodePort <node>:30080: forward to cluster endpoints
    + endpoint checkout-1 10.244.0.5:8080 on node1: ready
    + endpoint checkout-2 10.244.7.5:8080 on node2: ready
1 Service to add, 0 to change, 0 to remove`);
  });

  test('a Service that disappears, and an unchanged one', () => {
    const dns = makeService('kube-system/dns', { clusterIP: '10.96.0.53' });
    expect(text(state({ services: [checkout, dns] }), state({ services: [dns] }))).toBe(`\
- shop/checkout:http (TCP)
    - ClusterIP 10.96.0.10:80: reject
    - NodePort <node>:30080: reject
0 Services to add, 0 to change, 1 to remove`);
  });

  test('a policy, an endpoint that is no longer ready, session affinity', () => {
    const local = makeService('shop/checkout', {
      ...checkout.spec,
      externalTrafficPolicy: 'Local',
      sessionAffinity: 'ClientIP',
    });
    const before = state({ services: [checkout], slices: [slice(here, there)] });
    const after = state({ services: [local], slices: [slice(here, { ...there, ready: false })] });
    expect(text(before, after)).toBe(`\
~ shop/checkout:http (TCP)
    ~ session affinity: <none> -> ClientIP 10800 s
    ~ NodePort <node>:30080: action: forward to cluster endpoints -> forward to local endpoints (the node itself, pods: forward to cluster endpoints)
    ~ NodePort <node>:30080: masquerade: always -> never (the node itself: always)
    ~ endpoint checkout-1 10.244.0.5:8080 on node1: cluster -> cluster and local
    - endpoint checkout-2 10.244.7.5:8080 on node2: not ready, and 1 ready one exists
0 Services to add, 1 to change, 0 to remove`);
  });

  test('an endpoint whose address moves to this node', () => {
    const before = state({ services: [checkout], slices: [slice(there)] });
    const after = state({ services: [checkout], slices: [slice({ ...there, node: 'node1' })] });
    expect(text(before, after)).toContain('~ endpoint checkout-2 10.244.7.5:8080 on node1: now on this node');
  });

  test('options of the node, and their effect on Services', () => {
    const objects = { services: [checkout], slices: [slice(here)] };
    expect(text(state(objects), state(objects, { localTrafficDetection: { kind: 'none' } }))).toBe(`\
~ node, IPv4: packets of pods: from 10.244.0.0/16 -> not distinguished
~ shop/checkout:http (TCP)
    ~ ClusterIP 10.96.0.10:80: masquerade: off-cluster -> never
0 Services to add, 1 to change, 0 to remove`);
  });

  test('source ranges of a load balancer', () => {
    const balancer = (loadBalancerSourceRanges?: readonly string[]) =>
      makeService(
        'shop/checkout',
        { ...checkout.spec, type: 'LoadBalancer', ...(loadBalancerSourceRanges ? { loadBalancerSourceRanges } : {}) },
        { status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } } },
      );
    expect(text(state({ services: [balancer()] }), state({ services: [balancer(['203.0.113.0/25'])] }))).toContain(
      '    ~ LoadBalancerIP 198.51.100.9:80: source ranges: all -> 203.0.113.0/25\n',
    );
  });

  test.each(Array.from({ length: runCount(10, 100) }, (_, index) => index + 1))(
    'seed %i: the comparison is empty exactly where nothing is rendered differently',
    (seed) => {
      const cluster = new RandomCluster(new Random(seed));
      const resolver = makeResolver(OPTIONS);
      const proxier = feedResolver(resolver);
      for (let step = 0; step < 60; step++) {
        cluster.step(proxier);
        const { state: after, changes } = resolver.applyPending();
        const comparison = compareStates([{ family: 'IPv4', before: changes.previous, after }]);
        const differing = [...changes.resolvedServicePorts.values()].filter(
          ({ previous, current }) => !structurallyEqual(rendered(previous), rendered(current)),
        );
        expect(comparison.servicePorts.length).toBe(differing.length);
        expect(isEmptyComparison(compareStates([{ family: 'IPv4', before: after, after }]))).toBe(true);
      }
    },
  );
});

/** What a backend prints of a service port. */
function rendered(port: ResolvedServicePort | undefined): unknown {
  const list = (endpoints: ResolvedServicePort['cluster']) => endpoints.map(({ key, isLocal }) => ({ key, isLocal }));
  return (
    port && {
      frontends: [...port.frontends].sort((a, b) => (a.key < b.key ? -1 : 1)),
      cluster: list(port.cluster),
      local: list(port.local),
      affinity: port.affinitySeconds,
      annotations: port.servicePort.annotations,
      health: port.servicePort.healthCheckNodePort,
    }
  );
}
