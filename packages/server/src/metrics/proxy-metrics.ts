import {
  type AddressOverlap,
  type AddressOverlapKind,
  type ChangeSet,
  type Clock,
  type DriftRepair,
  formatServicePortName,
  type IPFamily,
  type ModeSelection,
  type ResolvedServicePort,
  type ServicePortChange,
  type ServicePortKey,
  type ServicePortName,
  type SyncFailure,
  type SyncSuccess,
  systemClock,
} from '@kube-proxier/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ConntrackCleaning } from '../conntrack/conntrack-cleaner.js';
import type { ServerObserver } from '../server-observer.js';
import { BackgroundReading } from './background-reading.js';

/** 1 ms doubled up to 16.384 s (spec H-60). */
const DURATION_BUCKETS = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const range = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const PROGRAMMING_BUCKETS = [0.25, 0.5, ...range(1, 59, 1), ...range(60, 115, 5), ...range(120, 300, 30)];

const OVERLAP_KINDS: readonly AddressOverlapKind[] = ['node-address', 'pod-network', 'service-network'];

/** Traffic of one service port, from a backend that proxies connections itself. */
export interface ServiceTrafficReport {
  /** `namespace/name:port`. */
  readonly name: string;
  readonly protocol: string;
  /** Currently open. */
  readonly active: number;
  /** Total so far, as all fields below. */
  readonly connections: number;
  readonly refused: number;
  readonly failedDials: number;
  readonly bytesToEndpoints: number;
  readonly bytesToClients: number;
}

/** Packet counters of rules; undefined if the kernel does not support them. */
export interface PacketCountsReport {
  /** Dropped packets in conntrack state INVALID. */
  readonly invalidDropped: number | undefined;
  /** Connections to NodePorts on 127.0.0.0/8. */
  readonly localhostNodePorts: number | undefined;
}

const PACKET_METRICS = [
  [
    'invalidDropped',
    'kubeproxy_iptables_ct_state_invalid_dropped_packets_total',
    'Packets dropped in conntrack state INVALID',
  ],
  [
    'localhostNodePorts',
    'kubeproxy_iptables_localhost_nodeports_accepted_packets_total',
    'Connections to NodePorts on loopback addresses',
  ],
] as const;

/** Connection counter of one service port. */
export interface ServiceConnectionsReport {
  readonly servicePort: ServicePortName;
  readonly family: IPFamily;
  /** Total so far. */
  readonly connections: number;
}

/** A part whose failure does not affect the data plane. */
export type FailingPart =
  | 'health server'
  | 'status server'
  | 'service health check'
  | 'observer'
  | 'handler'
  | 'address watch';

type TrafficPolicyLabel = 'internal' | 'external';

/** Options of {@link ProxyMetrics}. */
export interface ProxyMetricsOptions {
  /** Default: one of its own, with the process's own metrics. */
  readonly registry?: Registry;
  readonly clock?: Clock;
}

/**
 * kube-proxy's metrics, with its names, labels and buckets where the meaning is equal (spec H-60), and additional
 * metrics under `kube_proxier_`.
 */
export class ProxyMetrics implements ServerObserver {
  readonly registry: Registry;
  private readonly clock: Clock;
  private mode = '';
  /** At least one sync succeeded. */
  private begun = false;
  /** Families with a requested sync that has not succeeded yet. */
  private readonly due = new Set<IPFamily>();
  private packetCounts: BackgroundReading<PacketCountsReport> | undefined;
  /** Background readings of kernel counters, by kind. */
  private readonly readings = new Map<'packets' | 'connections', Pick<BackgroundReading<unknown>, 'age'>>();

