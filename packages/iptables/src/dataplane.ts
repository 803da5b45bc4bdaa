import {
  type ApplyReport,
  type ChangeSet,
  type Clock,
  type Dataplane,
  type FormerAffinity,
  finish,
  type IPFamily,
  type Logger,
  logKeptClients,
  logLostClients,
  PartlyAppliedError,
  type ProxyState,
  type RuleChange,
  readFormerAffinity,
  type ServiceCounts,
  type Slices,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import {
  type AddToRecentLists,
  addToRecentLists,
  type Iptables,
  type PacketCounters,
  ProcSysctl,
  type Sysctl,
} from '@kube-proxier/linux';
import { applyTransaction } from './apply/apply-transaction.js';
import { openLocalnet } from './apply/open-localnet.js';
import { RuleCounts } from './apply/rule-counts.js';
import type { InstalledIptables } from './plan/installed-iptables.js';
import { IptablesPlanner } from './plan/iptables-planner.js';
import { describeTransaction, type IptablesTransaction } from './plan/iptables-transaction.js';
import { renderChanges } from './plan/render-changes.js';
import { readInstalled } from './read-back/read-installed.js';
import { RuleConnections, type StateInForce } from './read-back/rule-connections.js';
import { TableAudit } from './read-back/table-audit.js';
import { jumpsStand, watchJumps } from './read-back/watch-jumps.js';
import { removeRules } from './table-cleanup.js';

export interface IptablesDataplaneOptions {
  readonly family: IPFamily;
  /** Finds the tools to use; called once, when they are first needed. */
  readonly iptables: () => Promise<Iptables>;
  /** Finds the tools for drift checks, which must not block writes; called once. Default: {@link iptables} again. */
  readonly iptablesToWatch?: () => Promise<Iptables>;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Default: the settings of this process's network namespace. */
  readonly sysctl?: Sysctl;
  /** Counters of the kernel for rules to count in. Default: nothing is counted. */
  readonly counters?: PacketCounters;
  /** Count connections to every Service without an annotation for it. Default false. */
  readonly countConnections?: boolean;
  /** Reads the clients of session affinity of other rules. Default: none. */
  readonly formerAffinity?: () => Promise<FormerAffinity>;
  /** Default: in this process's network namespace. */
  readonly addToRecentLists?: AddToRecentLists;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Programs one IP family through iptables. */
export class IptablesDataplane implements Dataplane<IptablesTransaction, InstalledIptables> {
  readonly #planner: IptablesPlanner;
  readonly #sysctl: Sysctl;
  readonly #logger: Logger;
  readonly #counts = new RuleCounts();
  readonly #connections: RuleConnections;
  #planned: StateInForce | undefined;
  #found: Promise<Iptables> | undefined;
  #localnetRefused = false;
  /** No rules were written or found to be right yet: they may take over from other rules. */
  #isFirst = true;
  /** Number of times that the jumps were written or found. */
  #jumpsPlaced = 0;

  constructor(private readonly options: IptablesDataplaneOptions) {
    this.#planner = new IptablesPlanner(options.masqueradeBit ?? 14);
    this.#sysctl = options.sysctl ?? new ProcSysctl();
    this.#logger = options.logger ?? silentLogger;
    this.#connections = new RuleConnections({
      family: options.family,
      iptables: () => this.#iptables(),
      countAll: options.countConnections ?? false,
    });
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIptables): IptablesTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  *planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledIptables,
  ): Slices<IptablesTransaction | undefined> {
    const transaction = yield* this.#planner.planInSlices(next, changes, installed);
    if (transaction === undefined) {
      this.#isFirst = false;
      this.#connections.written(undefined, { state: next, changes });
    }
    this.#planned = { state: next, changes };
    return transaction;
  }

  /** Connections to the service ports for which they are counted. Reads the kernel, if there are any. */
  connections(): Promise<readonly ServiceCounts[]> {
    return this.#connections.read();
  }

  async apply(transaction: IptablesTransaction): Promise<void> {
    const planned = this.#planned;
    const counters = await this.#connections.beforeWrite(transaction.nat.writes.keys());
    let inForce: StateInForce | undefined;
    try {
      await this.#write(transaction);
      inForce = planned;
    } finally {
      this.#connections.written(counters, inForce);
    }
  }

  async #write(transaction: IptablesTransaction): Promise<void> {
    const iptables = await this.#iptables();
    this.#counts.unknown();
    let partly: PartlyAppliedError | undefined;
    let isGuarded = false;
    try {
      isGuarded = await applyTransaction(iptables, transaction, this.#logger);
    } catch (error) {
      if (!(error instanceof PartlyAppliedError)) {
        throw error;
      }
      partly = error;
    }
    await this.#keepClients(transaction);
    // Last, so that its jumps precede ours.
    if (transaction.localnet) {
      this.#localnetRefused = !(await openLocalnet(iptables, this.#sysctl, this.#logger, isGuarded));
    }
    if (partly !== undefined) {
      throw partly;
    }
    if (transaction.filter.insertions.length > 0 || transaction.nat.insertions.length > 0) {
      this.#jumpsPlaced++;
    }
    this.#counts.applied(transaction);
  }

  report(): ApplyReport {
    return { rules: this.#counts.rules };
  }

  async readBack(): Promise<InstalledIptables> {
    const { counters } = this.options;
    const installed = await readInstalled({ iptables: await this.#iptables(), sysctl: this.#sysctl, counters });
    this.#counts.found(installed);
    if (jumpsStand(installed)) {
      this.#jumpsPlaced++;
    }
    const isEmpty = ![...installed.nat.keys()].some((chain) => chain.startsWith('KUBE-SEP-'));
    const { family, formerAffinity: read } = this.options;
    const formerAffinity = this.#isFirst && isEmpty ? await readFormerAffinity(read, family, this.#logger) : undefined;
    return {
      ...installed,
      localnetRefused: this.#localnetRefused,
      ...(formerAffinity === undefined ? {} : { formerAffinity }),
    };
  }

  /** Adds clients of other rules to the lists of their endpoints, which exist now. */
  async #keepClients({ family, keptClients = [] }: IptablesTransaction): Promise<void> {
    this.#isFirst = false;
    if (keptClients.length === 0) {
      return;
    }
    const { addToRecentLists: add = addToRecentLists } = this.options;
    try {
      logKeptClients(this.#logger, family, await add(keptClients));
    } catch (error) {
      logLostClients(this.#logger, family, error);
    }
  }

  async watch(onDrift: (what: string) => void, signal: AbortSignal, onForeignChange?: () => void): Promise<void> {
    const { family, clock = systemClock, iptables, iptablesToWatch = iptables } = this.options;
    const audit = new TableAudit({
      iptables: iptablesToWatch,
      clock,
      expected: () => this.#counts.expected,
    });
    await audit.begin();
    await watchJumps({
      iptables: () => this.#iptables(),
      clock,
      signal,
      placed: () => this.#jumpsPlaced,
      afterCheck: () => audit.look(onDrift, onForeignChange),
      onDrift,
      onFailure: (reason) => this.#logger.debug(2, 'Cannot look whether rules were flushed', { family, reason }),
    });
    await audit.end();
  }

  describe(transaction: IptablesTransaction): string {
    return describeTransaction(transaction);
  }

  render(transaction: IptablesTransaction, installed: InstalledIptables): readonly RuleChange[] {
    return renderChanges(transaction, installed);
  }

  close(): void {
    // Tools that were never found need not be closed.
    void this.#found?.then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  async cleanup(): Promise<void> {
    await removeRules(await this.#iptables(), { owner: 'kube-proxier', sysctl: this.#sysctl, logger: this.#logger });
  }

  #iptables(): Promise<Iptables> {
    this.#found ??= this.options.iptables().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }
}
