import { hostname } from 'node:os';
import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  DEFAULT_PROXY_MODE,
  DualStackProxier,
  formatObjectProblem,
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
  Tokens,
} from '@kube-proxier/core';
import { Container } from 'inversify';
import { checkServerOptions } from './check-server-options.js';
import { combineObservers } from './combine-observers.js';
import { ConntrackCleaner } from './conntrack/conntrack-cleaner.js';
import { HealthServer } from './health/health-server.js';
import { OwnAddresses } from './health/own-addresses.js';
import { ProxyHealth } from './health/proxy-health.js';
import { Readiness } from './health/readiness.js';
import { ServiceHealthServers } from './health/service-health-servers.js';
import { WaitingHealth } from './health/waiting-health.js';
import { becomeOnlyInstance } from './instance/exclusive-instance.js';
import { type HeldInstanceLock, InstanceLock } from './instance/instance-lock.js';
import { AddressWatch } from './node/address-watch.js';
import { type HostNetwork, thisHost } from './node/host-network.js';
import { resolveNodeAddresses } from './node/node-addresses.js';
import { resolveNodeName } from './node/node-name.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import type { ServerObserver } from './server-observer.js';
import { combineHandlers } from './sources/combine-handlers.js';
import { SourceHub } from './sources/source-hub.js';
import { SlowCommandLog } from './status/slow-command-log.js';
import { StatusServer } from './status/status-server.js';
import { SyncReport } from './status/sync-report.js';
import { Takeover } from './takeover/takeover.js';
import { VERSION } from './version.js';

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
  private readonly options: ProxyServerOptions;
  private readonly logger: Logger;
  private readonly abort = new AbortController();
  private readonly readiness = new Readiness();
  private instance: HeldInstanceLock | undefined;
  private hub: SourceHub | undefined;
  private startedSources: Source[] = [];
  /** Listeners; stopped last, so that they answer until the end. */
  private listening: { stop(): Promise<void> }[] = [];
  private observer: ServerObserver = {};
  private takeover: Takeover | undefined;
  private begun = false;
  /** Keeps the process alive: everything else is unreferenced. */
  private alive: NodeJS.Timeout | undefined;
  private loop: Promise<void> = Promise.resolve();
  private finish: () => void = () => {};
  private fail: (error: unknown) => void = () => {};

  /**
   * Settles when the server has ended: resolves after `stop`, rejects when a sync loop failed. Ignoring it is safe.
   */
  readonly finished: Promise<void>;

  /** @throws ServerOptionError when an option is missing, unknown, or of the wrong type. */
  constructor(options: ProxyServerOptions) {
    checkServerOptions(options);
    this.options = options;
    this.logger = options.logger ?? silentLogger;
    this.finished = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    this.finished.catch(() => {});
  }

  /**
   * Starts the proxy. If another proxy runs in this network namespace, waits first until that has ended (see
   * {@link ProxyServerOptions.exclusive}). Resolves when all sources are started; from then on until `stop` the proxy
   * runs and keeps the process alive. When it rejects, everything is stopped again. Called once.
   *
   * @throws ProxierError when the configuration cannot work: `UNKNOWN_PROXY_MODE`, `PROXY_MODE_UNUSABLE`,
   * `NO_SOURCES`, `NO_NODE_NAME`, `NO_IP_FAMILY`, `PRIMARY_FAMILY_UNSUPPORTED`, `ALREADY_STARTED`, or the error of a
   * source or a backend.
   */
  async start(): Promise<ProxyServerInfo> {
    if (this.begun) {
      throw new ProxierError('ALREADY_STARTED', 'this ProxyServer was started before; create a new one');
    }
    this.begun = true;
    this.alive = setInterval(() => {}, 2 ** 30);
    try {
      return await this.startAll();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /**
   * Does only what needs more privileges than `start` (spec C-28): selects the mode, tunes connection
   * tracking, and has the backend set up the host. In place of `start`; needs no sources.
   *
   * @throws ProxierError as `start` does for the shared steps, or the error of the backend.
   */
  async prepare(): Promise<ModeSelection> {
    const { nodeName, selection } = await this.selectMode();
    await this.tuneConntrack(selection);
    await selection.backend.prepare?.(this.proxierOptions(nodeName), this.logger);
    return selection;
  }

  /**
   * Stops the proxy and leaves installed rules in place. Resolves when no event is being handled and no sync is running;
   * it then no longer keeps the process alive. Idempotent.
   */
  async stop(): Promise<void> {
    this.abort.abort();
    this.hub?.close();
    await Promise.allSettled(this.startedSources.map((source) => source.stop()));
    await this.loop.catch(() => {});
    await Promise.allSettled(this.listening.map((one) => one.stop()));
    await this.instance?.release();
    clearInterval(this.alive);
    this.finish();
  }

  private async startAll(): Promise<ProxyServerInfo> {
    const { sources, bindAddress = '' } = this.options;
    // May be missing: JavaScript callers have no compiler checks.
    if (!(sources?.length > 0)) {
      throw new ProxierError('NO_SOURCES', 'no Service source is configured; give ProxyServer the option sources');
    }
    await this.waitForOthers();
    this.readiness.waitFor('the proxy mode');
    const { nodeName, selection } = await this.selectMode();
    this.abort.signal.throwIfAborted();
    this.instance?.describe({ mode: selection.mode });
    const options = this.proxierOptions(nodeName);
    this.observer = await this.startListening(options);
    this.observer.modeSelected?.(selection);
    const { primary, addresses } = resolveNodeAddresses(options.nodeAddresses, bindAddress);
    const families = await this.usableFamilies(primary, selection);
    if (this.options.takeover) {
      const { backends, clock = systemClock } = this.options;
      this.takeover = new Takeover({
        backends,
        inForce: selection.mode,
        families,
        logger: this.logger,
        clock,
        onFinished: (takeover) => this.observer.takenOver?.(takeover),
      });
      this.listening.push(this.takeover);
    }
    this.options.checkFamilies?.(families);
    this.listening.push(new SlowCommandLog(this.logger));
    const cleaner = await this.makeCleaner(selection.backend);
    this.listening.push(...(cleaner ? [cleaner] : []));
    const proxier = this.makeProxier(selection.backend, { ...options, nodeAddresses: addresses }, families, cleaner);

    this.abort.signal.throwIfAborted();
    const handler = combineHandlers(proxier, this.options.handlers ?? [], this.logger, () =>
      this.options.metrics?.partFailed('handler'),
    );
    const hub = new SourceHub(handler, bindAddress, this.logger, this.observer);
    this.hub = hub;
    this.readiness.serve(families, () => hub.missing());
    const release = hub.hold();
    this.loop = proxier.syncLoop(this.abort.signal);
    this.loop.then(
      () =>
        this.abort.signal.aborted ||
        this.fail(new ProxierError('LOOP_ENDED', 'the sync loop ended unexpectedly; restart this program')),
      (error: unknown) => this.fail(error),
    );
    this.finished.catch(() => clearInterval(this.alive));
    const pairs = sources.map((source) => ({ source, handler: hub.handler(source) }));
    this.startedSources = [...sources];
    await Promise.all(pairs.map(({ source, handler }) => source.start(handler, { nodeName })));
    // A failed start leaves the host unchanged, and the first sync depends on these settings.
    await this.tuneConntrack(selection);
    release();
    return { selection, nodeName, families };
  }

  /** Waits until this is the only proxy of its network namespace, without changing the host. */
  private async waitForOthers(): Promise<void> {
    const isOwnNamespace = this.options.network === undefined;
    const {
      clock = systemClock,
      exclusive = isOwnNamespace,
      announce = isOwnNamespace,
      healthAddress,
      instances,
    } = this.options;
    const { logger } = this;
    const nodeName = resolveNodeName(this.options.proxier?.nodeName, hostname());
    const identity = { pid: process.pid, version: VERSION, mode: '', nodeName };
    if (!exclusive) {
      if (announce) {
        // If locks are not allowed, no other proxy waits for this one, and this one does not wait either.
        this.instance = await (instances?.lock ?? new InstanceLock()).tryAcquire(identity).catch(() => undefined);
      }
      return;
    }
    const { syncPeriod } = this.proxierOptions(nodeName);
    const waiting = new WaitingHealth(clock, () => {
      const health = new ProxyHealth(2 * syncPeriod, clock);
      return new HealthServer({
        ...(healthAddress ?? { host: '127.0.0.1', port: 0 }),
        ...{ health, clock, notReady: () => this.readiness.reason() },
      });
    });
    try {
      this.instance = await becomeOnlyInstance(identity, {
        ...instances,
        ...{ logger, clock, signal: this.abort.signal },
        onWaiting: (whom) => {
          this.readiness.waitFor(`${whom} to end`);
          if (healthAddress) {
            void waiting.restart();
          }
        },
      });
    } finally {
      await waiting.stop();
    }
  }

  private async selectMode(): Promise<{ readonly nodeName: string; readonly selection: ModeSelection }> {
    const { backends, mode = '', fallback = DEFAULT_PROXY_MODE } = this.options;
    const nodeName = resolveNodeName(this.options.proxier?.nodeName, hostname());
    return { nodeName, selection: await selectProxyMode({ requested: mode, backends, fallback, logger: this.logger }) };
  }

  private proxierOptions(nodeName: string): ProxierOptions {
    return { ...DEFAULT_PROXIER_OPTIONS, ...this.options.proxier, nodeName };
  }

  private async tuneConntrack({ backend }: ModeSelection): Promise<void> {
    if (backend.capabilities?.tracksConnections ?? true) {
      await this.options.conntrackTuning?.apply();
    }
  }

  /** Starts the configured health, metrics and status servers. Returns them and the host's observer as one. */
  private async startListening({ syncPeriod, nodeName }: ProxierOptions): Promise<ServerObserver> {
    const { clock = systemClock, network = thisHost, metrics, healthAddress, statusAddress, observer } = this.options;
    const { logger } = this;
    const health = new ProxyHealth(2 * syncPeriod, clock);
    const own = new OwnAddresses(() => network.localAddresses(), clock);
    void own.refresh();
    const isOwnAddress = (address: string) => own.has(address);
    const serviceHealth = new ServiceHealthServers({
      health,
      logger,
      clock,
      isOwnAddress,
      onFailure: (service, error) => {
        metrics?.partFailed('service health check');
        this.observer.serviceHealthFailed?.(service, error);
      },
    });
    const hardFail = this.options.bindAddressHardFail ?? false;
    this.listening.push(serviceHealth);
    const starting: Promise<void>[] = [];
    if (healthAddress) {
      const server = new HealthServer({
        ...healthAddress,
        health,
        notReady: () => this.readiness.reason(),
        logger,
        clock,
        hardFail,
        isOwnAddress,
        onFailure: () => metrics?.partFailed('health server'),
        onAnswer: (path, status) => metrics?.healthAnswered(path, status),
      });
      this.listening.push(server);
      starting.push(server.start());
    }
    const status = statusAddress
      ? new StatusServer({
          ...statusAddress,
          logger,
          clock,
          hardFail,
          isOwnAddress,
          hostNames: [nodeName, hostname(), ...(this.options.statusHostNames ?? [])],
          onFailure: () => metrics?.partFailed('status server'),
          localAddresses: () => network.localAddresses(),
          ...(metrics ? { metrics: metrics.registry } : {}),
          ...(this.options.configuration ? { configuration: this.options.configuration } : {}),
          ...(this.options.profiling ? { profiling: this.options.profiling } : {}),
        })
      : undefined;
    if (status) {
      this.listening.push(status);
      starting.push(status.start());
    }
    await Promise.all(starting);
    const all = [health, serviceHealth, ...(metrics ? [metrics] : []), ...(status ? [status] : [])];
    return combineObservers([...all, ...(observer ? [observer] : [])], logger, () => metrics?.partFailed('observer'));
  }

  /** The families to serve, the primary one first (spec M-6, M-7). */
  private async usableFamilies(primary: IPFamily, selection: ModeSelection): Promise<readonly IPFamily[]> {
    const { families: requested = ['IPv4', 'IPv6'], network = thisHost, bindAddress = '' } = this.options;
    const wanted = requested.filter((family) => selection.families.includes(family));
    for (const family of requested.filter((candidate) => !wanted.includes(candidate))) {
      this.logger.warn(`Mode ${selection.mode} cannot serve ${family} on this host; that family is not programmed`);
    }
    const hasIPv6 = wanted.includes('IPv6') && (await network.hasIPv6());
    if (wanted.includes('IPv6') && !hasIPv6) {
      this.logger.info('No IPv6 on this host: the kernel has none, or net.ipv6.conf.all.disable_ipv6 is 1');
    }
    const usable = wanted.filter((family, index) => wanted.indexOf(family) === index && (family === 'IPv4' || hasIPv6));
    const first = usable.includes(primary) ? primary : usable[0];
    if (first === undefined) {
      throw new ProxierError(
        'NO_IP_FAMILY',
        `none of the requested IP families (${wanted.join(', ')}) is usable on this host`,
      );
    }
    if (first !== primary && bindAddress !== '') {
      throw new ProxierError(
        'PRIMARY_FAMILY_UNSUPPORTED',
        `no support for primary IP family ${primary}, the one of bindAddress ${bindAddress}; use an ${first} address`,
      );
    }
    const ordered = [first, ...usable.filter((family) => family !== first)];
    this.logger.debug(1, ordered.length > 1 ? 'Serving both IP families' : 'Serving one IP family', {
      families: ordered.join(','),
      primary: first,
    });
    return ordered;
  }

  /** Creates the cleaner of stale flows. If the mode uses connection tracking, logs when this host cannot delete them. */
  private async makeCleaner({ capabilities }: BackendModule): Promise<ConntrackCleaner | undefined> {
    const { clock = systemClock, network = thisHost, conntrack, metrics } = this.options;
    const isNeeded = capabilities?.tracksConnections ?? true;
    const cleaner =
      conntrack &&
      new ConntrackCleaner(
        conntrack,
        this.logger,
        () => network.localAddresses(),
        clock,
        (cleaning) => metrics?.conntrackCleaned(cleaning),
        isNeeded,
      );
    if (isNeeded) {
      await cleaner?.checkHost();
    }
    return cleaner;
  }

  private makeProxier(
    backend: BackendModule,
    options: ProxierOptions,
    families: readonly IPFamily[],
    cleaner: ConntrackCleaner | undefined,
  ): Proxier {
    const { clock = systemClock, network = thisHost, conntrackTuning } = this.options;
    const { logger } = this;
    const container = new Container();
    container.bind(Tokens.Logger).toConstantValue(logger);
    container.bind(Tokens.Clock).toConstantValue(clock);
    container.load(backend.module);
    const create = container.get(Tokens.ProxierFactory);

    const observers: ServerObserver[] = [
      ...(conntrackTuning && (backend.capabilities?.tracksConnections ?? true) ? [conntrackTuning] : []),
      ...(cleaner ? [cleaner] : []),
      this.readiness,
      this.observer,
      new SyncReport(families, logger, clock),
      ...(this.takeover ? [this.takeover] : []),
    ];
    const combined = combineObservers(observers, logger, () => this.options.metrics?.partFailed('observer'));
    const reader = new ObjectReader(
      (problem) => logger.warn(formatObjectProblem(problem), { ignored: problem.ignored }),
      {
        allowLoopbackEndpoints: this.options.allowLoopbackEndpoints ?? false,
        serviceExternalIPs: this.options.serviceExternalIPs ?? true,
      },
    );
    const watch =
      network.addressEvents === undefined
        ? undefined
        : new AddressWatch({
            events: () => (network as Required<HostNetwork>).addressEvents(),
            clock,
            logger,
            signal: this.abort.signal,
            onFailure: () => this.options.metrics?.partFailed('address watch'),
          });
    const make = (family: IPFamily) =>
      create({
        family,
        options: family === 'IPv6' ? { ...options, localhostNodePorts: false } : options,
        logger,
        clock,
        observer: combined,
        localAddresses: () => network.localAddresses(),
        ...(watch === undefined ? {} : { watchAddresses: (onChange, signal) => watch.watch(onChange, signal) }),
        reader,
      });
    const proxiers = new Map(families.map((family) => [family, make(family)]));
    const ipv4 = proxiers.get('IPv4');
    const ipv6 = proxiers.get('IPv6');
    const single = ipv4 ?? ipv6;
    if (!single) {
      throw new ProxierError('NO_IP_FAMILY', 'no IP family to serve is configured');
    }
    return ipv4 && ipv6 ? new DualStackProxier(ipv4, ipv6) : single;
  }
}
