import {
  type AddressOverlapKind,
  type Clock,
  type DriftRepair,
  digestNumber,
  EventLoopPace,
  finishWithPauses,
  type IPFamily,
  type ModeSelection,
  type ResolvedServicePort,
  type Slices,
  type SyncFailure,
  type SyncSuccess,
  stateDigestInSlices,
  systemClock,
  type TrafficCounts,
} from '@kube-proxier/core';
import { collectDefaultMetrics, type Gauge, Registry } from 'prom-client';
import type { ConnectionResets } from '../conntrack/connection-resetter.js';
import type { ConntrackCleaning } from '../conntrack/conntrack-cleaner.js';
import type { ProbeResult } from '../probe/family-probe.js';
import type { ServerObserver } from '../server-observer.js';
import type { NodeVerification } from '../verification/verify-node.js';
import { BackendMetrics } from './backend-metrics.js';
import { PROXY_METRICS, STATE_DIGEST } from './metric-catalogue.js';
import { type MetricsOf, registerMetric, registerMetrics } from './register-metrics.js';
import { ServicePortTally } from './service-port-tally.js';

const OVERLAP_KINDS: readonly AddressOverlapKind[] = ['node-address', 'pod-network', 'service-network'];

/** A part whose failure does not affect the data plane. */
export type FailingPart =
  | 'health server'
  | 'status server'
  | 'metrics server'
  | 'service health check'
  | 'observer'
  | 'handler'
  | 'address watch'
  | 'recording';

/** Options of {@link ProxyMetrics}. */
export interface ProxyMetricsOptions {
  /** Default: a new one, with the metrics of the process. */
  readonly registry?: Registry;
  readonly clock?: Clock;
  /** Maximum series of each counter of Services; the rest is summed. Default 100. */
  readonly counterSeries?: number;
}

/**
 * kube-proxy's metrics, with its names, labels and buckets where the meaning is equal (spec H-60), and additional
 * metrics under `kube_proxier_`.
 */
