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

/** What went through one service port of a backend that carries connections itself. */
export interface ServiceTrafficReport {
  /** `namespace/name:port`. */
  readonly name: string;
  readonly protocol: string;
  /** Open now. */
  readonly active: number;
  /** So far, as all that follows. */
  readonly connections: number;
  readonly refused: number;
  readonly failedDials: number;
  readonly bytesToEndpoints: number;
  readonly bytesToClients: number;
}

/** Packets that rules have counted; undefined where the kernel cannot. */
export interface PacketCountsReport {
  /** Packets that conntrack calls INVALID, which are dropped. */
  readonly invalidDropped: number | undefined;
  /** Connections to NodePorts on 127.0.0.0/8. */
  readonly localhostNodePorts: number | undefined;
}

const PACKET_METRICS = [
  [
    'invalidDropped',
    'kubeproxy_iptables_ct_state_invalid_dropped_packets_total',
    'Packets dropped because connection tracking calls them invalid',
  ],
  [
    'localhostNodePorts',
    'kubeproxy_iptables_localhost_nodeports_accepted_packets_total',
    'Connections to NodePorts on loopback addresses',
  ],
] as const;

/** Connections to one service port that a backend has counted. */
export interface ServiceConnectionsReport {
  readonly servicePort: ServicePortName;
  readonly family: IPFamily;
  /** So far. */
  readonly connections: number;
}

/** A part whose failure does not take the data plane with it. */
export type FailingPart =
  | 'health server'
  | 'status server'
  | 'service health check'
  | 'observer'
  | 'handler'
  | 'address watch';

type TrafficPolicyLabel = 'internal' | 'external';

/** Where {@link ProxyMetrics} are kept, and what else they report. */
export interface ProxyMetricsOptions {
  /** Default: one of its own, with the process's own metrics. */
  readonly registry?: Registry;
  readonly clock?: Clock;
}

/**
 * kube-proxy's metrics, by its names, labels and buckets where they mean the same (spec H-60), and our own under
 * `kube_proxier_` for what is new.
 */
export class ProxyMetrics implements ServerObserver {
  readonly registry: Registry;
  private readonly clock: Clock;
  private mode = '';
  /** Something was in force at least once. */
  private begun = false;
  /** Families for which a sync was asked that has not succeeded yet. */
  private readonly due = new Set<IPFamily>();
  private packetCounts: BackgroundReading<PacketCountsReport> | undefined;
  /** What is read from the kernel in the background, by what it is. */
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

