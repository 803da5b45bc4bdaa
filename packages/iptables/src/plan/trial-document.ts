import {
  DEFAULT_PROXIER_OPTIONS,
  diffStates,
  type EndpointSlice,
  type IPFamily,
  ObjectReader,
  ProxyStateResolver,
  type Service,
} from '@kube-proxier/core';
import type { IptablesDocument } from '@kube-proxier/linux';
import type { HostFacts } from './installed-iptables.js';
import { IptablesPlanner } from './iptables-planner.js';
import { documentOf } from './iptables-transaction.js';

/** Addresses for documentation (RFC 5737, RFC 3849): no packet has them. */
const ADDRESSES = {
  IPv4: {
    pods: '192.0.2.0/24',
    clients: '203.0.113.0/24',
    frontend: (host: number) => `198.51.100.${host}`,
    endpoint: (host: number) => `192.0.2.${host}`,
  },
  IPv6: {
    pods: '2001:db8:1::/64',
    clients: '2001:db8:3::/64',
    frontend: (host: number) => `2001:db8:2::${host}`,
    endpoint: (host: number) => `2001:db8:1::${host}`,
  },
} as const;

/**
 * Plans a small cluster that has every kind of rule, for a table that has none: a kernel that accepts the document has
 * the matches and targets that this backend uses. SCTP is excluded: a kernel without it refuses only Services that use
 * it. Pure.
 */
export function trialDocument(family: IPFamily, facts: Pick<HostFacts, 'randomFully'>): IptablesDocument<string> {
  const { frontend, pods } = ADDRESSES[family];
  const resolver = new ProxyStateResolver({
    family,
    options: {
      ...DEFAULT_PROXIER_OPTIONS,
      nodeName: 'trial-node',
      localTrafficDetection: { kind: 'cluster-cidr', cidrs: [pods] },
    },
    reader: new ObjectReader(),
    since: 0,
  });
  resolver.updateService(undefined, loadBalancer(family));
  resolver.updateEndpointSlice(undefined, endpointsOf(family));
  // Without endpoints: refused.
  resolver.updateService(undefined, {
    metadata: { name: 'without-endpoints', namespace: 'trial' },
    spec: { clusterIP: frontend(9), ports: [{ port: 53, protocol: 'UDP', nodePort: 30_002 }], type: 'NodePort' },
  });
  const { state } = resolver.applyPending();
  const transaction = new IptablesPlanner(DEFAULT_PROXIER_OPTIONS.masqueradeBit).plan(
    state,
    diffStates(undefined, state),
    {
      filter: new Map(),
      nat: new Map(),
      routeLocalnet: false,
      facts: { ...facts, dropInvalid: true, counters: new Set() },
    },
  );
  return transaction === undefined ? new Map() : documentOf(transaction);
}

/** On every kind of frontend, for some clients only, with session affinity and both kinds of external traffic. */
function loadBalancer(family: IPFamily): Service {
  const { clients, frontend } = ADDRESSES[family];
  return {
    metadata: { name: 'load-balancer', namespace: 'trial' },
    spec: {
      type: 'LoadBalancer',
      clusterIP: frontend(1),
      externalIPs: [frontend(2)],
      ports: [
        { name: 'tcp', port: 80, protocol: 'TCP', nodePort: 30_001 },
        { name: 'udp', port: 80, protocol: 'UDP', nodePort: 30_001 },
      ],
      sessionAffinity: 'ClientIP',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_003,
      loadBalancerSourceRanges: [clients],
    },
    status: { loadBalancer: { ingress: [{ ip: frontend(3) }] } },
  };
}

function endpointsOf(family: IPFamily): EndpointSlice {
  const { endpoint } = ADDRESSES[family];
  return {
    metadata: {
      name: 'load-balancer-1',
      namespace: 'trial',
      labels: { 'kubernetes.io/service-name': 'load-balancer' },
    },
    addressType: family,
    ports: [
      { name: 'tcp', port: 8080, protocol: 'TCP' },
      { name: 'udp', port: 8080, protocol: 'UDP' },
    ],
    endpoints: [
      { addresses: [endpoint(1)], nodeName: 'trial-node' },
      { addresses: [endpoint(2)], nodeName: 'other-node' },
    ],
  };
}