  private readonly syncDuration;
  private readonly fullSyncDuration;
  private readonly partialSyncDuration;
  private readonly programmingDuration;
  private readonly lastTimestamp;
  private readonly lastQueuedTimestamp;
  private readonly serviceChangesTotal;
  private readonly serviceChangesPending;
  private readonly endpointChangesTotal;
  private readonly endpointChangesPending;
  private readonly noLocalEndpoints;
  private readonly rules;
  private readonly rulesWritten;
  private readonly restoreFailures;
  private readonly partialRestoreFailures;
  private readonly nftablesFailures;
  private readonly nftablesCleanupFailures;
  private readonly conntrackDuration;
  private readonly conntrackDeleted;
  private readonly healthz;
  private readonly livez;
  private readonly failures;
  private readonly staleFlows;
  private readonly driftRepairs;
  private readonly modeInfo;
  private readonly overlappingAddresses;
  private readonly overlaps = new Map<IPFamily, Map<ServicePortKey, readonly AddressOverlap[]>>();
  private readonly programmedServicePorts;
  /** Service ports without local endpoints, by family and policy. */
  private readonly withoutLocal = new Map<string, Set<string>>();

  constructor({ registry, clock = systemClock }: ProxyMetricsOptions = {}) {
    this.registry = registry ?? new Registry();
    this.clock = clock;
    const registers = [this.registry];
    if (!registry) {
      collectDefaultMetrics({ register: this.registry });
    }
    const histogram = <L extends string>(
      name: string,
      help: string,
      labelNames: readonly L[],
      buckets = DURATION_BUCKETS,
    ) => new Histogram({ name: `kubeproxy_${name}`, help, labelNames: [...labelNames], buckets, registers });
    const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name: `kubeproxy_${name}`, help, labelNames: [...labelNames], registers });
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter({ name: `kubeproxy_${name}`, help, labelNames: [...labelNames], registers });
    const family = ['ip_family'] as const;

    this.syncDuration = histogram('sync_proxy_rules_duration_seconds', 'Duration of syncs in seconds', family);
    this.fullSyncDuration = histogram(
      'sync_full_proxy_rules_duration_seconds',
      'Duration of full syncs in seconds',
      family,
    );
    this.partialSyncDuration = histogram(
      'sync_partial_proxy_rules_duration_seconds',
      'Duration of partial syncs in seconds',
      family,
    );
    this.programmingDuration = histogram(
      'network_programming_duration_seconds',
      'Seconds from an endpoint change to the programmed rules',
      family,
      PROGRAMMING_BUCKETS,
    );
    this.lastTimestamp = gauge('sync_proxy_rules_last_timestamp_seconds', 'Time of the last successful sync', family);
    this.lastQueuedTimestamp = gauge(
      'sync_proxy_rules_last_queued_timestamp_seconds',
      'Time when a sync was last queued',
      family,
    );
    this.serviceChangesTotal = counter('sync_proxy_rules_service_changes_total', 'Service events');
    this.serviceChangesPending = gauge('sync_proxy_rules_service_changes_pending', 'Pending Service events');
    this.endpointChangesTotal = counter('sync_proxy_rules_endpoint_changes_total', 'EndpointSlice events');
    this.endpointChangesPending = gauge('sync_proxy_rules_endpoint_changes_pending', 'Pending EndpointSlice events');
    this.noLocalEndpoints = gauge(
      'sync_proxy_rules_no_local_endpoints_total',
      'Service ports with a Local traffic policy and endpoints on other nodes only',
      ['traffic_policy', 'ip_family'],
    );
    this.rules = gauge('sync_proxy_rules_iptables_total', 'iptables rules owned by kube-proxier', [
      'table',
      'ip_family',
    ]);
    this.rulesWritten = gauge('sync_proxy_rules_iptables_last', 'iptables rules written by the last sync', [
      'table',
      'ip_family',
    ]);
    this.restoreFailures = counter(
      'sync_proxy_rules_iptables_restore_failures_total',
      'Syncs that failed in iptables-restore',
      family,
    );
    this.partialRestoreFailures = counter(
      'sync_proxy_rules_iptables_partial_restore_failures_total',
      'Partial syncs that failed in iptables-restore',
      family,
    );
    this.nftablesFailures = counter(
      'sync_proxy_rules_nftables_sync_failures_total',
      'Syncs that failed in nft',
      family,
    );
    this.nftablesCleanupFailures = counter(
      'sync_proxy_rules_nftables_cleanup_failures_total',
      'Syncs that could not remove all stale objects',
      family,
    );
    this.conntrackDuration = histogram(
      'conntrack_reconciler_sync_duration_seconds',
      'Duration of checks for stale conntrack entries in seconds',
      family,
    );
    this.conntrackDeleted = counter(
      'conntrack_reconciler_deleted_entries_total',
      'Deleted stale conntrack entries',
      family,
    );
    this.healthz = counter('proxy_healthz_total', 'Responses of /healthz', ['code']);
    this.livez = counter('proxy_livez_total', 'Responses of /livez', ['code']);
    this.failures = new Counter({
      name: 'kube_proxier_failures_total',
      help: 'Failures that do not affect the data plane, such as ports that could not be opened and failing observers',
      labelNames: ['part'],
      registers,
    });
    this.staleFlows = new Counter({
      name: 'kube_proxier_stale_flows_deleted_total',
      help: 'Deleted stale conntrack entries by reason',
      labelNames: ['ip_family', 'reason'],
      registers,
    });
    this.driftRepairs = new Counter({
      name: 'kube_proxier_drift_repairs_total',
      help: 'Number of times that drift was reconciled',
      labelNames: ['ip_family'],
      registers,
    });
    this.modeInfo = new Gauge({
      name: 'kube_proxier_proxy_mode_info',
      help: '1 for the mode in force, with the requested mode',
      labelNames: ['mode', 'requested'],
      registers,
    });
    this.overlappingAddresses = new Gauge({
      name: 'kube_proxier_overlapping_external_addresses',
      help: 'External and load balancer IPs of Services, by port, that are a node address or in the pod or Service network',
      labelNames: ['ip_family', 'overlaps'],
      registers,
    });
    this.programmedServicePorts = new Gauge({
      name: 'kube_proxier_service_ports',
      help: 'Number of programmed service ports',
      labelNames: ['ip_family'],
      registers,
    });
  }

  /** External addresses that also belong to something else in the cluster, by family and kind. */
  private countOverlaps(family: IPFamily, { previous, resolvedServicePorts }: ChangeSet): void {
    const before = previous === undefined ? undefined : this.overlaps.get(family);
    const known = before ?? new Map<ServicePortKey, readonly AddressOverlap[]>();
    this.overlaps.set(family, known);
    for (const [key, { current }] of resolvedServicePorts) {
      if (current !== undefined && current.overlaps.length > 0) {
        known.set(key, current.overlaps);
      } else {
        known.delete(key);
      }
    }
    const found = [...known.values()].flat();
    for (const overlaps of OVERLAP_KINDS) {
      const count = found.filter((overlap) => overlap.overlaps === overlaps).length;
      this.overlappingAddresses.set({ ip_family: family, overlaps }, count);
    }
  }

  modeSelected({ mode, requested }: ModeSelection): void {
    this.mode = mode;
    this.modeInfo.set({ mode, requested }, 1);
  }

  serviceEvent(): void {
    this.serviceChangesTotal.inc();
    this.changed(this.serviceChangesPending);
  }

  endpointsEvent(): void {
    this.endpointChangesTotal.inc();
    this.changed(this.endpointChangesPending);
  }

  /** An event that changes nothing visible requests no sync, so it is not pending (spec K-10, K-33). */
  private changed(pending: Gauge): void {
    if (!this.begun || this.due.size > 0) {
      pending.inc();
    }
  }

  queued(family: IPFamily): void {
    this.due.add(family);
    this.lastQueuedTimestamp.set({ ip_family: family }, this.clock.now() / 1000);
  }

  synced({ family, state, changes, full, duration, triggerTimes, report }: SyncSuccess): void {
    const labels = { ip_family: family };
    this.observeSync(family, full, duration);
    if (full) {
      // The first full sync creates the counters. A failed reading is repeated at the next one.
      void this.packetCounts?.refresh();
    }
    const now = this.clock.now();
    this.lastTimestamp.set(labels, now / 1000);
    for (const time of triggerTimes) {
      this.programmingDuration.observe(labels, Math.max(0, now - time) / 1000);
    }
    this.begun = true;
    this.due.delete(family);
    if (this.due.size === 0) {
      this.serviceChangesPending.set(0);
      this.endpointChangesPending.set(0);
    }
    this.programmedServicePorts.set(labels, state.servicePorts.size);
    this.countOverlaps(family, changes);
    for (const [table, { total, written }] of Object.entries(report?.rules ?? {})) {
      this.rules.set({ table, ...labels }, total);
      this.rulesWritten.set({ table, ...labels }, written);
    }
    if (report?.leftovers && this.mode === 'nftables') {
      this.nftablesCleanupFailures.inc(labels);
    }
    for (const policy of ['internal', 'external'] as const) {
      this.countWithoutLocal(family, policy, changes.previous === undefined, changes.servicePorts);
    }
  }

  failed({ family, full, duration }: SyncFailure): void {
    this.observeSync(family, full, duration);
    const labels = { ip_family: family };
    if (this.mode === 'iptables' || this.mode === 'ipvs') {
      this.restoreFailures.inc(labels);
      if (!full) {
        this.partialRestoreFailures.inc(labels);
      }
    } else if (this.mode === 'nftables') {
      this.nftablesFailures.inc(labels);
    }
  }

  repaired({ family }: DriftRepair): void {
    this.driftRepairs.inc({ ip_family: family });
  }

  /** Counts the failure of a part. */
  partFailed(part: FailingPart): void {
    this.failures.inc({ part });
  }

  /** Records one check for stale conntrack entries. */
  conntrackCleaned({ family, duration, deleted }: ConntrackCleaning): void {
    this.conntrackDuration.observe({ ip_family: family }, duration / 1000);
    let sum = 0;
    for (const [reason, count] of deleted) {
      this.staleFlows.inc({ ip_family: family, reason }, count);
      sum += count;
    }
    this.conntrackDeleted.inc({ ip_family: family }, sum);
  }

  /** Registers traffic metrics, which are collected at each scrape. Called once. */
  watchTraffic(traffic: () => readonly ServiceTrafficReport[]): void {
    const registers = [this.registry];
    const labelNames = ['service', 'protocol'];
    const labelsOf = ({ name, protocol }: ServiceTrafficReport) => ({ service: name, protocol });
    new Gauge({
      name: 'kube_proxier_userspace_active_connections',
      help: 'Open connections (UDP: sessions)',
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const report of traffic()) {
          this.inc(labelsOf(report), report.active);
        }
      },
    });
    const counter = (name: string, help: string, of: (report: ServiceTrafficReport) => number) =>
      new Counter({
        name: `kube_proxier_userspace_${name}`,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const report of traffic()) {
            this.inc(labelsOf(report), of(report));
          }
        },
      });
    counter('connections_total', 'Accepted connections (UDP: sessions)', (report) => report.connections);
    counter('refused_total', 'Refused connections (UDP: sessions)', (report) => report.refused);
    counter('failed_dials_total', 'Failed attempts to connect to an endpoint', (report) => report.failedDials);
    counter('to_endpoints_bytes_total', 'Payload bytes sent to endpoints', (report) => report.bytesToEndpoints);
    counter('to_clients_bytes_total', 'Payload bytes sent to clients', (report) => report.bytesToClients);
  }

  /**
   * Reads packet counters in the background (spec I-72), while metrics are scraped. A metric is created with its first
   * value: it is absent where the kernel has no such counter. Called once.
   */
  watchPacketCounts(counts: () => Promise<PacketCountsReport>): void {
    const counters = new Map<string, Counter>();
    const reading = this.readInBackground('packets', counts, (report) => {
      for (const [key, name, help] of PACKET_METRICS) {
        const count = report[key];
        if (count === undefined) {
          continue;
        }
        const counter =
          counters.get(name) ??
          new Counter({ name, help, registers: [this.registry], collect: () => void reading.latest() });
        counters.set(name, counter);
        counter.reset();
        counter.inc(count);
      }
    });
    this.packetCounts = reading;
  }

  /** Reads connection counters of service ports in the background, while metrics are scraped. Called once. */
  watchConnections(connections: () => Promise<readonly ServiceConnectionsReport[]>): void {
    const counter = new Counter({
      name: 'kube_proxier_service_connections_total',
      help: 'Connections to Services with a connection counter, including refused and dropped ones',
      labelNames: ['service', 'protocol', 'ip_family'],
      registers: [this.registry],
      collect: () => void reading.latest(),
    });
    const reading = this.readInBackground('connections', connections, (reports) => {
      counter.reset();
      for (const { servicePort, family, connections: count } of reports) {
        counter.inc(
          { service: formatServicePortName(servicePort), protocol: servicePort.protocol, ip_family: family },
          count,
        );
      }
    });
  }

  /** No scrape waits for the kernel or a tool; a gauge reports the age of the values. */
  private readInBackground<T>(
    what: 'packets' | 'connections',
    read: () => Promise<T>,
    onRead: (value: T) => void,
  ): BackgroundReading<T> {
    const { readings } = this;
    if (readings.size === 0) {
      new Gauge({
        name: 'kube_proxier_kernel_counters_age_seconds',
        help: 'Age in seconds of the kernel counters, which are read in the background while metrics are scraped',
        labelNames: ['counters'],
        registers: [this.registry],
        collect() {
          this.reset();
          for (const [counters, { age }] of readings) {
            if (age !== undefined) {
              this.set({ counters }, age / 1000);
            }
          }
        },
      });
    }
    const reading = new BackgroundReading(read, this.clock, onRead);
    readings.set(what, reading);
    return reading;
  }

  /** Counts one response of the health server. */
  healthAnswered(path: 'healthz' | 'livez', status: number): void {
    (path === 'healthz' ? this.healthz : this.livez).inc({ code: String(status) });
  }

  private observeSync(family: IPFamily, full: boolean, duration: number): void {
    const labels = { ip_family: family };
    this.syncDuration.observe(labels, duration / 1000);
    (full ? this.fullSyncDuration : this.partialSyncDuration).observe(labels, duration / 1000);
  }

  private countWithoutLocal(
    family: IPFamily,
    policy: TrafficPolicyLabel,
    anew: boolean,
    changes: ReadonlyMap<string, ServicePortChange>,
  ): void {
    const id = `${family} ${policy}`;
    const known = (anew ? undefined : this.withoutLocal.get(id)) ?? new Set<string>();
    this.withoutLocal.set(id, known);
    for (const [key, { current }] of changes) {
      if (current && lacksLocalEndpoints(current, policy)) {
        known.add(key);
      } else {
        known.delete(key);
      }
    }
    this.noLocalEndpoints.set({ traffic_policy: policy, ip_family: family }, known.size);
  }
}

/** Whether packets are dropped because all endpoints are on other nodes: the meaning of `drop` in a route. */
function lacksLocalEndpoints({ frontends }: ResolvedServicePort, policy: TrafficPolicyLabel): boolean {
  return frontends.some(
    ({ kind, routes }) =>
      (kind === 'ClusterIP') === (policy === 'internal') && routes.some(({ action }) => action === 'drop'),
  );
}
