import { release } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { assertNever, EventLoopPace, finishWithPauses } from '@kube-proxier/core';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import type { NetlinkTransport } from '../netlink/open-socket.js';
import { EndingOwners } from './ending-owners.js';
import {
  encodeNftTransactionInSlices,
  type NftEncodedTransaction,
  type NftEncodeOptions,
  NftNotEncodable,
  setNftGeneration,
} from './netlink/encode-transaction.js';
import { KnownSets, type SetTypes } from './netlink/known-sets.js';
import { MessageWriter } from './netlink/message-writer.js';
import { refusalOfCommand, refusalOfKernel } from './netlink/netlink-refusal.js';
import { NftCommits, nextNftGeneration } from './netlink/nft-commits.js';
import { NftJournal, nftTableKey } from './netlink/nft-journal.js';
import { type NftMark, NftRulesetFollower } from './netlink/nft-ruleset-follower.js';
import { NftSocket } from './netlink/nft-socket.js';
import { NftTableLists, refusedToList } from './netlink/nft-table-lists.js';
import { NftTableWatcher } from './netlink/nft-table-watcher.js';
import type { Nft } from './nft.js';
import type { NftCounter } from './nft-counter.js';
import { NftError } from './nft-error.js';
import type { NftFamily } from './nft-family.js';
import type { NftElement, NftTable } from './nft-table.js';
import type { NftTransaction } from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';

export interface NetlinkNftOptions {
  /**
   * Path of the network namespace, such as `/run/netns/a`; `new`: one that is removed with {@link Nft.close}, in which
   * nothing can be listed. Default: that of this process.
   */
  readonly namespace?: string;
  /**
   * Shared by instances that take over tables with the flag `owner` from each other: the next one waits until the
   * previous one has released them. Default: not shared.
   */
  readonly endingOwners?: EndingOwners;
  /**
   * Shared by instances in one network namespace, so that they recognize each other's transactions. Default: not
   * shared.
   */
  readonly commits?: NftCommits;
  /** Milliseconds after which an answer of the kernel counts as lost. Default 20000. */
  readonly timeout?: number;
  /**
   * The package that opens sockets. Default: `koffi`, or `netlink` if `koffi` cannot be loaded. With `netlink`,
   * notifications are not received: any foreign transaction may have changed a table; and the refusal of a transaction
   * must fit into the socket buffer.
   */
  readonly transport?: NetlinkTransport;
  /** Milliseconds between two checks for foreign changes. Default 250. */
  readonly watchInterval?: number;
  /** Buffer size in bytes for notifications between two checks. Default 8 MiB. */
  readonly watchBuffer?: number;
}

/**
 * nf_tables by netlink: no program is started. A table with the flag `owner` belongs to this instance, until
 * {@link Nft.close}.
 *
 * A transaction starts from a known generation of the ruleset. If another process changed a table since this instance
 * listed it, the next transaction on it is rejected with `NFT_CHANGED` and has no effect.
 */
export function createNetlinkNft(options: NetlinkNftOptions = {}): Nft {
  return new NetlinkNft(options);
}

/** Maximum attempts during foreign changes of the ruleset. */
const MAX_ATTEMPTS = 20;
const WATCH_INTERVAL = 250;
/** Bytes of a transaction that is encoded in less than a millisecond. */
const QUICKLY_ENCODED = 16_384;
/** Transaction size in bytes from which the kernel is markedly faster without notifications. */
const LARGE = 131_072;
/** Initial buffer size in bytes for each transaction of a series. */
const PART = 1_048_576;
const ERESTART = 85;
/** Maximum number of counters that are read one by one rather than in a dump. */
const FEW_COUNTERS = 256;

/** A transaction that was encoded in advance, with the types used for it. */
interface EarlyEncoding {
  readonly encoded: NftEncodedTransaction;
  readonly types: SetTypes['types'];
}

interface CommitOptions {
  /** Whether it is committed; otherwise the kernel only validates it. Default true. */
  readonly isCommitted?: boolean;
  /** Whether it is part of a series. Default false. */
  readonly isInRow?: boolean;
  /** The transaction, encoded in advance. */
  readonly early?: EarlyEncoding | undefined;
}

