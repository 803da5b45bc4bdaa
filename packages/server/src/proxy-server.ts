import { hostname } from 'node:os';
import {
  type BackendModule,
  type Clock,
  DEFAULT_PROXIER_OPTIONS,
  DEFAULT_PROXY_MODE,
  formatObjectProblem,
  GONE_AFTER,
  type IPFamily,
  type Logger,
  type ModeSelection,
  ObjectReader,
  type Proxier,
  ProxierError,
  type ProxierOptions,
  type Source,
  selectProxyMode,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { checkServerOptions } from './check-server-options.js';
import { combineObservers } from './combine-observers.js';
import { composeProxier } from './compose-proxier.js';
import { BackgroundCleaning } from './conntrack/background-cleaning.js';
import { ConnectionResetter } from './conntrack/connection-resetter.js';
import { ConntrackCleaner } from './conntrack/conntrack-cleaner.js';
import { Readiness } from './health/readiness.js';
import type { HeldInstanceLock } from './instance/instance-lock.js';
import { waitForOtherProxies } from './instance/wait-for-other-proxies.js';
import { thisHost } from './node/host-network.js';
import { resolveNodeAddresses } from './node/node-addresses.js';
import { resolveNodeName } from './node/node-name.js';
import { familiesOfMode, selectFamilies } from './node/select-families.js';
import { DataPlaneProbe } from './probe/data-plane-probe.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import { FlightRecorder } from './recorder/flight-recorder.js';
import type { ServerObserver } from './server-observer.js';
import { combineHandlers } from './sources/combine-handlers.js';
import { SourceHub } from './sources/source-hub.js';
import { startListeners } from './start-listeners.js';
import { SlowCommandLog } from './status/slow-command-log.js';
import { SyncReport } from './status/sync-report.js';
import { Takeover } from './takeover/takeover.js';
import { BackgroundVerification } from './verification/background-verification.js';
import { type NodeVerification, verifyNode } from './verification/verify-node.js';

/** Result of {@link ProxyServer.start}. */
export interface ProxyServerInfo {
  readonly selection: ModeSelection;
  readonly nodeName: string;
  /** Families that are served, the primary one first. */
  readonly families: readonly IPFamily[];
}

/**
 * The embeddable service proxy of one node: selects a backend, creates a proxier for each IP family, passes events from
 * the sources to them and keeps them running. It reads no flags, writes to no console and ends no process.
 *
 * @example
 * const server = new ProxyServer({ backends: [iptables], sources: [new ManifestSource({ path: 'manifests' })] });
 * await server.start();
 * // …
 * await server.stop(); // installed rules stay
 */
export class ProxyServer {
  readonly #options: ProxyServerOptions;
  readonly #logger: Logger;
  readonly #abort = new AbortController();
  readonly #readiness = new Readiness();
  #instance: HeldInstanceLock | undefined;
  #hub: SourceHub | undefined;
  #startedSources: Source[] = [];
  /** Listeners; stopped last. */
  #listening: { stop(): Promise<void> }[] = [];
  #observer: ServerObserver = {};
  #takeover: Takeover | undefined;
  #verification: BackgroundVerification | undefined;
  #recorder: FlightRecorder | undefined;
  #probe: DataPlaneProbe | undefined;
  #begun = false;
  /** Keeps the process alive: everything else is unreferenced. */
  #alive: NodeJS.Timeout | undefined;
  #loop: Promise<void> = Promise.resolve();
  #finish: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  /**
   * Settles when the server has ended: resolves after `stop`, rejects when a sync loop failed. Ignoring it is safe.
   */
  readonly finished: Promise<void>;

  /** @throws ServerOptionError when an option is missing, unknown, or invalid. */
  constructor(options: ProxyServerOptions) {
    checkServerOptions(options);
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.finished = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    this.finished.catch(() => {});
  }

  /**
   * Starts the proxy. If another proxy runs in this network namespace, waits first until it has ended (see
   * {@link ProxyServerOptions.exclusive}). Resolves when all sources are started; from then on until `stop` the proxy runs and
   * keeps the process alive. When it rejects, everything is stopped again. Called once.
   *
   * @throws ProxierError when the configuration cannot work: `UNKNOWN_PROXY_MODE`, `PROXY_MODE_UNUSABLE`,
   * `NO_SOURCES`, `NO_NODE_NAME`, `NO_IP_FAMILY`, `PRIMARY_FAMILY_UNSUPPORTED`, `ALREADY_STARTED`, or the error of a
   * source or a backend; `STOPPED` when `stop` was called before.
   */
  async start(): Promise<ProxyServerInfo> {
    if (this.#begun) {
      throw new ProxierError('ALREADY_STARTED', 'this ProxyServer was started before; create a new one');
    }
    this.#begun = true;
    this.#alive = setInterval(() => {}, 2 ** 30);
    try {
      return await this.#startAll();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Runs only the steps that need more privileges than `start` (spec C-28): selects the mode, tunes connection
   * tracking, and lets the backend set up the host. Called instead of `start`; needs no sources.
   *
   * @throws ProxierError as `start` does for the shared steps, or the error of the backend.
   */
  async prepare(): Promise<ModeSelection> {
    const nodeName = this.#nodeName();
    const selection = await this.#selectMode();
    await this.#tuneConntrack(selection);
    await selection.backend.prepare?.(this.#proxierOptions(nodeName), this.#logger);
    return selection;
  }

  /**
   * Stops the proxy and leaves installed rules in place. Resolves when no event is being handled and no sync is running;
   * it then no longer keeps the process alive. Idempotent.
   */
  async stop(): Promise<void> {
    this.#abort.abort(new ProxierError('STOPPED', 'this ProxyServer was stopped before its start was complete'));
    this.#hub?.close();
    await Promise.allSettled(this.#startedSources.map((source) => source.stop()));
    await this.#loop.catch(() => {});
    await Promise.allSettled(this.#listening.map((one) => one.stop()));
    await this.#instance?.release();
    clearInterval(this.#alive);
    this.#finish();
  }

  async #startAll(): Promise<ProxyServerInfo> {
    const { bindAddress = '' } = this.#options;
    // May be missing: JavaScript callers have no compiler checks.
    if (!(this.#options.sources?.length > 0)) {
      throw new ProxierError('NO_SOURCES', 'no Service source is configured; give ProxyServer the option sources');
    }
    const nodeName = this.#nodeName();
    // The probe of a mode waits for programs as well.
    this.#listening.push(new SlowCommandLog(this.#logger));
    const reader = this.#makeReader();
    this.#recorder = this.#makeRecorder(nodeName, reader);
    this.#probe = this.#makeProbe();
    // The objects of other sources come first.
    const sources = [...this.#options.sources, ...(this.#probe ? [this.#probe] : [])];
    this.#instance = await waitForOtherProxies(this.#options, {
      nodeName,
      syncPeriod: this.#proxierOptions(nodeName).syncPeriod,
      readiness: this.#readiness,
      logger: this.#logger,
      signal: this.#abort.signal,
    });
    this.#prefetch(sources, nodeName);
    this.#readiness.waitFor('the proxy mode');
    const selection = await this.#selectMode();
    this.#abort.signal.throwIfAborted();
    this.#instance?.describe({ mode: selection.mode });
    const options = this.#proxierOptions(nodeName);
    const proxiesInProcess = !(selection.backend.capabilities?.servesWithoutProcess ?? true);
    this.#observer = await this.#startListening(options, proxiesInProcess);
    this.#observer.modeSelected?.(selection);
    const { primary, addresses } = resolveNodeAddresses(options.nodeAddresses, bindAddress);
    const families = await this.#usableFamilies(primary, selection);
    if (this.#options.takeover) {
      const { backends, clock = systemClock } = this.#options;
      this.#takeover = new Takeover({
        backends,
        inForce: selection.mode,
        families,
        logger: this.#logger,
        clock,
        ...(this.#options.verification
          ? {
              verify: () => this.#verify('without leftovers', selection.backend, options, clock),
              verifyNow: () => this.#verify('as it is', selection.backend, options, clock),
            }
          : {}),
        onFinished: (takeover) => this.#observer.takenOver?.(takeover),
      });
      this.#listening.push(this.#takeover);
    }
    this.#options.checkFamilies?.(families, selection.backend);
    this.#probe?.serve(families);
    const cleaner = await this.#makeCleaner(selection.backend);
    const cleaning = cleaner && new BackgroundCleaning((success) => cleaner.synced(success));
    const resetter = this.#makeResetter(selection.backend);
    this.#listening.push(...(cleaner && cleaning ? [cleaner, cleaning] : []), ...(resetter ? [resetter] : []));
    const proxier = this.#makeProxier(
      selection.backend,
      { ...options, nodeAddresses: addresses },
      { families, cleaning, resetter, reader },
    );

    this.#abort.signal.throwIfAborted();
    const handlers = [...(this.#recorder ? [this.#recorder.sourceHandler] : []), ...(this.#options.handlers ?? [])];
    const handler = combineHandlers(proxier, handlers, this.#logger, () =>
      this.#options.metrics?.partFailed('handler'),
    );
    const hub = new SourceHub(handler, {
      ...{ bindAddress, logger: this.#logger, observer: this.#observer },
      isRecorded: this.#recorder !== undefined,
    });
    this.#hub = hub;
    this.#readiness.serve(families, () => hub.missing());
    const release = hub.hold();
    this.#loop = proxier.syncLoop(this.#abort.signal);
    this.#loop.then(
      () =>
        this.#abort.signal.aborted ||
        this.#fail(new ProxierError('LOOP_ENDED', 'the sync loop ended unexpectedly; restart this program')),
      (error: unknown) => this.#fail(error),
    );
    this.finished.catch(() => clearInterval(this.#alive));
    const pairs = sources.map((source) => ({ source, handler: hub.handler(source) }));
    this.#startedSources = sources;
    await Promise.all(pairs.map(({ source, handler }) => source.start(handler, { nodeName })));
    // A failed start leaves the host unchanged, and the first sync depends on these settings.
    await this.#tuneConntrack(selection);
    release();
    return { selection, nodeName, families };
  }

  /** The sources request their objects while the mode is selected and the backend is created. */
  #prefetch(sources: readonly Source[], nodeName: string): void {
    const early = sources.filter(({ prefetch }) => prefetch !== undefined);
    this.#startedSources = early;
    for (const source of early) {
      source.prefetch?.({ nodeName });
    }
  }

  #makeReader(): ObjectReader {
    const { allowLoopbackEndpoints = false, serviceExternalIPs = true } = this.#options;
    return new ObjectReader(
      (problem) => this.#logger.warn(formatObjectProblem(problem), { ignored: problem.ignored }),
      { allowLoopbackEndpoints, serviceExternalIPs },
    );
  }

  #makeRecorder(nodeName: string, reader: ObjectReader): FlightRecorder | undefined {
    const { recording, clock = systemClock, metrics, allowLoopbackEndpoints = false } = this.#options;
    if (recording === undefined) {
      return undefined;
    }
    const recorder = new FlightRecorder(recording, {
      ...{ nodeName, clock, reader, allowLoopbackEndpoints, logger: this.#logger },
      objects: {
        all: (kind) => this.#hub?.objects.all(kind) ?? [],
        get: (kind, identity) => this.#hub?.objects.get(kind, identity),
      },
      notReady: () => this.#readiness.reason(),
      onFailure: () => metrics?.partFailed('recording'),
    });
    this.#listening.push(recorder);
    return recorder;
  }

  #makeProbe(): DataPlaneProbe | undefined {
    const { probe, clock = systemClock, network = thisHost, metrics } = this.#options;
    return (
      probe &&
      new DataPlaneProbe(probe, {
        ...{ clock, logger: this.#logger },
        localAddresses: () => network.localAddresses(),
        onResult: (family, result) => metrics?.probed(family, result),
      })
    );
  }

  #selectMode(): Promise<ModeSelection> {
    const { backends, mode = '', fallback = DEFAULT_PROXY_MODE } = this.#options;
    return selectProxyMode({ requested: mode, backends, fallback, logger: this.#logger });
  }

  #nodeName(): string {
    return resolveNodeName(this.#options.proxier?.nodeName, hostname());
  }

  #proxierOptions(nodeName: string): ProxierOptions {
    // An undefined option has its default.
    const given = Object.entries(this.#options.proxier ?? {}).filter(([, value]) => value !== undefined);
    return { ...DEFAULT_PROXIER_OPTIONS, ...Object.fromEntries(given), nodeName };
  }

  async #tuneConntrack({ backend }: ModeSelection): Promise<void> {
    if (tracksConnections(backend)) {
      await this.#options.conntrackTuning?.apply();
    }
  }

  /** Starts the listeners. Returns the observers of all activity: the listeners, metrics, and the host's observer. */
  async #startListening(options: ProxierOptions, proxiesInProcess: boolean): Promise<ServerObserver> {
    const { syncPeriod, nodeName } = options;
    const { clock = systemClock, metrics } = this.#options;
    const logger = this.#logger;
    const verification = new BackgroundVerification({
      period: this.#options.verification?.period ?? 0,
      ...{ options, logger, clock },
      onVerifying: () => this.#observer.verifying?.(),
      onVerified: (result) => {
        metrics?.verified(result);
        this.#observer.verified?.(result);
      },
    });
    this.#verification = verification;
    const readiness = this.#readiness;
    const observers = await startListeners(this.#options, {
      ...{ nodeName, syncPeriod, readiness, proxiesInProcess, logger, verification },
      ...{ recorder: this.#recorder, probe: this.#probe },
      leftovers: () => this.#takeover?.status,
      onServiceHealthFailed: (...failure) => this.#observer.serviceHealthFailed?.(...failure),
      onCreated: (listener) => this.#listening.push(listener),
    });
    const { recorder, observer } = { recorder: this.#recorder, observer: this.#options.observer };
    return this.#combine([
      ...observers,
      ...(recorder ? [onlyServerEvents(recorder)] : []),
      ...(observer ? [observer] : []),
    ]);
  }

  /** Verifies the states in force; `without leftovers`: ignores the rules of other modes and of kube-proxy. */
  async #verify(
    node: 'as it is' | 'without leftovers',
    backend: BackendModule,
    options: ProxierOptions,
    clock: Clock,
  ): Promise<NodeVerification | undefined> {
    const { backends } = this.#options;
    const { signal } = this.#abort;
    const result = await verifyNode({
      ...{ backend, options, clock, signal },
      states: () => this.#verification?.states ?? new Map(),
      ...(node === 'without leftovers'
        ? {
            ignores: (rule) => rule.foreign === true && backends.some((one) => one.ownsRule?.(rule) ?? false),
            ignoredInterfaces: backends
              .filter(({ mode }) => mode !== backend.mode)
              .flatMap(({ interfaces = [] }) => interfaces)
              .filter((name) => !backend.interfaces?.includes(name)),
          }
        : {}),
    });
    return signal.aborted ? undefined : result;
  }

  #combine(observers: readonly ServerObserver[]): ServerObserver {
    const { clock, metrics } = this.#options;
    return combineObservers(observers, this.#logger, () => metrics?.partFailed('observer'), clock);
  }

  /** The families to serve, the primary one first; logs why further families are not. */
  async #usableFamilies(primary: IPFamily, selection: ModeSelection): Promise<readonly IPFamily[]> {
    const { families: requested = ['IPv4', 'IPv6'], network = thisHost, bindAddress = '' } = this.#options;
    const servedByMode = selection.families;
    for (const family of requested.filter((candidate) => !servedByMode.includes(candidate))) {
      this.#logger.warn(`Mode ${selection.mode} cannot serve ${family} on this host; that family is not programmed`);
    }
    const wantsIPv6 = familiesOfMode({ requested, servedByMode }).includes('IPv6');
    const hasIPv6 = wantsIPv6 && (await network.hasIPv6());
    if (wantsIPv6 && !hasIPv6) {
      this.#logger.info('No IPv6 on this host: the kernel has none, or net.ipv6.conf.all.disable_ipv6 is 1');
    }
    const families = selectFamilies({ requested, servedByMode, hasIPv6, primary, bindAddress });
    this.#logger.debug(1, families.length > 1 ? 'Serving both IP families' : 'Serving one IP family', {
      families: families.join(','),
      primary: families[0],
    });
    return families;
  }

  /** Creates the cleaner of stale flows. If the mode uses connection tracking, logs when this host cannot delete them. */
  async #makeCleaner(backend: BackendModule): Promise<ConntrackCleaner | undefined> {
    const { clock = systemClock, network = thisHost, conntrack, metrics } = this.#options;
    const isTracked = tracksConnections(backend);
    const cleaner =
      conntrack &&
      new ConntrackCleaner(
        conntrack,
        this.#logger,
        () => network.localAddresses(),
        clock,
        (cleaning) => metrics?.conntrackCleaned(cleaning),
        isTracked,
      );
    if (isTracked) {
      await cleaner?.checkHost();
    }
    return cleaner;
  }

  /** If the mode uses connection tracking, connections to removed endpoints can be reset (spec R-1). */
  #makeResetter(backend: BackendModule): ConnectionResetter | undefined {
    const { clock = systemClock, network = thisHost, conntrack, tcpSockets, sysctl, metrics, proxier } = this.#options;
    if (conntrack === undefined || !tracksConnections(backend)) {
      return undefined;
    }
    const period = proxier?.minSyncPeriod;
    return new ConnectionResetter({
      conntrack,
      ...(tcpSockets ? { sockets: tcpSockets } : {}),
      ...(sysctl ? { sysctl } : {}),
      ...(backend.capabilities?.resets === false ? { unsupportedBy: backend.mode } : {}),
      logger: this.#logger,
      localAddresses: () => network.localAddresses(),
      clock,
      goneAfter: GONE_AFTER + (typeof period === 'number' ? period : 0),
      onReset: (resets) => metrics?.connectionsReset(resets),
    });
  }

  #makeProxier(
    backend: BackendModule,
    proxier: ProxierOptions,
    {
      families,
      cleaning,
      resetter,
      reader,
    }: {
      readonly families: readonly IPFamily[];
      readonly cleaning: BackgroundCleaning | undefined;
      readonly resetter: ConnectionResetter | undefined;
      readonly reader: ObjectReader;
    },
  ): Proxier {
    const recorder = this.#recorder;
    const { clock = systemClock, conntrackTuning } = this.#options;
    const logger = this.#logger;
    const observer = this.#combine([
      // First, because it records the end time of a sync.
      ...(recorder ? [recorder] : []),
      ...(conntrackTuning && tracksConnections(backend) ? [conntrackTuning] : []),
      ...(cleaning ? [cleaning] : []),
      ...(resetter ? [resetter] : []),
      this.#readiness,
      ...(this.#probe ? [this.#probe] : []),
      this.#observer,
      new SyncReport(families, logger, clock),
      ...(this.#takeover ? [this.#takeover] : []),
      ...(recorder ? [{ synced: () => recorder.checkReadiness(), failed: () => recorder.checkReadiness() }] : []),
    ]);
    return composeProxier(this.#options, {
      ...{ backend, proxier, families, observer, reader, recorder, logger },
      signal: this.#abort.signal,
    });
  }
}

/** It is notified of syncs directly. */
function onlyServerEvents(recorder: FlightRecorder): ServerObserver {
  return {
    modeSelected: (selection) => recorder.modeSelected(selection),
    takenOver: (takeover) => recorder.takenOver(takeover),
    serviceHealthFailed: (service, error) => recorder.serviceHealthFailed(service, error),
  };
}

function tracksConnections({ capabilities }: BackendModule): boolean {
  return capabilities?.tracksConnections ?? true;
}