    this.syncDuration = histogram('sync_proxy_rules_duration_seconds', 'Seconds that a sync took', family);
    this.fullSyncDuration = histogram(
      'sync_full_proxy_rules_duration_seconds',
      'Seconds that a sync took that compared everything',
      family,
    );
    this.partialSyncDuration = histogram(
      'sync_partial_proxy_rules_duration_seconds',
      'Seconds that a sync took that wrote only what changed',
      family,
    );
    this.programmingDuration = histogram(
      'network_programming_duration_seconds',
      'Seconds from the change of an endpoint to the rules for it',
      family,
      PROGRAMMING_BUCKETS,
    );
    this.lastTimestamp = gauge('sync_proxy_rules_last_timestamp_seconds', 'When a sync last succeeded', family);
    this.lastQueuedTimestamp = gauge(
      'sync_proxy_rules_last_queued_timestamp_seconds',
      'When a sync was last asked for',
      family,
    );
    this.serviceChangesTotal = counter('sync_proxy_rules_service_changes_total', 'Service events');
    this.serviceChangesPending = gauge('sync_proxy_rules_service_changes_pending', 'Service events not in force yet');
    this.endpointChangesTotal = counter('sync_proxy_rules_endpoint_changes_total', 'EndpointSlice events');
    this.endpointChangesPending = gauge(
      'sync_proxy_rules_endpoint_changes_pending',
      'EndpointSlice events not in force yet',
    );
    this.noLocalEndpoints = gauge(
      'sync_proxy_rules_no_local_endpoints_total',
      'Service ports with a Local traffic policy and endpoints on other nodes only',
      ['traffic_policy', 'ip_family'],
    );
    this.rules = gauge('sync_proxy_rules_iptables_total', 'Rules of ours that there are', ['table', 'ip_family']);
    this.rulesWritten = gauge('sync_proxy_rules_iptables_last', 'Rules that the last sync wrote', [
      'table',
      'ip_family',
    ]);
    this.restoreFailures = counter(
      'sync_proxy_rules_iptables_restore_failures_total',
      'Syncs that iptables-restore failed',
      family,
    );
    this.partialRestoreFailures = counter(
      'sync_proxy_rules_iptables_partial_restore_failures_total',
      'Syncs of changes only that iptables-restore failed',
      family,
    );
    this.nftablesFailures = counter('sync_proxy_rules_nftables_sync_failures_total', 'Syncs that nft failed', family);
    this.nftablesCleanupFailures = counter(
      'sync_proxy_rules_nftables_cleanup_failures_total',
      'Syncs that could not remove all that is not needed any more',
      family,
    );
    this.conntrackDuration = histogram(
      'conntrack_reconciler_sync_duration_seconds',
      'Seconds that looking for stale conntrack entries took',
      family,
    );
    this.conntrackDeleted = counter(
      'conntrack_reconciler_deleted_entries_total',
      'Conntrack entries that were deleted because they were stale',
      family,
    );
    this.healthz = counter('proxy_healthz_total', 'Answers of /healthz', ['code']);
    this.livez = counter('proxy_livez_total', 'Answers of /livez', ['code']);
    this.failures = new Counter({
      name: 'kube_proxier_failures_total',
      help: 'Failures of parts that the data plane does without: ports that could not be listened on, observers that threw',
      labelNames: ['part'],
      registers,
    });
    this.staleFlows = new Counter({
      name: 'kube_proxier_stale_flows_deleted_total',
      help: 'Conntrack entries that were deleted, by why they were stale',
      labelNames: ['ip_family', 'reason'],
      registers,
    });
    this.driftRepairs = new Counter({
      name: 'kube_proxier_drift_repairs_total',
      help: 'Times that what others had changed was put right',
      labelNames: ['ip_family'],
      registers,
    });
    this.modeInfo = new Gauge({
      name: 'kube_proxier_proxy_mode_info',
      help: '1 for the mode in force, with the mode that was asked for',
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
      help: 'Service ports that are in force',
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

  /** What changes nothing that is programmed asks for no sync, and so waits for none (spec K-10, K-33). */
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
      // The first look at everything makes the counters. What cannot be read now is, at the next one.
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

  /** A part failed, and the rest goes on. */
  partFailed(part: FailingPart): void {
    this.failures.inc({ part });
  }

  /** One look for stale conntrack entries. */
  conntrackCleaned({ family, duration, deleted }: ConntrackCleaning): void {
    this.conntrackDuration.observe({ ip_family: family }, duration / 1000);
    let sum = 0;
    for (const [reason, count] of deleted) {
      this.staleFlows.inc({ ip_family: family, reason }, count);
      sum += count;
    }
    this.conntrackDeleted.inc({ ip_family: family }, sum);
  }

  /** Asked for what went through each service port whenever metrics are. Called once. */
  watchTraffic(traffic: () => readonly ServiceTrafficReport[]): void {
    const registers = [this.registry];
    const labelNames = ['service', 'protocol'];
    const labelsOf = ({ name, protocol }: ServiceTrafficReport) => ({ service: name, protocol });
    new Gauge({
      name: 'kube_proxier_userspace_active_connections',
      help: 'Connections (UDP: sessions) that are open',
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
    counter('connections_total', 'Connections (UDP: sessions) that were taken on', (report) => report.connections);
    counter('refused_total', 'Connections (UDP: sessions) that were turned away', (report) => report.refused);
    counter('failed_dials_total', 'Attempts to reach an endpoint that failed', (report) => report.failedDials);
    counter('to_endpoints_bytes_total', 'Bytes of payload to endpoints', (report) => report.bytesToEndpoints);
    counter('to_clients_bytes_total', 'Bytes of payload to clients', (report) => report.bytesToClients);
  }

  /**
   * Asked in the background for what rules have counted (spec I-72), while metrics are scraped. A metric comes into being
   * with its first number: where the kernel cannot count it is absent. Called once.
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

  /** Asked in the background for connections to service ports, while metrics are scraped. Called once. */
  watchConnections(connections: () => Promise<readonly ServiceConnectionsReport[]>): void {
    const counter = new Counter({
      name: 'kube_proxier_service_connections_total',
      help: 'Connections to Services for which they are counted, of clients who were refused or dropped too',
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

  /** No scrape waits for the kernel or a tool; a gauge says how old is what was read. */
  private readInBackground<T>(
    what: 'packets' | 'connections',
    read: () => Promise<T>,
    onRead: (value: T) => void,
  ): BackgroundReading<T> {
    const { readings } = this;
    if (readings.size === 0) {
      new Gauge({
        name: 'kube_proxier_kernel_counters_age_seconds',
        help: 'Seconds since what the kernel has counted was last read; it is read while metrics are scraped',
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

  /** One answer of the health server. */
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

/** Packets are dropped for want of local endpoints, while there are others: that is what `drop` means in a route. */
function lacksLocalEndpoints({ frontends }: ResolvedServicePort, policy: TrafficPolicyLabel): boolean {
  return frontends.some(
    ({ kind, routes }) =>
      (kind === 'ClusterIP') === (policy === 'internal') && routes.some(({ action }) => action === 'drop'),
  );
}
