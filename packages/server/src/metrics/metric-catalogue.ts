/** A metric before it is registered. */
export interface MetricDescriptor {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds; histograms only. */
  readonly buckets?: readonly number[];
}

/** 1 ms doubled up to 16.384 s (spec H-60). */
const DURATION_BUCKETS: readonly number[] = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const PROGRAMMING_BUCKETS: readonly number[] = [
  ...[0.25, 0.5],
  ...range(1, 59, 1),
  ...range(60, 115, 5),
  ...range(120, 300, 30),
];

function range(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

const FAMILY = ['ip_family'] as const;

/** The metrics of every proxy: kube-proxy's metrics with its names (spec H-60), and those of this project. */
export const PROXY_METRICS = {
  syncDuration: {
    type: 'histogram',
    name: 'kubeproxy_sync_proxy_rules_duration_seconds',
    help: 'Duration of syncs in seconds',
    labels: FAMILY,
    buckets: DURATION_BUCKETS,
  },
  fullSyncDuration: {
    type: 'histogram',
    name: 'kubeproxy_sync_full_proxy_rules_duration_seconds',
    help: 'Duration of full syncs in seconds',
    labels: FAMILY,
    buckets: DURATION_BUCKETS,
  },
  partialSyncDuration: {
    type: 'histogram',
    name: 'kubeproxy_sync_partial_proxy_rules_duration_seconds',
    help: 'Duration of partial syncs in seconds',
    labels: FAMILY,
    buckets: DURATION_BUCKETS,
  },
  programmingDuration: {
    type: 'histogram',
    name: 'kubeproxy_network_programming_duration_seconds',
    help: 'Seconds from an endpoint change to the programmed rules',
    labels: FAMILY,
    buckets: PROGRAMMING_BUCKETS,
  },
  lastTimestamp: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
    help: 'Time of the last successful sync',
    labels: FAMILY,
  },
  lastQueuedTimestamp: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds',
    help: 'Time when a sync was last queued',
    labels: FAMILY,
  },
  serviceChangesTotal: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_service_changes_total',
    help: 'Service events',
    labels: [],
  },
  serviceChangesPending: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_service_changes_pending',
    help: 'Pending Service events',
    labels: [],
  },
  endpointChangesTotal: {
    type: 'counter',
    name: 'kubeproxy_sync_proxy_rules_endpoint_changes_total',
    help: 'EndpointSlice events',
    labels: [],
  },
  endpointChangesPending: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_endpoint_changes_pending',
    help: 'Pending EndpointSlice events',
    labels: [],
  },
  noLocalEndpoints: {
    type: 'gauge',
    name: 'kubeproxy_sync_proxy_rules_no_local_endpoints_total',
    help: 'Service ports with a Local traffic policy and endpoints on other nodes only',
    labels: ['traffic_policy', 'ip_family'],
  },
  conntrackDuration: {
    type: 'histogram',
    name: 'kubeproxy_conntrack_reconciler_sync_duration_seconds',
    help: 'Duration of checks for stale conntrack entries in seconds',
    labels: FAMILY,
    buckets: DURATION_BUCKETS,
  },
  conntrackDeleted: {
    type: 'counter',
    name: 'kubeproxy_conntrack_reconciler_deleted_entries_total',
    help: 'Deleted stale conntrack entries',
    labels: FAMILY,
  },
  healthz: {
    type: 'counter',
    name: 'kubeproxy_proxy_healthz_total',
    help: 'Responses of /healthz',
    labels: ['code'],
  },
  livez: {
    type: 'counter',
    name: 'kubeproxy_proxy_livez_total',
    help: 'Responses of /livez',
    labels: ['code'],
  },
  failures: {
    type: 'counter',
    name: 'kube_proxier_failures_total',
    help: 'Failures that do not affect the data plane, such as ports that could not be opened and failing observers',
    labels: ['part'],
  },
  staleFlows: {
    type: 'counter',
    name: 'kube_proxier_stale_flows_deleted_total',
    help: 'Deleted stale conntrack entries by reason',
    labels: ['ip_family', 'reason'],
  },
  connectionsReset: {
    type: 'counter',
    name: 'kube_proxier_connections_reset_total',
    help: 'TCP connections that were reset by reason',
    labels: ['ip_family', 'reason'],
  },
  driftRepairs: {
    type: 'counter',
    name: 'kube_proxier_drift_repairs_total',
    help: 'Number of times that drift was reconciled',
    labels: FAMILY,
  },
  modeInfo: {
    type: 'gauge',
    name: 'kube_proxier_proxy_mode_info',
    help: '1 for the mode in force, with the requested mode',
    labels: ['mode', 'requested'],
  },
  overlappingAddresses: {
    type: 'gauge',
    name: 'kube_proxier_overlapping_external_addresses',
    help: 'External and load balancer IPs of Services, by port, that are a node address or in the pod or Service network',
    labels: ['ip_family', 'overlaps'],
  },
  verifiedClasses: {
    type: 'gauge',
    name: 'kube_proxier_verification_packet_classes',
    help: 'Classes of packets in the last verification, by result: verified, network-policy (stopped by one), different, unknown',
    labels: ['ip_family', 'result'],
  },
  verificationFindings: {
    type: 'gauge',
    name: 'kube_proxier_verification_findings',
    help: 'Findings of the last verification, by result: different, unknown',
    labels: ['ip_family', 'result'],
  },
  verificationTimestamp: {
    type: 'gauge',
    name: 'kube_proxier_verification_last_timestamp_seconds',
    help: 'Time of the last verification',
    labels: [],
  },
  verificationDuration: {
    type: 'gauge',
    name: 'kube_proxier_verification_last_duration_seconds',
    help: 'Duration of the last verification in seconds',
    labels: [],
  },
  probeSuccess: {
    type: 'gauge',
    name: 'kube_proxier_probe_success',
    help: '1 when the last probe of the data plane succeeded, 0 when it failed; absent while it is unknown',
    labels: FAMILY,
  },
  probes: {
    type: 'counter',
    name: 'kube_proxier_probes_total',
    help: 'Probes of the data plane by result',
    labels: ['ip_family', 'result'],
  },
  probeDuration: {
    type: 'histogram',
    name: 'kube_proxier_probe_duration_seconds',
    help: 'Duration of successful probes of the data plane in seconds',
    labels: FAMILY,
    buckets: DURATION_BUCKETS,
  },
  servicePorts: {
    type: 'gauge',
    name: 'kube_proxier_service_ports',
    help: 'Number of programmed service ports',
    labels: FAMILY,
  },
} as const satisfies Readonly<Record<string, MetricDescriptor>>;

