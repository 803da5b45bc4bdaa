import {
  type ChangeSet,
  type Clock,
  type Dataplane,
  type IPFamily,
  type Logger,
  type ProxyState,
  type RuleChange,
  type Slices,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { type ApplyTarget, applyTransaction } from './apply/apply-transaction.js';
import { LocalAddresses } from './apply/local-addresses.js';
import { noRedirector } from './apply/redirector.js';
import { type Redirection, Redirects } from './apply/redirects.js';
import type { InstalledUserspace } from './plan/installed-userspace.js';
import { renderChanges } from './plan/render-changes.js';
import { UserspacePlanner } from './plan/userspace-planner.js';
import type { ListenerId, UserspaceTransaction } from './plan/userspace-transaction.js';
import { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
import { EndpointDialer } from './proxy/endpoint-dialer.js';
import { KeepAlive } from './proxy/keep-alive.js';
import type { NodePortListeners } from './proxy/node-port-listeners.js';
import { ProxyEngine } from './proxy/proxy-engine.js';
import { type ProxySettings, proxyLimits } from './proxy/proxy-settings.js';
import type { ServiceTraffic } from './proxy/service-traffic.js';
import { readInstalled } from './read-back/read-installed.js';
import { SpliceCarrier } from './splice/splice-carrier.js';

export interface UserspaceDataplaneOptions extends ProxySettings {
  readonly family: IPFamily;
  /** Canonical addresses of all interfaces of this host. */
  readonly localAddresses: () => Promise<readonly string[]>;
  /** Determines how clients reach the sockets; called until it succeeds. Default: nothing is redirected. */
  readonly redirection?: () => Promise<Redirection>;
  /** Shared by the proxiers of both families. Default: one by the limits of this process. */
  readonly budget?: DescriptorBudget;
  /** Carries large transfers; shared by the proxiers of both families. Default: one of its own. */
  readonly carrier?: SpliceCarrier;
  /**
   * Milliseconds from the removal of an endpoint to the reset of its connections, if the Service requests it. Default
   * 1000.
   */
  readonly goneAfter?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** Serves one IP family by sockets of this process. */
export class UserspaceDataplane implements Dataplane<UserspaceTransaction, InstalledUserspace> {
  readonly followsLocalAddresses = true;
  readonly #planner: UserspacePlanner;
  readonly #engine: ProxyEngine;
  readonly #budget: DescriptorBudget;
  readonly #clock: Clock;
  readonly #dialer: EndpointDialer;
  readonly #logger: Logger;
  /** To be closed with this instance. */
  readonly #ownCarrier: SpliceCarrier | undefined;
  #addresses: LocalAddresses;
  #redirects: Redirects | undefined;
  #creatingRedirects: Promise<Redirects> | undefined;

  constructor(private readonly options: UserspaceDataplaneOptions) {
    const { family, portRange, listenAddresses = [], clock = systemClock, logger = silentLogger } = options;
    this.#planner = new UserspacePlanner({ listenAddresses });
    this.#addresses = this.#newAddresses();
    this.#budget = options.budget ?? new DescriptorBudget(descriptorLimit);
    this.#clock = clock;
    this.#dialer = new EndpointDialer(family);
    this.#logger = logger;
    this.#ownCarrier = options.carrier ? undefined : new SpliceCarrier();
    this.#engine = new ProxyEngine({
      family,
      environment: {
        ...proxyLimits(options),
        ...(options.goneAfter === undefined ? {} : { goneAfter: options.goneAfter }),
        clock,
        logger,
        keepAlive: new KeepAlive(clock),
        dialer: this.#dialer,
        budget: this.#budget,
        carrier: options.carrier ?? this.#ownCarrier,
      },
      ...(portRange === undefined ? {} : { portRange }),
    });
  }

  /** Traffic of each service port, for metrics. Deleted service ports are included until they are drained. */
  get traffic(): readonly ServiceTraffic[] {
    const { family } = this.options;
    return this.#engine.traffic.map((traffic) => ({ ...traffic, family }));
  }

  /** NodePorts that sockets serve, for metrics. */
  get nodePorts(): NodePortListeners {
    return { family: this.options.family, ...this.#engine.nodePorts };
  }

  /** Addresses of the sockets of a listener; for tests and explanations. */
  boundAt(id: ListenerId) {
    return this.#engine.boundAt(id);
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledUserspace): UserspaceTransaction | undefined {
    return this.#planner.plan(next, changes, installed);
  }

  planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledUserspace,
  ): Slices<UserspaceTransaction | undefined> {
    return this.#planner.planInSlices(next, changes, installed);
  }

  async readBack(): Promise<InstalledUserspace> {
    return await readInstalled(await this.#prepare());
  }

  /** @throws PartlyAppliedError when some sockets could not be opened; everything else is in force. */
  async apply(transaction: UserspaceTransaction): Promise<void> {
    const target = await this.#prepare();
    for (const problem of new Set(transaction.problems)) {
      this.#logger.warn(problem);
    }
    await applyTransaction(transaction, target);
  }

  async watch(onDrift: (what: string) => void, signal: AbortSignal, onForeignChange?: () => void): Promise<void> {
    const { redirects } = await this.#prepare();
    await redirects.redirector.watch?.({
      clock: this.#clock,
      signal,
      onDrift,
      onForeignChange,
      onFailure: (reason) => this.#logger.warn(`Redirect rules cannot be checked: ${reason}`),
    });
  }

  render(transaction: UserspaceTransaction, installed: InstalledUserspace): readonly RuleChange[] {
    return renderChanges(transaction, installed);
  }

  /** Closes all sockets of this instance, connections too. Redirect rules stay, until the next instance replaces them. */
  async close(): Promise<void> {
    this.#redirects?.redirector.close?.();
    await this.#engine.closeAll();
    await this.#ownCarrier?.close();
  }

  /** Closes all sockets of this instance, connections too, and removes all redirect rules, also those of other processes. */
  async cleanup(): Promise<void> {
    const { redirects } = await this.#prepare();
    await redirects.cleanup();
    await this.#engine.closeAll();
    await this.#ownCarrier?.close();
    this.#addresses = this.#newAddresses();
  }

  #newAddresses(): LocalAddresses {
    return new LocalAddresses(this.options.family, this.options.localAddresses);
  }

  async #prepare(): Promise<ApplyTarget> {
    await this.#budget.ready();
    this.#creatingRedirects ??= this.#createRedirects().catch((error: unknown) => {
      this.#creatingRedirects = undefined;
      throw error;
    });
    return { engine: this.#engine, addresses: this.#addresses, redirects: await this.#creatingRedirects };
  }

  async #createRedirects(): Promise<Redirects> {
    const redirection = (await this.options.redirection?.()) ?? { reach: 'none', redirector: noRedirector };
    const redirects = new Redirects(redirection, this.#engine, this.#logger);
    const { reach, ownSockets } = redirection;
    this.#dialer.use(
      reach === 'redirected' && ownSockets
        ? { sockets: ownSockets, isNeeded: (protocol, target) => redirects.mayRedirect(protocol, target) }
        : undefined,
    );
    this.#redirects = redirects;
    return redirects;
  }
}
