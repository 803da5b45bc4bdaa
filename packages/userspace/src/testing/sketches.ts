import type { ProxyState, Service } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import fc from 'fast-check';

/** One Service, for properties. Number 3 and 4 are UDP, number 5 is SCTP, the others are TCP. */
export interface Sketch {
  readonly number: number;
  readonly local: boolean;
  readonly affinity: boolean;
  readonly endpoints: readonly number[];
}

/** Clusters of up to five Services. */
export const sketches = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 5 }),
    local: fc.boolean(),
    affinity: fc.boolean(),
    endpoints: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  }),
  { selector: ({ number }) => number, maxLength: 5 },
);

/** The state of a cluster. */
export function stateOf(list: readonly Sketch[]): ProxyState {
  const services: Service[] = list.map(({ number, local, affinity }) =>
    makeService(
      `svc${number}`,
      {
        type: 'LoadBalancer',
        clusterIP: `10.96.0.${number}`,
        externalIPs: [`198.51.100.${number}`],
        loadBalancerSourceRanges: ['203.0.113.0/24'],
        externalTrafficPolicy: local ? 'Local' : 'Cluster',
        sessionAffinity: affinity ? 'ClientIP' : 'None',
        ports: [{ port: 80, protocol: number === 5 ? 'SCTP' : number > 2 ? 'UDP' : 'TCP', nodePort: 30_000 + number }],
      },
      { status: { loadBalancer: { ingress: [{ ip: `192.0.2.${number}` }] } } },
    ),
  );
  const slices = list.map(({ number, endpoints }) =>
    makeSlice(
      `svc${number}`,
      endpoints.map((endpoint) => `10.244.0.${endpoint}`),
      { ports: [{ name: '', protocol: number === 5 ? 'SCTP' : number > 2 ? 'UDP' : 'TCP', port: 8080 }] },
    ),
  );
  return resolveObjects(
    { services, slices },
    { localTrafficDetection: { kind: 'source-cidr', cidr: '10.244.0.0/16' } },
  );
}
