import {
  type ApplyReport,
  type ChangeSet,
  type Clock,
  type Dataplane,
  type IPFamily,
  type Logger,
  PartlyAppliedError,
  type ProxyState,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import {
  type Iptables,
  IptablesError,
  IptablesRule,
  type PacketCounters,
  ProcSysctl,
  parseSavedTable,
  type Sysctl,
  SysctlError,
} from '@kube-proxier/linux';
import { applyTransaction } from './apply/apply-transaction.js';
import { openLocalnet } from './apply/open-localnet.js';
import { RuleCounts } from './apply/rule-counts.js';
import { cleanUp } from './cleanup.js';
import { COUNTERS, ROUTE_LOCALNET } from './plan/fixed-chains.js';
import type { InstalledIptables } from './plan/installed-iptables.js';
import { IptablesPlanner } from './plan/iptables-planner.js';
import type { IptablesTransaction, TableTransaction } from './plan/iptables-transaction.js';
import { TableAudit } from './read-back/table-audit.js';
import { jumpsStand, watchJumps } from './read-back/watch-jumps.js';

export interface IptablesDataplaneOptions {
  readonly family: IPFamily;
  /** Finds the tools to use; asked once, when they are first needed. */
  readonly iptables: () => Promise<Iptables>;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Default: the settings of this process's network namespace. */
  readonly sysctl?: Sysctl;
  /** Counters of the kernel for rules to count in. Default: nothing is counted. */
  readonly counters?: PacketCounters;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

const TCP_BE_LIBERAL = 'net/netfilter/nf_conntrack_tcp_be_liberal';

/** Programs one IP family through iptables. */
export class IptablesDataplane implements Dataplane<IptablesTransaction, InstalledIptables> {
  readonly #planner: IptablesPlanner;
  readonly #sysctl: Sysctl;
  readonly #logger: Logger;
  readonly #counts = new RuleCounts();
  #found: Promise<Iptables> | undefined;
  #localnetRefused = false;
  /** How often the jumps were put in place, or found there. */
  #jumpsPlaced = 0;

  constructor(private readonly options: IptablesDataplaneOptions) {
    this.#planner = new IptablesPlanner(options.masqueradeBit ?? 14);
    this.#sysctl = options.sysctl ?? new ProcSysctl();
    this.#logger = options.logger ?? silentLogger;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIptables): IptablesTransaction | undefined {
    return this.#planner.plan(next, changes, installed);
  }

  async apply(transaction: IptablesTransaction): Promise<void> {
    const iptables = await this.#iptables();
    this.#counts.unknown();
    let partly: PartlyAppliedError | undefined;
    try {
      await applyTransaction(iptables, transaction, this.#logger);
    } catch (error) {
      if (!(error instanceof PartlyAppliedError)) {
        throw error;
      }
      partly = error;
    }
    // Last, so that its jumps stand above ours.
    if (transaction.localnet) {
      this.#localnetRefused = !(await openLocalnet(iptables, this.#sysctl, this.#logger));
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
    const iptables = await this.#iptables();
    const { randomFully } = await iptables.version();
    const [filter, nat, liberal, routeLocalnet] = await Promise.all([
      iptables.save('filter'),
      iptables.save('nat'),
      this.#setting(TCP_BE_LIBERAL),
      this.#setting(ROUTE_LOCALNET),
    ]);
    const tables = { filter: parseSavedTable(filter, 'filter'), nat: parseSavedTable(nat, 'nat') };
    this.#counts.found(tables);
    if (jumpsStand(tables)) {
      this.#jumpsPlaced++;
    }
    return {
      ...tables,
      routeLocalnet: routeLocalnet === '1',
      localnetRefused: this.#localnetRefused,
      facts: { randomFully, dropInvalid: liberal === undefined || liberal === '0', counters: await this.#counters() },
    };
  }

  async watch(onDrift: (what: string) => void, signal: AbortSignal): Promise<void> {
    const { family, clock = systemClock } = this.options;
    const audit = new TableAudit({
      iptables: this.options.iptables,
      clock,
      expected: () => this.#counts.expected,
    });
    await audit.begin();
    await watchJumps({
      iptables: () => this.#iptables(),
      clock,
      signal,
      placed: () => this.#jumpsPlaced,
      lookFurther: () => audit.look(onDrift),
      onDrift,
      onFailure: (reason) => this.#logger.debug(2, 'Cannot look whether rules were flushed', { family, reason }),
    });
    await audit.end();
  }

  describe({ filter, nat }: IptablesTransaction): string {
    const tables = [filter, nat];
    const sum = (count: (table: TableTransaction) => number) =>
      tables.reduce((total, table) => total + count(table), 0);
    const chains = sum(({ writes }) => writes.size);
    const removed = sum(({ deletes }) => deletes.size);
    const jumps = sum(({ insertions }) => insertions.length);
    return `${chains} chains and ${jumps} jumps, removed ${removed} chains`;
  }

  close(): void {
    // What was never found need not be closed.
    void this.#found?.then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  async cleanup(): Promise<void> {
    await cleanUp(await this.#iptables(), { owner: 'kube-proxier', sysctl: this.#sysctl, logger: this.#logger });
  }

  #iptables(): Promise<Iptables> {
    this.#found ??= this.options.iptables().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  /** Made where the kernel has such counters (spec I-72, I-23). */
  async #counters(): Promise<ReadonlySet<string>> {
    const there = new Set<string>();
    for (const name of Object.values(COUNTERS)) {
      if ((await this.options.counters?.ensure(name)) && (await this.#canCountIn(name))) {
        there.add(name);
      }
    }
    return there;
  }

  /** A kernel may have the counters, and not the match: then a rule with it would be refused, and all rules with it. */
  async #canCountIn(name: string): Promise<boolean> {
    try {
      const { text } = new IptablesRule({ matches: [{ match: 'nfacct', counter: name }] });
      await (await this.#iptables()).ruleExists('filter', 'FORWARD', text);
      return true;
    } catch (error) {
      if (error instanceof IptablesError && error.code === 'IPTABLES_FAILED') {
        return false;
      }
      throw error;
    }
  }

  /** Undefined when the kernel has no such setting, or does not show it. */
  async #setting(name: string): Promise<string | undefined> {
    try {
      return await this.#sysctl.read(name);
    } catch (error) {
      if (error instanceof SysctlError) {
        return undefined;
      }
      throw error;
    }
  }
}