class NetlinkNft implements Nft {
  #socket: NftSocket;
  readonly #lists = new NftTableLists(() => this.#socket);
  readonly #follower: NftRulesetFollower;
  /** Marks of the listed tables. */
  readonly #listed = new Map<string, NftMark>();
  readonly #known = new KnownSets(this.#lists);
  readonly #commits: NftCommits;
  /** Buffer for small transactions, one at a time. */
  #writer = new MessageWriter();
  /** The end of the queue of calls. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #endingOwners: EndingOwners;

  constructor(private readonly options: NetlinkNftOptions) {
    this.#endingOwners = options.endingOwners ?? new EndingOwners();
    this.#commits = options.commits ?? new NftCommits();
    this.#socket = this.#newSocket();
    const { namespace, watchBuffer } = options;
    const journal = new NftJournal(() => this.#socket.portId, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(watchBuffer === undefined ? {} : { receiveBuffer: watchBuffer }),
    });
    this.#follower = new NftRulesetFollower(() => this.#socket, journal, this.#commits);
  }

  run(transaction: NftTransaction): Promise<number | undefined> {
    return this.#inTurn(() => this.#commit(transaction));
  }

  async runAll(transactions: AsyncIterable<NftTransaction>): Promise<void> {
    // One is sent while the next is encoded.
    let [writer, other] = [new MessageWriter(PART), new MessageWriter(PART)];
    let last: Promise<unknown> = Promise.resolve();
    let declares = false;
    for await (const transaction of transactions) {
      if (declares) {
        // Elements are encoded by the types of their set or map.
        await last;
      }
      declares = transaction.commands.some(({ do: what }) => what === 'add-container' || what.startsWith('delete-'));
      const early = await this.#encodeEarly(transaction, writer);
      [writer, other] = [other, writer];
      await last;
      last = this.#inTurn(() => this.#commit(transaction, { isInRow: true, early }));
      // It is awaited with the next one.
      last.catch(() => undefined);
    }
    await last;
  }

  async check(transaction: NftTransaction): Promise<void> {
    await this.#inTurn(() => this.#commit(transaction, { isCommitted: false }));
  }

  list(family: NftFamily, table: string): Promise<NftTable | undefined> {
    return this.#inTurn(async () => {
      const key = nftTableKey(family, table);
      const { value, mark } = await this.#follower.steadily(key, () => this.#lists.table(family, table));
      this.#forgetListing(key);
      this.#listed.set(key, mark);
      this.#known.note(key, { generation: this.#follower.generation, types: new Map(value.types) });
      return value.table;
    });
  }

  listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined> {
    return this.#inTurn(async () => {
      const { value, mark } = await this.#follower.steadily(nftTableKey(family, table), async () => {
        const sets = await this.#lists.sets(family, table, name);
        const found = sets.value?.[0];
        return found === undefined || found.kind !== kind
          ? { value: undefined, isInterrupted: sets.isInterrupted }
          : this.#lists.elements(family, table, found);
      });
      this.#follower.release(mark);
      return value;
    });
  }

  listSets(family: NftFamily, table: string): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const { value, mark } = await this.#follower.steadily(nftTableKey(family, table), () =>
        this.#lists.sets(family, table),
      );
      this.#follower.release(mark);
      return (value ?? []).flatMap(({ kind, name }) => (kind === 'set' ? [name] : []));
    });
  }

  listCounters(
    family: NftFamily,
    table: string,
    names?: readonly string[],
  ): Promise<ReadonlyMap<string, NftCounter> | undefined> {
    return this.#inTurn(async () => {
      if ((await this.#lists.tableFlags(family, table)) === undefined) {
        return undefined;
      }
      if (names !== undefined && names.length <= FEW_COUNTERS) {
        return await this.#lists.countersNamed(family, table, names);
      }
      const { value, mark } = await this.#follower.steadily(nftTableKey(family, table), () =>
        this.#lists.counters(family, table),
      );
      this.#follower.release(mark);
      return value;
    });
  }

  tables(family: NftFamily): Promise<readonly string[]> {
    return this.#inTurn(() => this.#lists.tableNames(family));
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch {
    const watcher = new NftTableWatcher(nftTableKey(family, table), onChange, {
      interval: this.options.watchInterval ?? WATCH_INTERVAL,
      look: () => this.#inTurn(() => this.#follower.follow()),
      onEnd: () => this.#follower.removeWatcher(watcher),
    });
    this.#follower.addWatcher(watcher);
    watcher.start();
    return watcher;
  }

  close(): void {
    const closed = this.#inTurn(async () => {
      this.#socket.close();
      this.#socket = this.#newSocket();
      this.#listed.clear();
      this.#known.clear();
      this.#follower.releaseAll();
    });
    this.#endingOwners.add(closed);
  }

  async version(): Promise<string> {
    return release();
  }

  #newSocket(): NftSocket {
    return new NftSocket(this.options);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work).catch((error: unknown) => {
      throw error instanceof NetlinkError ? nftErrorOfNetlink(error) : error;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Encodes a transaction in advance, if the types of its elements are known. They are verified before the commit. */
  async #encodeEarly(transaction: NftTransaction, writer: MessageWriter): Promise<EarlyEncoding | undefined> {
    const known = this.#known.knownFor(transaction);
    if (known === undefined) {
      return undefined;
    }
    const types = new Map(known.types);
    return { types, encoded: await encode(transaction, { typesOf: (name) => types.get(name), writer }) };
  }

  /** @returns the process id that the kernel reports. */
  async #commit(
    transaction: NftTransaction,
    { isCommitted = true, isInRow = false, early }: CommitOptions = {},
  ): Promise<number> {
    const key = nftTableKey(transaction.family, transaction.table);
    if (transaction.commands.some((command) => command.do === 'add-table' && command.flags?.includes('owner'))) {
      await this.#endingOwners.allEnded();
    }
    let encoded: NftEncodedTransaction | undefined = early?.encoded;
    let types: SetTypes['types'] | undefined = early?.types;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const isListed = this.#listed.has(key);
      if (isListed && attempt > 1) {
        await this.#follower.follow();
      } else if (isListed) {
        this.#follower.skipKnown();
      }
      // For a listed table, the generation up to which all changes are known; the kernel refuses the transaction after
      // further changes.
      let generation = isListed ? this.#follower.generation : await this.#socket.generation();
      this.#refuseChanged(key, transaction, isInRow);
      const known = await this.#known.typesFor(transaction, generation, this.#listed.has(key));
      if (encoded === undefined || !isDeepStrictEqual(known?.types, types)) {
        types = known?.types;
        const typesOf = (name: string) => known?.types.get(name);
        encoded = await encode(transaction, { isCommitted, typesOf, writer: this.#writer });
        if (encoded.bytes.length > QUICKLY_ENCODED) {
          // One that has grown is not kept.
          this.#writer = new MessageWriter();
        }
        if (encoded.bytes.length > QUICKLY_ENCODED && !isListed) {
          // Foreign changes are possible in the meantime.
          continue;
        }
      }
      const isUnheard = encoded.bytes.length > LARGE && this.#follower.isListening;
      if (isUnheard) {
        await this.#follower.follow();
        this.#refuseChanged(key, transaction, isInRow);
        generation = isListed ? this.#follower.generation : generation;
        this.#follower.stopListening();
      }
      setNftGeneration(encoded, generation);
      const end = this.#commits.begin();
      try {
        const { errors, generation: own } = await this.#socket.send(encoded);
        const [error] = errors;
        if (error?.errno === ERESTART && error.message === 0) {
          continue;
        }
        if (error !== undefined) {
          throw refusalOfKernel(transaction, encoded, error);
        }
        const [command] = transaction.commands;
        // This is committed without an answer; existing objects are deleted in a separate generation.
        const led = own ?? (command?.do === 'delete-table' ? nextNftGeneration(generation) : undefined);
        if (isCommitted && led !== undefined) {
          this.#follower.noteOwn(led, key);
          this.#known.noteOwn(transaction, led, known, this.#listed.has(key));
        } else if (isCommitted) {
          this.#known.forget(key);
        }
      } finally {
        end();
      }
      if (isUnheard) {
        await this.#follower.follow();
      }
      return process.pid;
    }
    // Pending or lost notifications must not prevent the next transaction.
    this.#follower.stopListening();
    throw new NftError(
      'NFT_BUSY',
      `other programs changed the ruleset ${MAX_ATTEMPTS} times meanwhile; find them with "nft monitor"`,
    );
  }

  /**
   * @param isInRow the transaction is part of a series: a possible foreign change without notifications is reported to
   *   watchers, and refuses the first transaction after the series.
   * @throws NftError after a foreign change of the listed table.
   */
  #refuseChanged(key: string, { family, table }: NftTransaction, isInRow: boolean): void {
    const mark = this.#listed.get(key);
    if (mark?.changed !== undefined && !(isInRow && mark.changed.uncertain)) {
      const { changed } = mark;
      this.#forgetListing(key);
      const who =
        changed.pid === undefined ? 'another program' : `${changed.program ?? 'process'} (process ${changed.pid})`;
      throw new NftError(
        'NFT_CHANGED',
        `${who} ${changed.uncertain ? 'may have changed' : 'changed'} table ${family} ${table} since it was read; read it again, and write from that`,
        { kind: changed.uncertain ? 'perhaps-outdated' : 'outdated' },
      );
    }
  }

  #forgetListing(key: string): void {
    const mark = this.#listed.get(key);
    if (mark !== undefined) {
      this.#listed.delete(key);
      this.#known.forget(key);
      this.#follower.release(mark);
    }
  }
}

/** With pauses, if it is large. */
async function encode(transaction: NftTransaction, options: NftEncodeOptions): Promise<NftEncodedTransaction> {
  try {
    return await finishWithPauses(encodeNftTransactionInSlices(transaction, options), new EventLoopPace());
  } catch (error) {
    throw error instanceof NftNotEncodable
      ? refusalOfCommand(transaction, error.command, error.refusal, error.message)
      : error;
  }
}

function nftErrorOfNetlink(error: NetlinkError): NftError {
  const cause = { cause: error };
  switch (error.code) {
    case 'NETLINK_UNAVAILABLE':
      return new NftError('NFT_MISSING', `nf_tables cannot be reached: ${error.message}`, cause);
    case 'NETLINK_REFUSED':
      return error instanceof NetlinkRefused
        ? refusedToList(error.errno)
        : new NftError('NFT_FAILED', error.message, cause);
    case 'NETLINK_LOST':
    case 'NETLINK_CLOSED':
      return new NftError('NFT_FAILED', error.message, cause);
    default:
      return assertNever(error.code);
  }
}
