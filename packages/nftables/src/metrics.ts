import {
  type CountingCapability,
  formatServicePortName,
  type ServiceCounts,
  type SyncMetrics,
} from '@kube-proxier/core';
import type { CountedConnections } from './dataplane.js';

/**
 * A counter of a service port sees the first packet of each connection only, so its packets are connections, refused and dropped
 * ones included. An endpoint is an element of a map that all Services share, and has no counter.
 */
export const COUNTING: CountingCapability = { servicePorts: ['connections'], endpoints: [] };

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

export function countsOf({ servicePort, family, connections }: CountedConnections): ServiceCounts {
  return { service: formatServicePortName(servicePort), protocol: servicePort.protocol, family, connections };
}
