import {
  type Clock,
  familyOf,
  type IPFamily,
  type Logger,
  pause,
  type Source,
  type SourceContext,
  type SourceHandler,
  type SyncSuccess,
} from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';
import { FamilyProbe, type ProbeResult } from './family-probe.js';
import {
  DEFAULT_PROBE_ADDRESSES,
  DEFAULT_PROBE_INTERVAL,
  PROBE_FAILURES,
  type ProbeOptions,
  type ProbeStatuses,
} from './probe-options.js';

/** Dependencies of a {@link DataPlaneProbe}. */
export interface DataPlaneProbeContext {
  readonly localAddresses: () => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each result. Default: nothing. */
  readonly onResult?: (family: IPFamily, result: ProbeResult) => void;
}

/** Timeout of a probe in milliseconds. */
const TIMEOUT = 3000;
/** Retry interval in milliseconds while a family cannot be probed. */
const RETRY = 500;

/**
 * Probes the data plane of this node: every few seconds a connection of this process to a Service of its own, through
 * the rules of the kernel, to a listener of this process. A {@link Source} of that Service; must be the last source of
 * a server.
 */
export class DataPlaneProbe implements Source, ServerObserver {
  readonly description = 'the Service of the probe';
  readonly #abort = new AbortController();
  readonly #probes = new Map<IPFamily, FamilyProbe>();
  readonly #loops: Promise<void>[] = [];
  #families: readonly IPFamily[] = [];

  constructor(
    private readonly options: ProbeOptions,
    private readonly context: DataPlaneProbeContext,
  ) {}

  /** Sets the families that are probed. Called before the start. */
  serve(families: readonly IPFamily[]): void {
    this.#families = families;
  }

  async start(handler: SourceHandler, { nodeName }: SourceContext): Promise<void> {
    const { onResult: _onResult, ...context } = this.context;
    const addresses = this.options.addresses ?? DEFAULT_PROBE_ADDRESSES;
    for (const family of this.#families) {
      const clusterIP = addresses.find((address) => familyOf(address) === family);
      if (clusterIP !== undefined) {
        const signal = this.#abort.signal;
        const probe = new FamilyProbe({ ...context, nodeName, family, clusterIP, handler, signal, timeout: TIMEOUT });
        this.#probes.set(family, probe);
        this.#loops.push(this.#run(family, probe));
      }
    }
    handler.onServicesSynced();
    handler.onEndpointsSynced();
  }

  synced(success: Pick<SyncSuccess, 'family' | 'state' | 'changes'>): void {
    this.#probes.get(success.family)?.synced(success);
  }

  status(): ProbeStatuses {
    return Object.fromEntries([...this.#probes].map(([family, probe]) => [family, probe.status()]));
  }

  /** Why this node is not ready; undefined when it is, or when readiness does not depend on the probe. */
  notReady(): string | undefined {
    if (this.options.readiness !== true) {
      return undefined;
    }
    const probed = [...this.#probes].filter(([, { hasAddress }]) => hasAddress);
    if (probed.length === 0) {
      return 'waiting for a successful probe: this host has no address of a family that is probed';
    }
    for (const [family, probe] of probed) {
      const { verdict, reason, failures, lastSuccess } = probe.status();
      // A family that can no longer be probed gives no information about the data plane.
      if (lastSuccess === null || (verdict === 'failed' && failures >= PROBE_FAILURES)) {
        return `waiting for a successful ${family} probe${reason === null ? '' : `: ${reason}`}`;
      }
    }
    return undefined;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await Promise.all(this.#loops);
    for (const probe of this.#probes.values()) {
      probe.close();
    }
  }

  async #run(family: IPFamily, probe: FamilyProbe): Promise<void> {
    const { clock, onResult } = this.context;
    const { interval = DEFAULT_PROBE_INTERVAL } = this.options;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      const result = await probe.probe();
      if (signal.aborted) {
        return;
      }
      onResult?.(family, result);
      await pause(clock, result.verdict === 'unknown' ? Math.min(RETRY, interval) : interval, signal);
    }
  }
}
