import {
  type Clock,
  type DriftRepair,
  EventLoopPace,
  finishWithPauses,
  type IPFamily,
  listNodePortAddresses,
  type ModeSelection,
  messageOf,
  type ProxyState,
  type Slices,
  type Source,
  type SyncFailure,
  type SyncSuccess,
  stateDigest,
  stateDigestInSlices,
} from '@kube-proxier/core';
import type { Readiness } from '../health/readiness.js';
import type { ProxyMetrics } from '../metrics/proxy-metrics.js';
import type { ProbeStatuses } from '../probe/probe-options.js';
import type { ServerObserver } from '../server-observer.js';
import type { BackgroundVerification } from '../verification/background-verification.js';
import type { NodeVerification } from '../verification/verify-node.js';
import { VERSION } from '../version.js';
import { countObjects, countObjectsInSlices, type ObjectCounts, sumOfEndpoints } from './count-objects.js';
import { type KeptTime, keepTime, presentTime } from './kept-time.js';
import {
  type FamilyStatus,
  findProblems,
  type HealthCheckStatus,
  type NodeStatus,
  type SourceStatus,
  type VerificationStatus,
  verdictOf,
} from './node-status.js';

export interface NodeStatusReportOptions {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly sources: readonly Source[];
  /** Results of probes of the data plane. Default: it is not probed. */
  readonly probe?: () => ProbeStatuses;
  /** See `NodeStatus.leftovers`. Default: not reported. */
  readonly leftovers?: () => string | undefined;
  /** Why `/healthz` answers 503 although the proxy is healthy. Default: it does not. */
  readonly ineligible?: () => string | undefined;
  /** Why servers of this process do not listen. Default: all listen. */
  readonly listenerObstacles?: () => readonly string[];
  /** Which ports are not open for lack of descriptors. Default: all are open. */
  readonly descriptorShortage?: () => string | undefined;
  /** Why the recording is not on disk. Default: it is, or need not be. */
  readonly recordingObstacle?: () => string | undefined;
  /** Which memory limit is almost reached, and the remedy. Default: none is. */
  readonly memoryShortage?: () => string | undefined;
  /** Problems of a configuration that is not in force. Default: none. */
  readonly configurationProblems?: () => readonly string[];
  /** Default: no health checks. */
  readonly healthChecks?: () => HealthCheckStatus;
  /** Default: failures by part and stale flows are not reported. */
  readonly metrics?: ProxyMetrics;
  /** Milliseconds that a change may be pending. */
  readonly maxPending: number;
  readonly verification?: Pick<BackgroundVerification, 'report'>;
}

interface FamilyRecord {
  state: ProxyState | undefined;
  lastSync: KeptTime | undefined;
  lastFullSync: KeptTime | undefined;
  duration: number | undefined;
  failures: number;
  lastError: string | undefined;
  /** By the monotonic clock. */
  pendingSince: number | undefined;
}

const NOT_COUNTED = countObjects([]);
const KINDS = ['Services', 'EndpointSlices', 'ServiceCIDRs'] as const;

/** Collects the data of `/debug/status`. */
export class NodeStatusReport implements ServerObserver {
  readonly #families = new Map<IPFamily, FamilyRecord>();
  /** Why the companion of the backend is not up to date. */
  readonly #companions = new Map<IPFamily, string>();
  /** Of the states in force, computed on demand; nothing after a sync, so that no former state is retained. */
  #counts: ObjectCounts = NOT_COUNTED;
  readonly #startTime: KeptTime;
  #selection: Partial<Pick<ModeSelection, 'mode' | 'requested' | 'reason' | 'defaulted'>> = {};
  #lastObjectChange: KeptTime | undefined;
  #driftRepairs = 0;
  #lastDrift: { readonly at: KeptTime; readonly what: string } | undefined;

  constructor(private readonly options: NodeStatusReportOptions) {
    this.#startTime = keepTime(options.clock);
  }

