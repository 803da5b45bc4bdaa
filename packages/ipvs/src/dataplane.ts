import {
  type ChangeSet,
  type Clock,
  type Dataplane,
  finish,
  GONE_AFTER,
  type IPFamily,
  type LeftoverOwner,
  type Logger,
  messageOf,
  type ProxyState,
  type RemovedObjects,
  type RuleChange,
  type ServiceCounts,
  type Slices,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { type Iptables, type IpvsTimeouts, ProcSysctl } from '@kube-proxier/linux';
import { type ApplyTarget, applyTransaction } from './apply/apply-transaction.js';
import { Draining } from './apply/draining.js';
import { ExpectedServers } from './apply/expected-servers.js';
import { HostSettings } from './apply/host-settings.js';
import { TimeoutSettings } from './apply/ipvs-timeouts.js';
import { LostServers } from './apply/lost-servers.js';
import { ReferencedSets } from './apply/referenced-sets.js';
import { detach } from './apply/virtual-addresses.js';
import { VirtualInterface } from './apply/virtual-interface.js';
import { cleanUp, describeRemoval, forgetDatagrams, type IpvsCleanup } from './cleanup.js';
import type { IpvsHost } from './ipvs-host.js';
import { describeTransaction } from './plan/describe-transaction.js';
import type { InstalledIpvs, InstalledVirtualServer } from './plan/installed-ipvs.js';
import { IpvsPlanner } from './plan/ipvs-planner.js';
import { removalOf } from './plan/ipvs-removal.js';
import type { IpvsTransaction } from './plan/ipvs-transaction.js';
import { MarkLayout } from './plan/layout.js';
import { renderChanges } from './plan/render-changes.js';
import { DEFAULT_SCHEDULER } from './plan/schedulers.js';
import { readInstalled, readLocalAddresses } from './read-back/read-installed.js';
import { ServerCounts } from './read-back/server-counts.js';
import { jumpsStand, watchKernel } from './read-back/watch-kernel.js';

/** Settings of the mode itself. */
export interface IpvsSettings {
  /** Scheduler of Services that do not choose one by annotation. Default `rr`. */
  readonly scheduler?: string;
  /** Networks whose virtual servers are foreign, and left unchanged. Default none. */
  readonly excludeCIDRs?: readonly string[];
  /** Answer ARP only on the interface that has the address, so that virtual addresses are not announced. Default false. */
  readonly strictARP?: boolean;
  /** Seconds; 0 leaves one unchanged. Default: all unchanged. */
  readonly timeouts?: IpvsTimeouts;
}

/** Options of an {@link IpvsDataplane}. */
export interface IpvsDataplaneOptions extends IpvsSettings {
  readonly family: IPFamily;
  readonly host: IpvsHost;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Schedulers of the kernel; called for each full sync, returns undefined while they are not known. */
  readonly availableSchedulers?: () => ReadonlySet<string> | undefined;
  /** Read-only: draining servers are left to the proxier that drains them. Default false. */
  readonly readOnly?: boolean;
  /** Default for counting connections, for Services without the annotation. Default false. */
  readonly countConnections?: boolean;
  /**
   * Milliseconds from the removal of an endpoint to the reset of its connections, if the Service requests it (spec
   * Default 2000.
   */
  readonly lostAfter?: number;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Programs one IP family through IPVS. */
export class IpvsDataplane implements Dataplane<IpvsTransaction, InstalledIpvs> {
  readonly followsLocalAddresses = true;
  readonly #planner: IpvsPlanner;
  readonly #marks: MarkLayout;
  readonly #target: ApplyTarget;
  readonly #logger: Logger;
  readonly #reported = new Set<string>();
  readonly #counts: ServerCounts;
  /** The state of the last plan. */
  #planned: ProxyState | undefined;
  readonly #lost: LostServers;
  #queue: Promise<unknown> = Promise.resolve();
  #found: Promise<Iptables> | undefined;
  /** Number of times that the jumps were written or found. */
  #rulesPlaced = 0;

  constructor(private readonly options: IpvsDataplaneOptions) {
    const { family, host, logger = silentLogger, masqueradeBit = 14, scheduler = DEFAULT_SCHEDULER } = options;
    this.#logger = logger;
    this.#marks = new MarkLayout(masqueradeBit);
    this.#planner = new IpvsPlanner({ family, masqueradeBit, marks: this.#marks, scheduler });
    this.#counts = new ServerCounts({
      family,
      ipvs: host.ipvs,
      countAll: options.countConnections ?? false,
      virtualServersOf: (state, port) => this.#planner.virtualServersOf(state, port),
    });
    this.#lost = new LostServers((state, port) => this.#planner.virtualServersOf(state, port));
    const warn = (problem: string) => this.#warnOnce(problem);
    this.#target = {
      family,
      host,
      ipvs: host.ipvs,
      iptables: () => this.#iptables(),
      settings: new HostSettings(host.sysctl ?? new ProcSysctl(), logger, options.strictARP ?? false),
      timeouts: new TimeoutSettings(host.ipvs, options.timeouts, warn),
      virtualInterface: new VirtualInterface(host.links),
      referencedSets: new ReferencedSets(family, warn),
      expected: new ExpectedServers(),
      draining: new Draining({
        ipvs: host.ipvs,
        clock: options.clock ?? systemClock,
        detach: (attachments) => detach(this.#target, attachments),
        inTurn: (work) => this.#inTurn(work),
        isLost: (server) => this.#lost.has(server),
        lostAfter: options.lostAfter ?? 2 * GONE_AFTER,
        onFailure: (reason) => logger.warn(`Cannot check whether endpoints are drained: ${reason}`, { family }),
      }),
      onRulesWritten: () => {
        this.#rulesPlaced++;
      },
    };
  }

  /** Number of draining real servers. */
  get draining(): number {
    return this.#target.draining.size;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): IpvsTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  *planInSlices(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): Slices<IpvsTransaction | undefined> {
    const transaction = yield* this.#planner.planInSlices(next, changes, installed);
    this.#planned = next;
    this.#lost.advance(next, changes);
    return transaction;
  }

  /** Kernel counters of service ports with counted connections. Reads the kernel, if there are any. */
  connections(): Promise<readonly ServiceCounts[]> {
    return this.#counts.read(this.#planned);
  }

  apply(transaction: IpvsTransaction): Promise<void> {
    for (const problem of transaction.problems) {
      this.#warnOnce(problem);
    }
    return this.#inTurn(() => applyTransaction(transaction, this.#target));
  }

  readBack(): Promise<InstalledIpvs> {
    return this.#inTurn(() => this.#readBack());
  }

  /** Usable addresses of the host that are not virtual ones. */
  localAddresses(): Promise<readonly string[]> {
    return readLocalAddresses(this.options.host);
  }

  /** Whether an interface is the one with the virtual addresses, by its index. */
  isOwnInterface(link: number): boolean {
    return link === this.#target.virtualInterface.index;
  }

  watch(onDrift: (what: string) => void, signal: AbortSignal, onForeignChange?: () => void): Promise<void> {
    const { family, host, clock = systemClock } = this.options;
    const { draining, expected, virtualInterface } = this.#target;
    signal.addEventListener('abort', () => draining.stop(), { once: true });
    return watchKernel({
      ipvs: host.ipvs,
      iptables: () => this.#iptables(),
      links: host.links,
      sentinel: () => expected.sentinel,
      link: () => virtualInterface.index,
      placed: () => this.#rulesPlaced,
      clock,
      signal,
      onDrift,
      onForeignChange,
      onFailure: (reason) => this.#logger.debug(2, 'Cannot check IPVS for drift', { family, reason }),
    });
  }

  close(): void {
    // Tools that were never found need not be closed.
    void this.#found?.then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  describe(transaction: IpvsTransaction): string {
    return describeTransaction(transaction);
  }

  render(transaction: IpvsTransaction, installed: InstalledIpvs): readonly RuleChange[] {
    return renderChanges(transaction, installed);
  }

  async cleanup(): Promise<void> {
    await this.remove(false);
  }

  /**
   * Removes the objects of one owner.
   *
   * @param gently virtual servers with open connections are kept with weight 0.
   * @param whose default `both`, as `cleanup` does.
   * @throws LeftoversError (`IPVS_LEFTOVERS`) when the kernel refused to remove objects.
   */
  remove(gently: boolean, whose: LeftoverOwner | 'both' = 'both'): Promise<IpvsCleanup> {
    const { draining, expected, virtualInterface } = this.#target;
    draining.stop();
    return this.#inTurn(async () => {
      const { host } = this.options;
      const installed = await this.#readBack();
      draining.stop();
      const removal = removalOf(installed, whose);
      const result = await cleanUp(host, await this.#iptables(), installed, removal, gently);
      virtualInterface.forget();
      expected.clear();
      if (gently) {
        // Everything is removed even if this fails, and the rest must be checked again.
        await forgetDatagrams(host.conntrack, removal.virtualServers).catch((error) =>
          this.#logger.warn(`UDP flows that IPVS led may lead nowhere until they end: ${messageOf(error)}`),
        );
      }
      return result;
    });
  }

  /** What {@link remove} would remove. Changes nothing. */
  async leftovers(whose: LeftoverOwner): Promise<readonly RemovedObjects[]> {
    const installed = await this.readBack();
    this.#target.draining.stop();
    return describeRemoval(this.options.family, installed, removalOf(installed, whose));
  }

  /** Writing, draining and reading back do not overlap. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  #warnOnce(problem: string): void {
    if (!this.#reported.has(problem)) {
      this.#reported.add(problem);
      this.#logger.warn(problem);
    }
  }

  #iptables(): Promise<Iptables> {
    this.#found ??= this.options.host.iptables().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #readBack(): Promise<InstalledIpvs> {
    const { family, host, availableSchedulers, excludeCIDRs = [] } = this.options;
    const { expected, referencedSets, settings, timeouts, virtualInterface } = this.#target;
    const iptables = await this.#iptables();
    const { randomFully } = await iptables.version();
    const objects = await readInstalled({
      family,
      host,
      iptables,
      marks: this.#marks,
      excludeCIDRs,
      link: await virtualInterface.read(),
      ignoresSet: (name) => referencedSets.has(name),
    });
    expected.found(objects.virtualServers);
    if (this.options.readOnly !== true) {
      this.#resumeDraining(objects.virtualServers);
    }
    if (jumpsStand(objects.tables)) {
      this.#rulesPlaced++;
    }
    return {
      ...objects,
      settled: (await settings.areRight()) && (await timeouts.areSet()),
      facts: { randomFully, schedulers: availableSchedulers?.() },
      reportedProblems: new Set(this.#reported),
    };
  }

  #resumeDraining(servers: readonly InstalledVirtualServer[]): void {
    this.#target.draining.add(
      servers.flatMap(({ virtual: { at }, reals }) =>
        // UDP servers without weight are planned: they keep their flows for as long as their endpoints serve.
        at.kind === 'mark' || at.protocol !== 'UDP'
          ? reals.filter(({ weight }) => weight === 0).map(({ address, port }) => ({ at, address, port, drains: true }))
          : [],
      ),
    );
  }
}
