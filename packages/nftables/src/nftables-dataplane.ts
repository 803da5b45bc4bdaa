import {
  type ApplyReport,
  type ChangeSet,
  type Dataplane,
  type IPFamily,
  type Logger,
  type ProxyState,
  silentLogger,
} from '@kube-proxier/core';
import { type Nft, NftRefused } from '@kube-proxier/linux';
import { AFFINITY, nftFamily, TABLE } from './layout.js';
import { type HostFacts, type InstalledNftables, NftablesPlanner } from './nftables-planner.js';
import { type ForgottenClients, type NftablesTransaction, withoutChainDeletions } from './nftables-transaction.js';

export interface NftablesDataplaneOptions {
  readonly family: IPFamily;
  readonly nft: Nft;
  /** Bit of the packet mark that means "masquerade", 0…31. Default 14. */
  readonly masqueradeBit?: number;
  readonly logger?: Logger;
}

/** How often clients of endpoints that are gone are looked for, while the kernel forgets some of them by itself. */
const FORGET_ATTEMPTS = 3;

/** Programs one IP family through nftables. */
export class NftablesDataplane implements Dataplane<NftablesTransaction, InstalledNftables> {
  readonly #planner: NftablesPlanner;
  readonly #logger: Logger;
  #facts: HostFacts | undefined;
  #leftovers = false;

  constructor(private readonly options: NftablesDataplaneOptions) {
    this.#planner = new NftablesPlanner(options.masqueradeBit ?? 14);
    this.#logger = options.logger ?? silentLogger;
  }

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledNftables): NftablesTransaction | undefined {
    return this.#planner.plan(next, changes, installed);
  }

  async apply(transaction: NftablesTransaction): Promise<void> {
    this.#leftovers = false;
    if (transaction.write.commands.length > 0) {
      await this.#write(transaction);
    }
    if (transaction.forget.length > 0) {
      await this.#forget(transaction.forget);
    }
  }

  async readBack(): Promise<InstalledNftables> {
    const { family, nft } = this.options;
    this.#facts ??= { fullyRandom: await this.#canBeFullyRandom() };
    return { table: await nft.list(nftFamily(family), TABLE), facts: this.#facts };
  }

  report(): ApplyReport {
    return { leftovers: this.#leftovers };
  }

  async cleanup(): Promise<void> {
    const { nft, family } = this.options;
    await removeTable(nft, family);
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
        const id = key.slice(key.lastIndexOf(' ') + 1);
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

/** Removes our table of one family; nothing happens when it is not there. */
export async function removeTable(nft: Nft, family: IPFamily): Promise<void> {
  // Added first, so that it need not be looked for.
  await nft.run({
    family: nftFamily(family),
    table: TABLE,
    commands: [{ do: 'add-table' }, { do: 'delete-table' }],
  });
}