/** The digest of the state in force, computed at each scrape. */
export const STATE_DIGEST = {
  type: 'gauge',
  name: 'kube_proxier_state_digest',
  help: 'A number that is equal on nodes with the same Services and endpoints in force',
  labels: FAMILY,
} as const satisfies MetricDescriptor;

/** The age of kernel counters. */
export const KERNEL_COUNTERS_AGE = {
  type: 'gauge',
  name: 'kube_proxier_kernel_counters_age_seconds',
  help: 'Age in seconds of the kernel counters, which are read in the background while metrics are scraped',
  labels: ['counters'],
} as const satisfies MetricDescriptor;

/** Metrics of health checks, if enabled. */
export const HEALTH_CHECK_METRICS = {
  checks: {
    type: 'counter',
    name: 'kube_proxier_health_checks_total',
    help: 'Health checks of endpoints by result; an error says nothing about the endpoint',
    labels: ['kind', 'result'],
  },
  duration: {
    type: 'histogram',
    name: 'kube_proxier_health_check_duration_seconds',
    help: 'Duration of health checks in seconds; of TCP, precise to 20 ms',
    labels: ['kind'],
    buckets: DURATION_BUCKETS,
  },
  endpoints: {
    type: 'gauge',
    name: 'kube_proxier_health_check_endpoints',
    help: 'Checked addresses and ports by verdict',
    labels: ['verdict'],
  },
  waiting: {
    type: 'gauge',
    name: 'kube_proxier_health_checks_waiting',
    help: 'Health checks that are due and wait because too many others run',
    labels: [],
  },
  invalidServices: {
    type: 'gauge',
    name: 'kube_proxier_health_check_invalid_services',
    help: 'Services whose annotations for health checks are invalid',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDescriptor>>;

/** Metrics of every mode. Those of a mode are in its backend. */
export const METRIC_CATALOGUE: readonly MetricDescriptor[] = [
  ...Object.values(PROXY_METRICS),
  ...Object.values(HEALTH_CHECK_METRICS),
  STATE_DIGEST,
  KERNEL_COUNTERS_AGE,
];
