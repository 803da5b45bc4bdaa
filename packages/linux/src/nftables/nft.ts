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
   * Carries out a transaction atomically.
   *
   * @returns the id of the process that ran it, as `nft monitor` reports it; undefined where there was none.
   * @throws NftRefused when a command is rejected.
   * @throws NftError with code `NFT_CHANGED`, by netlink, when another changed the table since this instance listed it;
   *   nothing is in force then.
   */
  run(transaction: NftTransaction): Promise<number | undefined>;

  /**
   * Carries out transactions of one table, each atomically and in their order: a table that is too large for one. By netlink, the
   * next is taken from `transactions` and encoded while the kernel works on the last, and so no more than two of them are in memory;
   * the program nft runs all of them as one. Where one is refused, those before it may be in force, and no other is.
   *
   * @throws as {@link run}, and what `transactions` throws.
   */
  runAll(transactions: AsyncIterable<NftTransaction>): Promise<void>;

  /**
   * Checks whether a transaction would be accepted; changes nothing. The kernel validates it, as with {@link run}.
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

  /**
   * Counters of a table by name; undefined when the table does not exist.
   *
   * @param names of those that are needed; others may be listed, too. Default: all.
   */
  listCounters(
    family: NftFamily,
    table: string,
    names?: readonly string[],
  ): Promise<ReadonlyMap<string, NftCounter> | undefined>;

  /**
   * Reports every transaction on a table that this instance did not make.
   *
   * @returns undefined where changes cannot be watched.
   */
  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined;

  /** Stops what is kept running for later calls. Another call starts it again. */
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