export class ProxyMetrics implements ServerObserver {
  readonly registry: Registry;
  readonly #clock: Clock;
  readonly #counterSeries: number | undefined;
  readonly #metrics: MetricsOf<typeof PROXY_METRICS>;
  #backendMetrics: BackendMetrics | undefined;
  /** At least one sync succeeded. */
  #begun = false;
  /** States in force. */
  readonly #states = new Map<IPFamily, SyncSuccess['state']>();
  /** Families with a requested sync that has not succeeded yet. */
  readonly #due = new Set<IPFamily>();
  /** External addresses that also belong to something else in the cluster. */
  readonly #overlaps = new ServicePortTally(({ overlaps }: ResolvedServicePort) =>
    overlaps.length > 0 ? overlaps : undefined,
  );
  /** Service ports without local endpoints, by traffic policy. */
  readonly #withoutLocal = {
    internal: new ServicePortTally(lacksLocalEndpoints('internal')),
    external: new ServicePortTally(lacksLocalEndpoints('external')),
  };

  constructor({ registry, clock = systemClock, counterSeries }: ProxyMetricsOptions = {}) {
    this.#counterSeries = counterSeries;
    this.registry = registry ?? new Registry();
    this.#clock = clock;
    if (!registry) {
      collectDefaultMetrics({ register: this.registry });
    }
    this.#metrics = registerMetrics(this.registry, PROXY_METRICS);
    registerMetric(this.registry, STATE_DIGEST, async (metric) => {
      for (const [family, state] of this.#states) {
        const digest = await finishWithPauses(stateDigestInSlices(state), new EventLoopPace(clock));
        metric.set({ ip_family: family }, digestNumber(digest));
      }
    });
  }

  modeSelected({ mode, requested, backend }: Pick<ModeSelection, 'mode' | 'requested' | 'backend'>): void {
    this.#backendMetrics = new BackendMetrics(this.registry, this.#clock, backend, this.#counterSeries);
    this.#metrics.modeInfo.set({ mode, requested }, 1);
  }

  serviceEvent(): void {
    this.#metrics.serviceChangesTotal.inc();
    this.#changed(this.#metrics.serviceChangesPending);
  }

  endpointsEvent(): void {
    this.#metrics.endpointChangesTotal.inc();
    this.#changed(this.#metrics.endpointChangesPending);
  }

  queued(family: IPFamily): void {
    this.#due.add(family);
    this.#metrics.lastQueuedTimestamp.set({ ip_family: family }, this.#clock.now() / 1000);
  }

  synced(success: SyncSuccess): void | Promise<void> {
    return finishWithPauses(this.#syncedInSlices(success), new EventLoopPace(this.#clock));
  }

  *#syncedInSlices({ family, state, changes, full, duration, triggerTimes, report }: SyncSuccess): Slices<void> {
    const metrics = this.#metrics;
    const labels = { ip_family: family };
    this.#observeSync(family, full, duration);
    if (full) {
      // The first full sync creates the counters. A failed read is repeated at the next one.
      this.#backendMetrics?.refresh();
    }
    const now = this.#clock.now();
    metrics.lastTimestamp.set(labels, now / 1000);
    for (const time of triggerTimes) {
      yield;
      metrics.programmingDuration.observe(labels, Math.max(0, now - time) / 1000);
    }
    this.#begun = true;
    this.#states.set(family, state);
    this.#due.delete(family);
    if (this.#due.size === 0) {
      metrics.serviceChangesPending.set(0);
      metrics.endpointChangesPending.set(0);
    }
    metrics.servicePorts.set(labels, state.servicePorts.size);
    this.#backendMetrics?.synced(family, report);
    const isAnew = changes.previous === undefined;
    const overlapping = yield* this.#overlaps.updateInSlices(family, changes.resolvedServicePorts, isAnew);
    const overlaps = [...overlapping.values()].flat();
    for (const kind of OVERLAP_KINDS) {
      const count = overlaps.filter((overlap) => overlap.overlaps === kind).length;
      metrics.overlappingAddresses.set({ overlaps: kind, ...labels }, count);
    }
    for (const policy of ['internal', 'external'] as const) {
      const { size } = yield* this.#withoutLocal[policy].updateInSlices(family, changes.servicePorts, isAnew);
      metrics.noLocalEndpoints.set({ traffic_policy: policy, ...labels }, size);
    }
  }

  failed({ family, full, duration }: SyncFailure): void {
    this.#observeSync(family, full, duration);
    this.#backendMetrics?.failed(family, full);
  }

  repaired({ family }: DriftRepair): void {
    this.#metrics.driftRepairs.inc({ ip_family: family });
  }

  /** Counts the failure of a part. */
  partFailed(part: FailingPart): void {
    this.#metrics.failures.inc({ part });
  }

  /** Records one check for stale conntrack entries. */
  conntrackCleaned({ family, duration, deleted }: ConntrackCleaning): void {
    this.#metrics.conntrackDuration.observe({ ip_family: family }, duration / 1000);
    let sum = 0;
    for (const [reason, count] of deleted) {
      this.#metrics.staleFlows.inc({ ip_family: family, reason }, count);
      sum += count;
    }
    this.#metrics.conntrackDeleted.inc({ ip_family: family }, sum);
  }

  /** Records connections that were reset. */
  connectionsReset({ family, reason, count }: ConnectionResets): void {
    this.#metrics.connectionsReset.inc({ ip_family: family, reason }, count);
  }

  /** Records the result of one verification. */
  verified({ families, seconds }: Pick<NodeVerification, 'families' | 'seconds'>): void {
    const { verifiedClasses, verificationFindings, verificationTimestamp, verificationDuration } = this.#metrics;
    for (const { family, classes, different, unknown, findings, moreFindings, networkPolicies } of families) {
      const labels = { ip_family: family };
      const stopped = networkPolicies?.classes ?? 0;
      verifiedClasses.set({ ...labels, result: 'verified' }, classes - different - unknown - stopped);
      verifiedClasses.set({ ...labels, result: 'network-policy' }, stopped);
      verifiedClasses.set({ ...labels, result: 'different' }, different);
      verifiedClasses.set({ ...labels, result: 'unknown' }, unknown);
      const unknownFindings = findings.filter(({ result }) => result === 'unknown').length;
      verificationFindings.set({ ...labels, result: 'unknown' }, unknownFindings);
      verificationFindings.set({ ...labels, result: 'different' }, findings.length - unknownFindings + moreFindings);
    }
    verificationTimestamp.set(this.#clock.now() / 1000);
    verificationDuration.set(seconds);
  }

  /** Records one probe of the data plane. */
  probed(family: IPFamily, { verdict, milliseconds }: ProbeResult): void {
    const { probeSuccess, probes, probeDuration } = this.#metrics;
    const labels = { ip_family: family };
    if (verdict === 'unknown') {
      probeSuccess.remove(labels);
      return;
    }
    probeSuccess.set(labels, verdict === 'ok' ? 1 : 0);
    probes.inc({ ...labels, result: verdict });
    if (milliseconds !== undefined) {
      probeDuration.observe(labels, milliseconds / 1000);
    }
  }

  /** Whether newer {@link counts} are being read from the kernel. */
  get isReadingCounts(): boolean {
    return this.#backendMetrics?.isReadingCounts ?? false;
  }

  /** The counts of service ports and endpoints in the mode in force; undefined before a mode is selected. */
  counts(): TrafficCounts | undefined {
    return this.#backendMetrics?.counts();
  }

  /** Counted failures of parts, by part. */
  async failuresByPart(): Promise<Readonly<Record<string, number>>> {
    const { values } = await this.#metrics.failures.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.part), value]));
  }

  /** Number of stale conntrack entries that were deleted. */
  async staleFlowsDeleted(): Promise<number> {
    const { values } = await this.#metrics.conntrackDeleted.get();
    return values.reduce((sum, { value }) => sum + value, 0);
  }

  /** Counts one response of the health server. */
  healthAnswered(path: 'healthz' | 'livez', status: number): void {
    this.#metrics[path].inc({ code: String(status) });
  }

  /** An event that changes nothing visible requests no sync, so it is not pending (spec K-10, K-33). */
  #changed(pending: Gauge): void {
    if (!this.#begun || this.#due.size > 0) {
      pending.inc();
    }
  }

  #observeSync(family: IPFamily, full: boolean, duration: number): void {
    const { syncDuration, fullSyncDuration, partialSyncDuration } = this.#metrics;
    const labels = { ip_family: family };
    syncDuration.observe(labels, duration / 1000);
    (full ? fullSyncDuration : partialSyncDuration).observe(labels, duration / 1000);
  }
}

/** Whether packets are dropped because all endpoints are on other nodes: the meaning of `drop` in a route. */
function lacksLocalEndpoints(policy: 'internal' | 'external') {
  return ({ frontends }: ResolvedServicePort): true | undefined =>
    frontends.some(
      ({ kind, routes }) =>
        (kind === 'ClusterIP') === (policy === 'internal') && routes.some(({ action }) => action === 'drop'),
    ) || undefined;
}
