import type { SyncMetrics } from '@kube-proxier/core';

const FAMILY = ['ip_family'] as const;
const FAMILY_AND_TABLE = ['table', 'ip_family'] as const;

/** Metrics of syncs that write rules with iptables, with the names of kube-proxy (spec H-60). */
export const IPTABLES_SYNC_METRICS: SyncMetrics = {
  failed: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_iptables_restore_failures_total',
    help: 'Syncs that failed in iptables-restore',
    labels: FAMILY,
  },
  partialFailed: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total',
    help: 'Partial syncs that failed in iptables-restore',
    labels: FAMILY,
  },
  rules: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_iptables_total',
    help: 'iptables rules owned by kube-proxier',
    labels: FAMILY_AND_TABLE,
  },
  rulesWritten: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_iptables_last',
    help: 'iptables rules written by the last sync',
    labels: FAMILY_AND_TABLE,
  },
};
