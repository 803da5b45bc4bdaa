import type { NftCounter } from './nft-counter.js';
import type { NftFamily } from './nft-family.js';
import type { NftElement, NftTable } from './nft-table.js';
import type { NftTransaction } from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';

/**
 * nftables of one network namespace. Calls on one instance run one at a time.
 *
 * Every method rejects with an `NftError`, whose `code` identifies the failure.
 */
export interface Nft {
  /**
   * Commits a transaction atomically.
   *
   * @returns the id of the process that ran it, as `nft monitor` reports it; undefined without a process.
   * @throws NftRefused when a command is rejected.
   * @throws NftError with code `NFT_CHANGED`, by netlink, after a foreign change of the table since this instance
   *   listed it; nothing is in force then.
   */
  run(transaction: NftTransaction): Promise<number | undefined>;

  /**
   * Commits a series of transactions of one table, each atomically and in order, for a table that is too large for one
   * transaction. By netlink, the next one is taken from `transactions` and encoded while the kernel commits the
   * previous one, so at most two are in memory; the program nft runs all of them as one. If one is refused, only
   * earlier ones may be in force.
   *
   * @throws as {@link run}, and what `transactions` throws.
   */
  runAll(transactions: AsyncIterable<NftTransaction>): Promise<void>;

  /**
   * Checks whether the kernel would accept a transaction, as with {@link run}; changes nothing.
   *
   * @throws NftRefused when it would not.
   */
  check(transaction: NftTransaction): Promise<void>;

  /** A table with its contents; undefined when it does not exist. */
  list(family: NftFamily, table: string): Promise<NftTable | undefined>;

  /** The elements of one map or set of a table; undefined when it does not exist. */
  listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined>;

  /** Names of the sets of a table, without maps; empty when the table does not exist. */
  listSets(family: NftFamily, table: string): Promise<readonly string[]>;

  /**
   * Counters of a table by name; undefined when the table does not exist.
   *
   * @param names of the required counters; the result may include further ones. Default: all.
   */
  listCounters(
    family: NftFamily,
    table: string,
    names?: readonly string[],
  ): Promise<ReadonlyMap<string, NftCounter> | undefined>;

  /**
   * Reports every foreign transaction on a table.
   *
   * @returns undefined when changes cannot be watched.
   */
  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined;

  /** Stops long-running helpers. A later call starts them again. */
  close(): void;

  /** Names of all tables of a family. */
  tables(family: NftFamily): Promise<readonly string[]>;

  /**
   * The version of the program, for example `1.0.6`; by netlink, that of the kernel.
   *
   * @throws NftError with code `NFT_MISSING` when the program is not installed.
   */
  version(): Promise<string>;
}
