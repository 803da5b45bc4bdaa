import {
  type ApplyReport,
  type ChangeSet,
  type Clock,
  countOf,
  type Dataplane,
  type DriftReporter,
  type FormerAffinity,
  type IPFamily,
  type Logger,
  logKeptClients,
  type ProxyState,
  type RuleChange,
  readFormerAffinity,
  type ServiceCounts,
  type Slices,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import type { Nft, NftError, NftTableFlag } from '@kube-proxier/linux';
import { applyTransaction } from './apply/apply-transaction.js';
import { keepTraffic } from './apply/keep-traffic.js';
import { removeTable } from './cleanup.js';
import type { InstalledNftables } from './plan/installed-nftables.js';
import { type Layout, nftFamily, TABLE } from './plan/layout.js';
import { isEmptyTable, NftablesPlanner } from './plan/nftables-planner.js';
import type { NftablesTransaction } from './plan/nftables-transaction.js';
import { renderChanges } from './plan/render-changes.js';
import { isRefusal } from './probe.js';
import { countedServices } from './read-back/counted-services.js';
import { readInstalled, supportsFullyRandom } from './read-back/read-installed.js';
import { watchTable } from './read-back/watch-table.js';

export interface NftablesDataplaneOptions {
  readonly family: IPFamily;
  readonly nft: Nft;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Count connections to every Service without an annotation for it. Default false. */
  readonly countConnections?: boolean;
  /** Count packets of every Service without an annotation for it, for each endpoint. Default false. */
  readonly countTraffic?: boolean;
  /** The layout that this host accepts; called before each full sync. Default: the constant layout. */
  readonly layout?: () => Promise<Layout>;
  /** Whether this host can count for each endpoint; called before each full sync. Default: it can. */
  readonly canCountEndpoints?: () => Promise<boolean>;
  /** Whether `masquerade fully-random` is supported. Default: the kernel checks such a rule. */
  readonly fullyRandom?: boolean;
  /** The flags of the table; called before each full sync. Default: none. */
  readonly tableFlags?: () => Promise<readonly NftTableFlag[] | undefined>;
  /**
   * Called when a transaction is refused, with the error. The returned error is thrown: a different one if `layout` or
   * `canCountEndpoints` may now return something else. Default: the same error.
   */
  readonly onRefused?: (error: NftError) => Error;
  /**
   * The clients of session affinity of other rules; called before a full sync without a table. Default: none.
   */
  readonly formerAffinity?: () => Promise<FormerAffinity>;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Programs one IP family through nftables. */
export class NftablesDataplane implements Dataplane<NftablesTransaction, InstalledNftables> {
  readonly #planner: NftablesPlanner;
  readonly #logger: Logger;
  /** Names of the installed counters. */
  readonly #counters = new Set<string>();
  #fullyRandom: boolean | undefined;
  #leftovers = false;
  /** Whether the clients of other rules are of use. */
  #hasFormerAffinity = true;

  constructor(private readonly options: NftablesDataplaneOptions) {
    const { countConnections = false, countTraffic = false, masqueradeBit = 14, logger = silentLogger } = options;
    this.#planner = new NftablesPlanner({ masqueradeBit, countConnections, countTraffic });
    this.#logger = logger;
    this.#fullyRandom = options.fullyRandom;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledNftables): NftablesTransaction | undefined {
    return this.#planner.plan(next, changes, installed);
  }

  planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledNftables,
  ): Slices<NftablesTransaction | undefined> {
    return this.#planner.planInSlices(next, changes, installed);
  }

  async apply(transaction: NftablesTransaction): Promise<void> {
    for (const problem of transaction.problems) {
      this.#logger.warn(problem);
    }
    this.#leftovers = false;
    const { nft, family } = this.options;
    const kept = await keepTraffic(transaction, nft, this.#logger);
    try {
      const { leftovers } = await applyTransaction(kept, { nft, family, logger: this.#logger });
      this.#leftovers = leftovers;
    } catch (error) {
      if (!isRefusal(error)) {
        throw error;
      }
      // The next sync does without them: affinity must not delay it.
      this.#hasFormerAffinity &&= transaction.keptClients === undefined;
      throw this.options.onRefused?.(error) ?? error;
    }
    this.#noteCounters(transaction);
    if (transaction.keptClients !== undefined) {
      logKeptClients(this.#logger, family, transaction.keptClients);
    }
  }

  async readBack(): Promise<InstalledNftables> {
    const { family, nft, layout, tableFlags, canCountEndpoints } = this.options;
    this.#fullyRandom ??= await supportsFullyRandom(nft, family);
    const installed = await readInstalled({
      nft,
      family,
      layout: (await layout?.()) ?? 'constant',
      endpointCounters: (await canCountEndpoints?.()) ?? true,
      flags: await tableFlags?.(),
      fullyRandom: this.#fullyRandom,
    });
    this.#counters.clear();
    for (const name of installed.table?.counters.keys() ?? []) {
      this.#counters.add(name);
    }
    const isFirst = this.#hasFormerAffinity && isEmptyTable(installed.table);
    const { formerAffinity: read } = this.options;
    const formerAffinity = isFirst ? await readFormerAffinity(read, family, this.#logger) : undefined;
    return formerAffinity === undefined ? installed : { ...installed, formerAffinity };
  }

  /**
   * Connections to the service ports for which they are counted, and their packets, since counting began. Connections
   * to a service port are first packets to a frontend, including those that were rejected or dropped; of an endpoint,
   * those that reached it. Lists counters only; runs nft only if something is counted.
   */
  async connections(): Promise<readonly ServiceCounts[]> {
    if (this.#counters.size === 0) {
      return [];
    }
    const { family, nft } = this.options;
    const counters = await nft.listCounters(nftFamily(family), TABLE);
    return countedServices(counters ?? new Map(), family);
  }

  watch(onDrift: DriftReporter, signal: AbortSignal, onForeignChange?: () => void): Promise<void> {
    const { clock = systemClock, family, nft } = this.options;
    return watchTable(nft, family, clock, onDrift, signal, onForeignChange);
  }

  describe({ write, load, forget }: NftablesTransaction): string {
    const clients = forget.length === 0 ? '' : ` and the affinity clients of ${countOf(forget.length, 'service port')}`;
    const changes = countOf(write.commands.length + (load?.end.length ?? 0), 'change');
    return `${changes}${load === undefined ? '' : ' and all elements'}${clients}`;
  }

  render(transaction: NftablesTransaction, installed: InstalledNftables): readonly RuleChange[] {
    return renderChanges(transaction, installed);
  }

  close(): void {
    this.options.nft.close();
  }

  report(): ApplyReport {
    return { leftovers: this.#leftovers };
  }

  async cleanup(): Promise<void> {
    const { nft, family } = this.options;
    await removeTable(nft, family, TABLE);
    nft.close();
  }

  #noteCounters({ write }: NftablesTransaction): void {
    for (const command of write.commands) {
      switch (command.do) {
        case 'add-counter':
          this.#counters.add(command.name);
          break;
        case 'delete-counter':
          this.#counters.delete(command.name);
          break;
        case 'delete-table':
          this.#counters.clear();
          break;
      }
    }
  }
}
