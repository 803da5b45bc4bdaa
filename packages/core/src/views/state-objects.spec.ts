import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
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
import { nodeObjectOf, serviceObjectsOf } from './state-objects.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
} as const;

/**
 * All decisions of a state, without the revision, which counts events, and without the order of tables, which is not
 * specified. The number of local endpoints includes endpoints of ports that the Service does not have, which are not in
 * a state.
 */
function decisions({ servicePorts, frontends, healthCheckNodePorts, clusterIPs, node }: ProxyState): unknown {
  const sorted = (table: Iterable<readonly [string, unknown]>) =>
    [...table].sort(([left], [right]) => (left < right ? -1 : 1));
  const decided = {
    servicePorts: sorted(servicePorts),
    frontends: sorted(frontends),
    healthCheckNodePorts: sorted(healthCheckNodePorts).map(([key, service]) => [
      key,
      { ...(service as object), localEndpoints: 0 },
    ]),
    clusterIPs: sorted(clusterIPs),
    node,
  };
  // A slice whose endpoints differ by port is split.
  return JSON.parse(JSON.stringify(decided).replaceAll(/\.part-\d+"/g, '"'));
}

function roundTrip(states: readonly ProxyState[]): readonly ProxyState[] {
  const objects = [...serviceObjectsOf(states)];
  // As sent over HTTP.
  const { services, slices, node } = JSON.parse(
    JSON.stringify({
      services: objects.map(({ service }) => service),
      slices: objects.flatMap(({ endpointSlices }) => endpointSlices),
      node: nodeObjectOf(states),
    }),
  );
  return states.map(({ family, node: { serviceCIDRs } }) =>
    resolveObjects({ services, slices, node, serviceCIDRs }, { family, ...OPTIONS }),
  );
}

describe('objects of states', () => {
  test.each(Array.from({ length: runCount(20, 200) }, (_, index) => index + 1))(
    'seed %i: random clusters resolve to the same states again',
    (seed) => {
      const cluster = new RandomCluster(new Random(seed));
      const resolvers = FAMILIES.map((family) => makeResolver({ family, ...OPTIONS }));
      const proxiers = resolvers.map(feedResolver);
      for (let step = 0; step < 60; step++) {
        cluster.step({
          ...(proxiers[0] as (typeof proxiers)[number]),
          onServiceUpdate: (...event) => proxiers.forEach((proxier) => void proxier.onServiceUpdate(...event)),
          onEndpointsUpdate: (...event) => proxiers.forEach((proxier) => void proxier.onEndpointsUpdate(...event)),
          onNodeUpdate: (node) => proxiers.forEach((proxier) => void proxier.onNodeUpdate(node)),
        });
      }
      const states = resolvers.map((resolver) => resolver.applyPending().state);
      expect(roundTrip(states).map(decisions)).toEqual(states.map(decisions));
    },
  );

  test('a load balancer with ranges, hints, names of pods, several ports and several numbers of a port', () => {
    const service = makeService(
      'shop/checkout',
      {
        type: 'LoadBalancer',
        clusterIP: '10.96.0.10',
        clusterIPs: ['10.96.0.10', 'fd00:10:96::10'],
        externalIPs: ['192.0.2.7'],
        externalTrafficPolicy: 'Local',
        internalTrafficPolicy: 'Local',
        healthCheckNodePort: 32_000,
        loadBalancerSourceRanges: ['203.0.113.0/25'],
        sessionAffinity: 'ClientIP',
        ports: [
          { name: 'http', port: 80, nodePort: 30080 },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ],
      },
      {
        metadata: {
          creationTimestamp: '2026-01-02T03:04:05Z',
          annotations: { 'kube-proxier.io/nftables-count-connections': 'true' },
        },
        status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } },
      },
    );
    const ranges = makeService('shop/closed', {
      ...{ type: 'LoadBalancer', clusterIP: '10.96.0.11', loadBalancerSourceRanges: ['nonsense'] },
    });
    const endpoint = { address: '10.244.0.5', node: 'node1', pod: 'web-1', zones: ['a'], nodes: ['node1'] };
    const slices = [8080, 8081].map((port) =>
      makeSlice('shop/checkout', [{ ...endpoint, address: `10.244.0.${port % 100}` }], {
        name: `checkout-${port}`,
        ports: [{ name: 'http', port }],
      }),
    );
    const objects = { services: [service, ranges], slices, serviceCIDRs: ['10.96.0.0/16'] };
    const states = FAMILIES.map((family) => resolveObjects(objects, { family, ...OPTIONS }));
    expect(roundTrip(states).map(decisions)).toEqual(states.map(decisions));
  });
});
