import {
  type ApplyReport,
  type ChangeSet,
  type Clock,
  type Dataplane,
  type DriftReporter,
  type IPFamily,
  type Logger,
  type ProxyState,
  pause,
  type ServicePortName,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { type Nft, NftRefused, type NftTableFlag } from '@kube-proxier/linux';
import { AFFINITY, idOfAffinityKey, type Layout, nftFamily, TABLE } from './layout.js';
import { type HostFacts, type InstalledNftables, NftablesPlanner } from './nftables-planner.js';
import { type ForgottenClients, type NftablesTransaction, withoutChainDeletions } from './nftables-transaction.js';
import { countedBy, countsConnections } from './service-elements.js';

export interface NftablesDataplaneOptions {
  readonly family: IPFamily;
  readonly nft: Nft;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  /** Count connections to every Service that does not say otherwise. Default false. */
  readonly countConnections?: boolean;
  /** Finds out what this host accepts; asked before each look at everything. Default: the constant layout. */
  readonly layout?: () => Promise<Layout>;
  /** Finds out which flags the table is to have; asked before each look at everything. Default: none. */
  readonly tableFlags?: () => Promise<readonly NftTableFlag[] | undefined>;
  readonly logger?: Logger;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** How often somebody has connected to a service port. */
export interface CountedConnections {
  readonly servicePort: ServicePortName;
  readonly family: IPFamily;
  /** First packets that came to one of its frontends, of those who were refused or dropped too. */
  readonly connections: number;
}

/** Milliseconds until monitoring restarts after it ended. */
const WATCH_AGAIN = 1000;

/** How often clients of deleted endpoints are searched for, while the kernel expires some of them. */
const FORGET_ATTEMPTS = 3;

/** Programs one IP family through nftables. */
export class NftablesDataplane implements Dataplane<NftablesTransaction, InstalledNftables> {
  #planner: NftablesPlanner;
  #layout: Layout = 'constant';
  readonly #logger: Logger;
  #facts: HostFacts | undefined;
  #leftovers = false;
  /** What was planned last. */
  #planned: ProxyState | undefined;

  constructor(private readonly options: NftablesDataplaneOptions) {
    this.#planner = this.#plannerFor('constant');
    this.#logger = options.logger ?? silentLogger;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledNftables): NftablesTransaction | undefined {
    this.#planned = next;
    return this.#planner.plan(next, changes, installed);
  }

  async apply(transaction: NftablesTransaction): Promise<void> {
    for (const problem of transaction.problems) {
      this.#logger.warn(problem);
    }
    this.#leftovers = false;
    if (transaction.write.commands.length > 0) {
      await this.#write(transaction);
    }
    if (transaction.forget.length > 0) {
      await this.#forget(transaction.forget);
    }
  }

  async readBack(): Promise<InstalledNftables> {
    const { family, layout, nft, tableFlags } = this.options;
    const wanted = (await layout?.()) ?? 'constant';
    if (wanted !== this.#layout) {
      this.#layout = wanted;
      this.#planner = this.#plannerFor(wanted);
    }
    this.#facts ??= { fullyRandom: await this.#canBeFullyRandom() };
    const flags = await tableFlags?.();
    const claimed = flags === undefined || (await this.#claim(flags));
    const table = await nft.list(nftFamily(family), TABLE);
    return { table, facts: this.#facts, ...(flags === undefined ? {} : { flags, lacksFlags: !claimed }) };
  }

  /** @returns false when the table is there with other flags. One that is not there is made, empty. */
  async #claim(flags: readonly NftTableFlag[]): Promise<boolean> {
    const { family, nft } = this.options;
    try {
      await nft.run({ family: nftFamily(family), table: TABLE, commands: [{ do: 'add-table', flags }] });
      return true;
    } catch (error) {
      if (error instanceof NftRefused && error.refusal === 'unsupported') {
        return false;
      }
      throw error;
    }
  }

  #plannerFor(layout: Layout): NftablesPlanner {
    const { countConnections = false, masqueradeBit = 14 } = this.options;
    return new NftablesPlanner({ masqueradeBit, countConnections, layout });
  }

  /**
   * Connections to the service ports for which they are counted, since counting began. Lists counters only; starts no nft
   * where nothing is counted.
   */
  async connections(): Promise<readonly CountedConnections[]> {
    const { countConnections = false, family, nft } = this.options;
    const ports = this.#planned?.servicePorts.values() ?? [];
    const counts = [...ports].some(({ servicePort }) => countsConnections(servicePort, countConnections));
    if (!counts) {
      return [];
    }
    const counters = await nft.listCounters(nftFamily(family), TABLE);
    return [...(counters ?? [])].flatMap(([name, { packets }]) => {
      const servicePort = countedBy(name);
      return servicePort === undefined ? [] : [{ servicePort, family, connections: packets }];
    });
  }

  async watch(onDrift: DriftReporter, signal: AbortSignal): Promise<void> {
    const { clock = systemClock, family, nft } = this.options;
    const table = `${nftFamily(family)} ${TABLE}`;
    while (!signal.aborted) {
      const watch = nft.watch(nftFamily(family), TABLE, ({ pid, program, ownerEnded, uncertain }) => {
        if (ownerEnded) {
          onDrift(`the nft process that owned table ${table} ended`);
          return;
        }
        const who = pid === undefined ? 'an unknown process' : `${program ?? 'process'} (process ${pid})`;
        if (uncertain) {
          onDrift(`${who} changed an nftables table that nft monitor cannot print`, 'possible');
        } else {
          onDrift(`table ${table} changed by ${who}`);
        }
      });
      if (watch === undefined) {
        return;
      }
      const stop = () => watch.stop();
      signal.addEventListener('abort', stop, { once: true });
      await watch.ended;
      signal.removeEventListener('abort', stop);
      if (!signal.aborted) {
        onDrift(`monitoring of table ${table} was interrupted`, 'possible');
        await pause(clock, WATCH_AGAIN, signal);
      }
    }
  }

  describe({ write, forget }: NftablesTransaction): string {
    const clients = forget.length === 0 ? '' : ` and the clients of ${forget.length} service ports`;
    return `${write.commands.length} changes${clients}`;
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

  async #write(transaction: NftablesTransaction): Promise<void> {
    try {
      await this.options.nft.run(transaction.write);
    } catch (error) {
      const deletes = transaction.write.commands.some((command) => command.do === 'delete-chain');
      if (!(error instanceof NftRefused) || error.refusal !== 'busy' || !deletes) {
        throw error;
      }
      // Before Linux 6.2 a chain counts as used for a moment longer than it is. Nothing leads to it; the next look at
      // everything takes it away.
      this.#logger.debug(2, 'Chains that are not used any more are left for later', { reason: error.reason });
      this.#leftovers = true;
      await this.options.nft.run(withoutChainDeletions(transaction).write);
    }
  }

  async #forget(clients: readonly ForgottenClients[]): Promise<void> {
    const { nft, family } = this.options;
    const wanted = new Map(clients.map(({ id, numbers }) => [String(id), numbers]));
    for (let attempt = 1; ; attempt++) {
      const elements = await nft.listElements(nftFamily(family), TABLE, 'map', AFFINITY);
      const keys = [...(elements ?? [])].flatMap(([key, { value = '' }]) => {
        const id = idOfAffinityKey(key);
        return wanted.has(id) && (wanted.get(id)?.has(value) ?? true) ? [key] : [];
      });
      if (keys.length === 0) {
        return;
      }
      try {
        await nft.run({
          family: nftFamily(family),
          table: TABLE,
          commands: [{ do: 'delete-elements', name: AFFINITY, keys }],
        });
        return;
      } catch (error) {
        if (!(error instanceof NftRefused) || error.refusal !== 'missing') {
          throw error;
        }
        if (attempt >= FORGET_ATTEMPTS) {
          this.#logger.debug(2, 'Clients of endpoints that are gone are left to time out', { clients: keys.length });
          return;
        }
      }
    }
  }

  async #canBeFullyRandom(): Promise<boolean> {
    const family = nftFamily(this.options.family);
    try {
      await this.options.nft.check({
        family,
        table: `${TABLE}-trial`,
        commands: [
          { do: 'add-table' },
          { do: 'add-chain', chain: 'trial', base: { type: 'nat', hook: 'postrouting', priority: 100 } },
          { do: 'add-rule', chain: 'trial', rule: { text: 'masquerade fully-random' } },
        ],
      });
      return true;
    } catch (error) {
      if (error instanceof NftRefused) {
        return false;
      }
      throw error;
    }
  }
}

/**
 * Removes a table of one family.
 *
 * @returns false when it was not there.
 */
export async function removeTable(nft: Nft, family: IPFamily, table: string): Promise<boolean> {
  try {
    await nft.run({ family: nftFamily(family), table, commands: [{ do: 'delete-table' }] });
    return true;
  } catch (error) {
    if (!(error instanceof NftRefused) || error.refusal !== 'missing') {
      throw error;
    }
    return false;
  }
}