  modeSelected({ mode, requested, reason, defaulted }: ModeSelection): void {
    this.#selection = { mode, requested, defaulted, ...(reason === undefined ? {} : { reason }) };
  }

  started(family: IPFamily): void {
    this.#record(family);
  }

  queued(family: IPFamily): void {
    this.#record(family).pendingSince ??= this.options.clock.monotonic();
  }

  synced({ family, state, full, duration }: Pick<SyncSuccess, 'family' | 'state' | 'full' | 'duration'>): void {
    const now = keepTime(this.options.clock);
    this.#counts = NOT_COUNTED;
    this.#families.set(family, {
      state,
      lastSync: now,
      lastFullSync: full ? now : this.#record(family).lastFullSync,
      duration,
      failures: 0,
      lastError: undefined,
      pendingSince: undefined,
    });
  }

  failed({ family, error, failures }: Pick<SyncFailure, 'family' | 'error' | 'failures'>): void {
    Object.assign(this.#record(family), { failures, lastError: messageOf(error) });
  }

  repaired({ what }: Pick<DriftRepair, 'what'>): void {
    this.#driftRepairs += 1;
    this.#lastDrift = { at: keepTime(this.options.clock), what };
  }

  companion(family: IPFamily, error: unknown): void {
    if (error === undefined) {
      this.#companions.delete(family);
    } else {
      this.#companions.set(family, messageOf(error));
    }
  }

  serviceEvent(): void {
    this.#lastObjectChange = keepTime(this.options.clock);
  }

  endpointsEvent(): void {
    this.#lastObjectChange = keepTime(this.options.clock);
  }

  /** The current status. Costs as much as the number of service ports; runs no process. */
  async status(): Promise<NodeStatus> {
    await finishWithPauses(this.#countInSlices(this.#states()), new EventLoopPace(this.options.clock));
    // A sync may have ended in a pause.
    this.#countOnce(this.#states());
    const { nodeName, readiness, metrics, maxPending } = this.options;
    const { mode = '', requested = '', reason, defaulted } = this.#selection;
    const families = Object.fromEntries(
      [...this.#families].map(([family, record]) => [family, this.#describe(record)]),
    );
    const sources = this.options.sources.map(describeSource);
    const verification = this.#verificationStatus();
    const probe = this.options.probe?.() ?? null;
    const problems = findProblems({
      ...{ notReady: readiness.reason(), families, sources, verification, probe, maxPending },
      companions: [...this.#companions].map(([family, error]) => `${family} beside the rules: ${error}`),
      ineligible: this.options.ineligible?.(),
      listenerObstacles: this.options.listenerObstacles?.() ?? [],
      descriptorShortage: this.options.descriptorShortage?.(),
      recordingObstacle: this.options.recordingObstacle?.(),
      memoryShortage: this.options.memoryShortage?.(),
      configurationProblems: this.options.configurationProblems?.() ?? [],
    });
    const { rss, heapUsed } = process.memoryUsage();
    return {
      apiVersion: 'kube-proxier.io/v1alpha1',
      kind: 'NodeStatus',
      verdict: verdictOf(problems),
      problems,
      nodeName,
      version: VERSION,
      pid: process.pid,
      startTime: this.#isoTime(this.#startTime),
      mode,
      requestedMode: requested,
      modeReason: reason ?? (defaulted ? 'no mode is requested, and this is the default' : null),
      families,
      services: this.#counts.services,
      endpoints: sumOfEndpoints(this.#counts),
      sources,
      lastObjectChange: this.#lastObjectChange === undefined ? null : this.#isoTime(this.#lastObjectChange),
      driftRepairs: this.#driftRepairs,
      lastDrift: this.#lastDrift ? { time: this.#isoTime(this.#lastDrift.at), what: this.#lastDrift.what } : null,
      verification,
      leftovers: this.options.leftovers?.() ?? null,
      probe,
      healthChecks: this.options.healthChecks?.() ?? null,
      staleFlowsDeleted: (await metrics?.staleFlowsDeleted()) ?? 0,
      failures: (await metrics?.failuresByPart()) ?? {},
      memory: { residentBytes: rss, heapBytes: heapUsed },
    };
  }

  #states(): readonly ProxyState[] {
    return [...this.#families.values()].flatMap(({ state }) => state ?? []);
  }

  /** Precomputes the expensive parts for large states. */
  *#countInSlices(states: readonly ProxyState[]): Slices<void> {
    for (const state of states) {
      yield* stateDigestInSlices(state);
    }
    if (!this.#areCounted(states)) {
      this.#counts = yield* countObjectsInSlices(states);
    }
  }

  #countOnce(states: readonly ProxyState[]): void {
    if (!this.#areCounted(states)) {
      this.#counts = countObjects(states);
    }
  }

  #areCounted(states: readonly ProxyState[]): boolean {
    const { endpoints } = this.#counts;
    return endpoints.size === states.length && states.every((state) => endpoints.has(state));
  }

  #verificationStatus(): VerificationStatus | null {
    const { verification, clock } = this.options;
    const { last = null, ageSeconds = null } = verification?.report() ?? {};
    const status = verificationStatus(last);
    if (status === null || ageSeconds === null) {
      return status;
    }
    const ended = { wall: Date.parse(status.time), monotonic: clock.monotonic() - ageSeconds * 1000 };
    return { ...status, time: this.#isoTime(ended) };
  }

  #isoTime(time: KeptTime): string {
    return new Date(presentTime(time, this.options.clock)).toISOString();
  }

  #record(family: IPFamily): FamilyRecord {
    let record = this.#families.get(family);
    if (record === undefined) {
      record = {
        state: undefined,
        lastSync: undefined,
        lastFullSync: undefined,
        duration: undefined,
        failures: 0,
        lastError: undefined,
        pendingSince: undefined,
      };
      this.#families.set(family, record);
    }
    return record;
  }

  #describe(record: FamilyRecord): FamilyStatus {
    const { state, lastSync, lastFullSync, duration, failures, lastError, pendingSince } = record;
    const pending = pendingSince === undefined ? undefined : this.options.clock.monotonic() - pendingSince;
    return {
      programmed: lastFullSync !== undefined,
      lastSync: lastSync === undefined ? null : this.#isoTime(lastSync),
      lastSyncMilliseconds: duration === undefined ? null : Math.round(duration * 10) / 10,
      lastFullSync: lastFullSync === undefined ? null : this.#isoTime(lastFullSync),
      failures,
      lastError: lastError ?? null,
      pendingSeconds: pending === undefined ? null : pending / 1000,
      digest: state === undefined ? null : stateDigest(state),
      servicePorts: state?.servicePorts.size ?? 0,
      nodePortAddresses: state === undefined ? null : listNodePortAddresses(state.node.nodePortAddresses, state.family),
      endpoints: state === undefined ? 0 : (this.#counts.endpoints.get(state) ?? 0),
    };
  }
}

function verificationStatus(last: NodeVerification | null): VerificationStatus | null {
  if (last === null) {
    return null;
  }
  const findings = last.families.flatMap((family) => family.findings);
  const more = last.families.reduce((sum, { moreFindings }) => sum + moreFindings, 0);
  const unknowns = findings.filter(({ result }) => result === 'unknown').length;
  const first = findings.find(({ result }) => result === 'different') ?? findings[0];
  return {
    verdict: last.verdict,
    time: last.time,
    packetClasses: last.families.reduce((sum, { classes }) => sum + classes, 0),
    differences: findings.length - unknowns + more,
    unknowns,
    firstFinding: first?.message ?? null,
  };
}

function describeSource(source: Source): SourceStatus {
  const obstacles = KINDS.flatMap((kind) => source.obstacle?.(kind) ?? []);
  return { description: source.description, obstacles: [...new Set(obstacles)] };
}
