import {
  type BackendMeasurement,
  type BackendMetric,
  formatServicePortName,
  type SyncMetrics,
} from '@kube-proxier/core';
import type { CountedConnections } from './dataplane.js';

const CONNECTIONS: BackendMetric = {
  type: 'counter',
  name: 'kube_proxier_service_connections_total',
  help: 'Connections to Services with a connection counter, including refused and dropped ones',
  labels: ['service', 'protocol', 'ip_family'],
  counts: 'connections',
};

/** Metrics of syncs, with the names of kube-proxy (spec H-60). */
export const SYNC_METRICS: SyncMetrics = {
  failed: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
    help: 'Syncs that failed in nft',
    labels: ['ip_family'],
  },
  leftovers: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total',
    help: 'Syncs that could not remove all stale objects',
    labels: ['ip_family'],
  },
};

/** Connections to the Services for which they are counted. */
export function connectionMeasurement(read: () => Promise<readonly CountedConnections[]>): BackendMeasurement {
  return {
    name: 'connections',
    source: 'kernel',
    metrics: [CONNECTIONS],
    read: async () =>
      (await read()).map(({ servicePort, family, connections }) => ({
        metric: CONNECTIONS.name,
        labels: { service: formatServicePortName(servicePort), protocol: servicePort.protocol, ip_family: family },
        value: connections,
      })),
  };
}
