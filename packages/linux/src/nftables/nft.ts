import type { NftCounter, NftTable } from './nft-table.js';
import type { NftFamily, NftTransaction } from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';

/**
 * nftables of one network namespace. Calls on one instance run one after another.
 *
 * Every method rejects with an `NftError`, whose `code` says what is wrong.
 */
export interface Nft {
  /**
   * Carries out a transaction, all of it or nothing.
   *
   * @returns the id of the process that did it, as `nft monitor` names it; undefined where there was none.
   * @throws NftRefused when a command is not accepted.
   */
  run(transaction: NftTransaction): Promise<number | undefined>;

  /**
   * Whether a transaction would be accepted; changes nothing. The kernel is asked, as by {@link run}.
   *
   * @throws NftRefused when it would not.
   */
  check(transaction: NftTransaction): Promise<void>;

  /** A table with everything in it; undefined when there is none. */
  list(family: NftFamily, table: string): Promise<NftTable | undefined>;

  /** The elements of one map or set of a table; undefined when there is none. */
  listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined>;

  /** All counters of a table by name; undefined when there is no such table. */
  listCounters(family: NftFamily, table: string): Promise<ReadonlyMap<string, NftCounter> | undefined>;

  /**
   * Tells of every transaction on a table that is not one of this instance.
   *
   * @returns undefined where that cannot be told.
   */
  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined;

  /** Ends what is kept running for later calls. Another call starts it again. */
  close(): void;

  /** Names of all tables of a family. */
  tables(family: NftFamily): Promise<readonly string[]>;

  /**
   * For example `1.0.6`.
   *
   * @throws NftError with code `NFT_MISSING` when the program is not there.
   */
  version(): Promise<string>;
}

/** What a set or map holds for a key. */
export interface NftElement {
  /** What a map leads to, spelled as in a transaction; undefined in a set. */
  readonly value: string | undefined;
  /** Seconds that the element lives without being refreshed; undefined for ever. */
  readonly timeout?: number;
  /** Seconds left, when it was listed. */
  readonly expires?: number;
}
