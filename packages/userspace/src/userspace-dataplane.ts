import {
  type ChangeSet,
  type Clock,
  type Dataplane,
  type IPFamily,
  joinHostPort,
  type Logger,
  messageOf,
  type ProxyState,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import type { MarkedSockets } from '@kube-proxier/linux';
import { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
import { EndpointDialer } from './proxy/endpoint-dialer.js';
import { KeepAlive } from './proxy/keep-alive.js';
import type { PortRange } from './proxy/port-range.js';
import { ProxyEngine } from './proxy/proxy-engine.js';
import type { ProxyEnvironment } from './proxy/service-proxy.js';
import type { ServiceTraffic } from './proxy/service-traffic.js';
import { RedirectedEndpoints } from './redirect/redirected-endpoints.js';
import { noRedirector, type RedirectedListener, type Redirector } from './redirect/redirector.js';
import { SpliceCarrier } from './splice/splice-carrier.js';
import { UserspaceError, UserspacePartlyApplied } from './userspace-error.js';
import { type Reach, UserspacePlanner } from './userspace-planner.js';
import type { InstalledUserspace, ListenerId, ListenerSpec, UserspaceTransaction } from './userspace-transaction.js';

/** How clients get to the sockets. */
export interface Redirection {
  readonly reach: Reach;
  readonly redirector: Redirector;
  /**
   * Sockets that the redirector never redirects, for connections to endpoints that are redirected frontends as well.
   * Started. Default, and where they are unusable: such a frontend is not redirected for this host itself.
   */
  readonly ownSockets?: MarkedSockets;
}

/** Settings of the proxy itself. Durations in milliseconds. */
export interface ProxySettings {
  /** Ports for proxy ports. Default: any. */
  readonly portRange?: PortRange;
  /** After which a UDP session without a datagram in either direction ends. Default 250 (spec U-31). */
  readonly udpTimeout?: number;
  /** Time for each attempt to connect to an endpoint. Default 250, 500, 1000, 2000 (spec U-30). */
  readonly dialTimeouts?: readonly number[];
  /** After which a TCP connection that one side has ended, and that is silent, is given up. Default one hour. */
  readonly halfClosedTimeout?: number;
  /** Bytes that each TCP socket holds in each direction before it stops reading. Default 256 KiB. */
  readonly highWaterMark?: number;
  /**
   * Bytes in one direction after which a TCP connection is carried by the kernel (splice) instead of the event loop, on
   * Linux. Default 1 MiB; `Infinity` for never.
   */
  readonly bulkAfter?: number;
  /** Connections (TCP) or sessions (UDP) of one service port at once. Default: as many as descriptors allow. */
  readonly maxConnectionsPerService?: number;
  /** Canonical addresses that frontends are served on when nothing is redirected. Default none. */
  readonly listenAddresses?: readonly string[];
}

/** What a {@link UserspaceDataplane} is made from. */
export interface UserspaceDataplaneOptions extends ProxySettings {
  readonly family: IPFamily;
  /** Canonical addresses of all interfaces of this host. */
  readonly localAddresses: () => Promise<readonly string[]>;
  /** Finds out how clients get to the sockets; asked once. Default: nothing is redirected. */
  readonly redirection?: () => Promise<Redirection>;
  /** Shared by the proxiers of both families. Default: one by the limits of this process. */
  readonly budget?: DescriptorBudget;
  /** Carries what moves much; shared by the proxiers of both families. Default: one of its own. */
  readonly carrier?: SpliceCarrier;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

const DIAL_TIMEOUTS: readonly number[] = [250, 500, 1000, 2000];
const UDP_TIMEOUT = 250;
const HALF_CLOSED_TIMEOUT = 3_600_000;
const HIGH_WATER_MARK = 256 * 1024;
const BULK_AFTER = 1 << 20;

/** Serves one IP family by sockets of this process. */
export class UserspaceDataplane implements Dataplane<UserspaceTransaction, InstalledUserspace> {
  readonly followsLocalAddresses = true;
  readonly #engine: ProxyEngine;
  readonly #environment: ProxyEnvironment;
  readonly #logger: Logger;
  #redirection: Redirection | undefined;
  #planner: UserspacePlanner | undefined;
  #clusterIPs = new Set<string>();
  #redirectedEndpoints = new RedirectedEndpoints();
  readonly #dialer: EndpointDialer;
  /** Listeners that a warning was written for, as they are not redirected for this host itself. */
  readonly #warned = new Set<ListenerId>();
  /** To be closed with this instance. */
  readonly #ownCarrier: SpliceCarrier | undefined;
  /** Local addresses at the last `apply`, as text. */
  #addressesApplied = '';

  constructor(private readonly options: UserspaceDataplaneOptions) {
    const { family, portRange } = options;
    this.#logger = options.logger ?? silentLogger;
    this.#ownCarrier = options.carrier ? undefined : new SpliceCarrier();
    const clock = options.clock ?? systemClock;
    this.#dialer = new EndpointDialer(family);
    this.#environment = {
      clock,
      keepAlive: new KeepAlive(clock),
      dialer: this.#dialer,
      logger: this.#logger,
      budget: options.budget ?? new DescriptorBudget(descriptorLimit),
      dialTimeouts: options.dialTimeouts ?? DIAL_TIMEOUTS,
      udpTimeout: options.udpTimeout ?? UDP_TIMEOUT,
      halfClosedTimeout: options.halfClosedTimeout ?? HALF_CLOSED_TIMEOUT,
      highWaterMark: options.highWaterMark ?? HIGH_WATER_MARK,
      carrier: options.carrier ?? this.#ownCarrier,
      bulkAfter: options.bulkAfter ?? BULK_AFTER,
      maxConnectionsPerService: options.maxConnectionsPerService ?? Number.POSITIVE_INFINITY,
    };
    this.#engine = new ProxyEngine({
      family,
      environment: this.#environment,
      ...(portRange === undefined ? {} : { portRange }),
    });
  }

  /** What each service port moved; for metrics. Service ports that are gone are left out once they are drained. */
  get traffic(): readonly ServiceTraffic[] {
    return this.#engine.traffic;
  }

  /** Where a listener stands; for tests and explaining. */
  boundAt(id: ListenerId) {
    return this.#engine.boundAt(id);
  }

  /** @throws UserspaceError before the first `readBack`, which finds out what this host can do. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledUserspace): UserspaceTransaction | undefined {
    if (!this.#planner) {
      throw new UserspaceError('USERSPACE_INVALID_OPTION', 'nothing can be planned before readBack was called');
    }
    return this.#planner.plan(next, changes, installed);
  }

  async readBack(): Promise<InstalledUserspace> {
    const { redirector } = await this.#prepare();
    this.#engine.tidy();
    const addresses = (await this.#localAddresses()).join(' ');
    return {
      // As if it had changed: sockets have to move to where the addresses are now.
      node: addresses === this.#addressesApplied ? this.#engine.node : undefined,
      services: this.#engine.services,
      listeners: this.#engine.listeners,
      clusterIPs: this.#clusterIPs,
      redirectInForce: await redirector.inForce(),
    };
  }

  /** @throws UserspacePartlyApplied when some sockets could not be opened; all the rest is in force. */
  async apply(transaction: UserspaceTransaction): Promise<void> {
    const { redirector } = await this.#prepare();
    const engine = this.#engine;
    for (const problem of transaction.problems) {
      this.#logger.warn(problem);
    }
    engine.tidy();
    const failed = new Map<ListenerId, unknown>();
    const touched = new Set<ListenerId>([
      ...[...transaction.open, ...transaction.change].map(({ id }) => id),
      ...transaction.close,
    ]);
    this.#compareEndpoints(transaction, touched);
    for (const service of transaction.set) {
      engine.setService(service);
    }
    for (const listener of transaction.change) {
      engine.change(listener);
    }
    // Ports that go from one service port to another have to be free first; proxy ports stay until no rule leads there.
    const closeLater = transaction.close.filter((id) => engine.spec(id)?.place.kind === 'proxy-port');
    const reopened = new Set(transaction.open.map(({ id }) => id));
    for (const id of transaction.close) {
      if (!closeLater.includes(id) || reopened.has(id)) {
        await engine.close(id);
      }
    }
    await this.#settleNode(transaction, touched, failed);
    for (const listener of transaction.open) {
      try {
        await engine.open(listener);
      } catch (error) {
        failed.set(listener.id, error);
      }
    }
    for (const address of transaction.addClusterIPs) {
      this.#clusterIPs.add(address);
    }
    for (const address of transaction.removeClusterIPs) {
      this.#clusterIPs.delete(address);
    }
    await this.#redirect(redirector, transaction, touched, new Set(closeLater));
    for (const id of closeLater) {
      if (!reopened.has(id)) {
        await engine.close(id);
      }
    }
    for (const key of transaction.remove) {
      engine.removeService(key);
    }
    if (failed.size > 0) {
      throw this.#partly(failed);
    }
  }

  async watch(onDrift: (what: string) => void, signal: AbortSignal): Promise<void> {
    const { redirector } = await this.#prepare();
    await redirector.watch?.({
      clock: this.#environment.clock,
      signal,
      onDrift,
      onFailure: (reason) => this.#logger.warn(`Redirect rules cannot be looked at: ${reason}`),
    });
  }

  /** Closes all sockets of this instance, connections too. Redirect rules stay, until the next instance replaces them. */
  async close(): Promise<void> {
    this.#redirection?.redirector.close?.();
    await this.#engine.closeAll();
    await this.#ownCarrier?.close();
  }

  /** Closes all sockets of this instance, connections too, and removes all redirect rules, whoever wrote them. */
  async cleanup(): Promise<void> {
    const { redirector } = await this.#prepare();
    await redirector.cleanup();
    await this.#engine.closeAll();
    await this.#ownCarrier?.close();
    this.#clusterIPs = new Set();
    this.#redirectedEndpoints = new RedirectedEndpoints();
    this.#warned.clear();
    this.#addressesApplied = '';
  }

  async #prepare(): Promise<Redirection> {
    await this.#environment.budget.ready();
    this.#redirection ??= (await this.options.redirection?.()) ?? { reach: 'none', redirector: noRedirector };
    const { reach, ownSockets } = this.#redirection;
    this.#dialer.use(
      reach === 'redirected' && ownSockets
        ? {
            sockets: ownSockets,
            isNeeded: (protocol, target) => this.#redirectedEndpoints.includes(protocol, target),
          }
        : undefined,
    );
    const { listenAddresses } = this.options;
    this.#planner ??= new UserspacePlanner({ reach, ...(listenAddresses ? { listenAddresses } : {}) });
    return this.#redirection;
  }

  /** Of this family. Link-local ones come and go with interfaces, and nothing can be bound to them alone. */
  async #localAddresses(): Promise<readonly string[]> {
    const ipv6 = this.options.family === 'IPv6';
    const addresses = await this.options.localAddresses();
    return addresses.filter((address) => address.includes(':') === ipv6 && !/^(fe[89ab]|169\.254\.)/.test(address));
  }

  async #settleNode(
    { node }: UserspaceTransaction,
    touched: Set<ListenerId>,
    failed: Map<ListenerId, unknown>,
  ): Promise<void> {
    const addresses = await this.#localAddresses();
    const text = addresses.join(' ');
    const next = node ?? this.#engine.node;
    if (!next || (node === undefined && text === this.#addressesApplied)) {
      return;
    }
    const settled = await this.#engine.setNode(next, addresses);
    this.#addressesApplied = text;
    for (const id of settled.moved) {
      touched.add(id);
    }
    for (const [id, error] of settled.failed) {
      failed.set(id, error);
    }
  }

  /** Takes note of the endpoints. Where own connections cannot be exempted, rules of listeners depend on them. */
  #compareEndpoints({ set, remove }: UserspaceTransaction, touched: Set<ListenerId>): void {
    if (this.#redirection?.reach !== 'redirected') {
      return;
    }
    const affected = [
      ...remove.flatMap((key) => this.#redirectedEndpoints.removeService(key)),
      ...set.flatMap((service) => this.#redirectedEndpoints.setService(service)),
    ];
    if (this.#whyNotExempt() !== undefined) {
      for (const id of affected) {
        touched.add(id);
      }
    }
  }

  #whyNotExempt(): string | undefined {
    const { ownSockets } = this.#redirection ?? {};
    return ownSockets ? ownSockets.unusable : 'the redirector cannot exempt them';
  }

  #redirected(id: ListenerId, spec: ListenerSpec): RedirectedListener {
    const name = this.#engine.services.get(spec.servicePort)?.name ?? spec.servicePort;
    const listener = { spec, name, at: this.#engine.boundAt(id) };
    const reason = this.#whyNotExempt();
    const notFromHost = reason === undefined ? [] : this.#redirectedEndpoints.portalsAtEndpoints(spec);
    const [first] = notFromHost;
    if (!first) {
      this.#warned.delete(id);
      return listener;
    }
    if (!this.#warned.has(id)) {
      this.#warned.add(id);
      const at = joinHostPort(first.address ?? '', first.port);
      this.#logger.warn(
        `${name}: ${at} is an address of the Service and an endpoint at once. Connections of this node to it reach this ` +
          `endpoint only, as the proxy's own connections cannot be distinguished: ${reason}`,
      );
    }
    return { ...listener, notFromHost };
  }

  async #redirect(
    redirector: Redirector,
    transaction: UserspaceTransaction,
    touched: ReadonlySet<ListenerId>,
    leaving: ReadonlySet<ListenerId>,
  ): Promise<void> {
    const { node } = this.#engine;
    if (!node) {
      return;
    }
    const listeners = new Map<ListenerId, RedirectedListener>();
    // Only those that rules are written for.
    for (const id of transaction.full || transaction.node ? this.#engine.listenerIds : touched) {
      const spec = this.#engine.spec(id);
      const isBound = this.#engine.boundAt(id).length > 0;
      if (spec && isBound && (!leaving.has(id) || transaction.open.some((opened) => opened.id === id))) {
        listeners.set(id, this.#redirected(id, spec));
        this.#redirectedEndpoints.announce(spec);
      }
    }
    const clusterIPs = new Set([...transaction.addClusterIPs, ...transaction.removeClusterIPs]);
    await redirector.apply(
      { node, listeners, clusterIPs: this.#clusterIPs },
      transaction.full ? 'all' : { listeners: touched, clusterIPs, node: transaction.node !== undefined },
    );
    this.#redirectedEndpoints.confirm(listeners, transaction.full ? 'all' : touched);
  }

  #partly(failed: ReadonlyMap<ListenerId, unknown>): UserspacePartlyApplied {
    const refused = new Map<string, string>();
    for (const [id, error] of failed) {
      refused.set(this.#engine.spec(id)?.servicePort ?? id, messageOf(error));
    }
    return new UserspacePartlyApplied(refused, { cause: [...failed.values()][0] });
  }
}
