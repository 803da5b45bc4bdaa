import type { CountingCapability, SyncMetrics } from '@kube-proxier/core';

/**
 * A counter of a service port counts only the first packet of each connection, so its packets are connections,
 * including refused and dropped ones. A counter of an endpoint counts connections that reach it.
 */
export const COUNTING: CountingCapability = {
  servicePorts: ['connections', 'packets', 'bytes'],
  endpoints: ['connections', 'packets', 'bytes'],
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
