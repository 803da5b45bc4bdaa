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
import { MessageWriter } from './netlink/message-writer.js';
import { refusalOfCommand, refusalOfKernel } from './netlink/netlink-refusal.js';
import { NftCommits, nextNftGeneration } from './netlink/nft-commits.js';
import { NftJournal, type NftJournalEntries, nftTableKey } from './netlink/nft-journal.js';
import { NftSocket } from './netlink/nft-socket.js';
import { type NftRead, NftTableLists, refusedToList } from './netlink/nft-table-lists.js';
import { NftTableWatcher } from './netlink/nft-table-watcher.js';
import { type NftElementTypes, nftElementTypes } from './netlink/set-attributes.js';
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
   * Shared by instances that take over tables with the flag `owner` from each other: the next waits until the last has
   * given them up. Default: this instance's own.
   */
  readonly endingOwners?: EndingOwners;
  /** Shared by instances in one network namespace, so that they know of each other's transactions. Default: its own. */
  readonly commits?: NftCommits;
  /** Milliseconds after which an answer of the kernel counts as lost. Default 20000. */
  readonly timeout?: number;
  /**
   * The package that opens sockets. Default: `koffi`, or `netlink` where that cannot be loaded. By `netlink`, notifications
   * are not received: any transaction of others may have changed a table; and a transaction must be small enough for its
   * refusal to fit into the buffer of a socket.
   */
  readonly transport?: NetlinkTransport;
  /** Milliseconds between two looks at what others changed. Default 250. */
  readonly watchInterval?: number;
  /** Bytes of notifications that the kernel keeps between two looks. Default 8 MiB. */
  readonly watchBuffer?: number;
}

/**
 * nf_tables by netlink: no program is started. A table with the flag `owner` belongs to this instance, until
 * {@link Nft.close}.
 *
 * A transaction starts from a known generation of the ruleset. Where another process changed a table since this instance
 * listed it, the next transaction on it is rejected with `NFT_CHANGED`, and nothing of it is in force.
 */
export function createNetlinkNft(options: NetlinkNftOptions = {}): Nft {
  return new NetlinkNft(options);
}

/** Attempts while others change the ruleset. */
const MAX_ATTEMPTS = 20;
const WATCH_INTERVAL = 250;
/** Bytes of a transaction that is encoded in less than a millisecond. */
const QUICKLY_ENCODED = 16_384;
/** Bytes of a transaction without whose notifications the kernel is markedly faster. */
const LARGE = 131_072;
/** Bytes that are provided for each of many transactions in a row. */
const PART = 1_048_576;
const ERESTART = 85;
/** Counters that are read one by one rather than with all others. */
const FEW_COUNTERS = 256;

/** Element types of the sets and maps of a table, in one generation of the ruleset. */
interface KnownSets {
  readonly generation: number;
  readonly types: Map<string, NftElementTypes | undefined>;
}

/** A transaction that was encoded before its turn, and what was known then. */
interface EarlyEncoding {
  readonly encoded: NftEncodedTransaction;
  readonly types: KnownSets['types'];
}

interface CommitOptions {
  /** Whether it takes effect; without, the kernel checks it only. Default true. */
  readonly isCommitted?: boolean;
  /** Whether it is one of many in a row. Default false. */
  readonly isInRow?: boolean;
  /** The transaction as it was encoded before its turn. */
  readonly early?: EarlyEncoding | undefined;
}

/** Notes the first change that another makes to a table from now on; one that is certain rather than one that is not. */
interface Mark {
  readonly key: string;
  changed: NftChange | undefined;
}

class NetlinkNft implements Nft {
  #socket: NftSocket;
  readonly #lists = new NftTableLists(() => this.#socket);
  readonly #journal: NftJournal;
  readonly #marks = new Set<Mark>();
  /** Since when tables are known that were listed. */
  readonly #listed = new Map<string, Mark>();
  readonly #known = new Map<string, KnownSets>();
  readonly #watchers = new Set<NftTableWatcher>();
  readonly #commits: NftCommits;
  /** The generation up to which the journal has been read. */
  #read = 0;
  /** Changes may have been missed since the journal was last read. */
  #isJournalLost = false;
  /** Small transactions are written here: one at a time. */
  #writer = new MessageWriter();
  /** The end of the queue of calls. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #endingOwners: EndingOwners;

  constructor(private readonly options: NetlinkNftOptions) {
    this.#endingOwners = options.endingOwners ?? new EndingOwners();
    this.#commits = options.commits ?? new NftCommits();
    this.#socket = this.#newSocket();
    const { namespace, watchBuffer } = options;
    this.#journal = new NftJournal(() => this.#socket.portId, {
      ...(namespace === undefined ? {} : { namespace }),
      ...(watchBuffer === undefined ? {} : { receiveBuffer: watchBuffer }),
    });
  }

  run(transaction: NftTransaction): Promise<number | undefined> {
    return this.#inTurn(() => this.#commit(transaction));
  }

  async runAll(transactions: AsyncIterable<NftTransaction>): Promise<void> {
    // One is sent while the next is written.
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
      // It is waited for with the next one.
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
      const { value, mark } = await this.#steadily(key, () => this.#lists.table(family, table));
      this.#forgetListing(key);
      this.#listed.set(key, mark);
      this.#known.set(key, { generation: this.#read, types: new Map(value.types) });
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
      const { value, mark } = await this.#steadily(nftTableKey(family, table), async () => {
        const sets = await this.#lists.sets(family, table, name);
        const found = sets.value?.[0];
        return found === undefined || found.kind !== kind
          ? { value: undefined, isInterrupted: sets.isInterrupted }
          : this.#lists.elements(family, table, found);
      });
      this.#release(mark);
      return value;
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
      const { value, mark } = await this.#steadily(nftTableKey(family, table), () =>
        this.#lists.counters(family, table),
      );
      this.#release(mark);
      return value;
    });
  }

  tables(family: NftFamily): Promise<readonly string[]> {
    return this.#inTurn(() => this.#lists.tableNames(family));
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch {
    const watcher = new NftTableWatcher(nftTableKey(family, table), onChange, {
      interval: this.options.watchInterval ?? WATCH_INTERVAL,
      look: () => this.#inTurn(() => this.#follow()),
      onEnd: () => {
        this.#watchers.delete(watcher);
        this.#closeJournal();
      },
    });
    this.#watchers.add(watcher);
    watcher.start();
    return watcher;
  }

  close(): void {
    const closed = this.#inTurn(async () => {
      this.#socket.close();
      this.#socket = this.#newSocket();
      this.#marks.clear();
      this.#listed.clear();
      this.#known.clear();
      this.#closeJournal();
    });
    this.#endingOwners.add(closed);
  }

  async version(): Promise<string> {
    return release();
  }

  #newSocket(): NftSocket {
    return new NftSocket(this.options);
  }

  #closeJournal(): void {
    if (this.#watchers.size === 0 && this.#marks.size === 0) {
      this.#journal.close();
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work).catch((error: unknown) => {
      throw error instanceof NetlinkError ? nftErrorOfNetlink(error) : error;
    });
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Encodes a transaction before its turn, where the types of its elements are known. They are compared when it is committed. */
  async #encodeEarly(transaction: NftTransaction, writer: MessageWriter): Promise<EarlyEncoding | undefined> {
    const known = this.#known.get(nftTableKey(transaction.family, transaction.table));
    if (known === undefined || !hasElements(transaction)) {
      return undefined;
    }
    const types = new Map(known.types);
    return { types, encoded: await encode(transaction, { typesOf: (name) => types.get(name), writer }) };
  }

  /** @returns the process that the kernel knows. */
  async #commit(
    transaction: NftTransaction,
    { isCommitted = true, isInRow = false, early }: CommitOptions = {},
  ): Promise<number> {
    const key = nftTableKey(transaction.family, transaction.table);
    if (transaction.commands.some((command) => command.do === 'add-table' && command.flags?.includes('owner'))) {
      await this.#endingOwners.allEnded();
    }
    let encoded: NftEncodedTransaction | undefined = early?.encoded;
    let types: KnownSets['types'] | undefined = early?.types;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const isListed = this.#listed.has(key);
      if (isListed && attempt > 1) {
        await this.#follow();
      } else if (isListed) {
        this.#skipKnown();
      }
      // Of a listed table it is the one of which all changes are known; the kernel refuses it if there were others.
      let generation = isListed ? this.#read : await this.#socket.generation();
      this.#refuseChanged(key, transaction, isInRow);
      const known = await this.#knownSets(transaction, key, generation);
      if (encoded === undefined || !isDeepStrictEqual(known?.types, types)) {
        types = known?.types;
        const typesOf = (name: string) => known?.types.get(name);
        encoded = await encode(transaction, { isCommitted, typesOf, writer: this.#writer });
        if (encoded.bytes.length > QUICKLY_ENCODED) {
          // One that has grown is not kept.
          this.#writer = new MessageWriter();
        }
        if (encoded.bytes.length > QUICKLY_ENCODED && !isListed) {
          // Others had time to change the ruleset.
          continue;
        }
      }
      const isUnheard = encoded.bytes.length > LARGE && this.#journal.isOpen;
      if (isUnheard) {
        await this.#follow();
        this.#refuseChanged(key, transaction, isInRow);
        generation = isListed ? this.#read : generation;
        this.#stopListening();
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
        // This is carried out without an answer; what exists is deleted in a generation of its own.
        const led = own ?? (command?.do === 'delete-table' ? nextNftGeneration(generation) : undefined);
        if (isCommitted && led !== undefined) {
          this.#noteOwn(key, transaction, led, known);
        } else if (isCommitted) {
          this.#known.delete(key);
        }
      } finally {
        end();
      }
      if (isUnheard) {
        await this.#follow();
      }
      return process.pid;
    }
    // Nothing that was received, or was not, may keep the next transaction from being accepted.
    this.#stopListening();
    throw new NftError(
      'NFT_BUSY',
      `other programs changed the ruleset ${MAX_ATTEMPTS} times meanwhile; find them with "nft monitor"`,
    );
  }

  /**
   * @param isInRow the transaction is one of many: that others perhaps changed the table while notifications were not received is told to
   *   watchers, and refuses the first transaction after them.
   * @throws NftError when another changed the table since it was listed.
   */
  #refuseChanged(key: string, { family, table }: NftTransaction, isInRow: boolean): void {
    const mark = this.#listed.get(key);
    if (mark?.changed !== undefined && !(isInRow && mark.changed.uncertain)) {
      const { changed } = mark;
      this.#forgetListing(key);
      this.#closeJournal();
      const who =
        changed.pid === undefined ? 'another program' : `${changed.program ?? 'process'} (process ${changed.pid})`;
      throw new NftError(
        'NFT_CHANGED',
        `${who} ${changed.uncertain ? 'may have changed' : 'changed'} table ${family} ${table} since it was read; read it again, and write from that`,
        { kind: changed.uncertain ? 'perhaps-outdated' : 'outdated' },
      );
    }
  }

  /** The types that elements in a transaction have, where it does not declare them. */
  #knownSets(transaction: NftTransaction, key: string, generation: number): KnownSets | undefined | Promise<KnownSets> {
    if (!hasElements(transaction)) {
      return undefined;
    }
    const known = this.#known.get(key);
    // Nobody else has changed a listed table: then nothing would be written.
    return known !== undefined && (known.generation === generation || this.#listed.has(key))
      ? known
      : this.#readSets(transaction, key, generation);
  }

  async #readSets({ family, table }: NftTransaction, key: string, generation: number): Promise<KnownSets> {
    const { value } = await this.#lists.sets(family, table);
    const fresh: KnownSets = { generation, types: new Map(value?.map(({ name, types }) => [name, types])) };
    this.#known.set(key, fresh);
    return fresh;
  }

  #noteOwn(key: string, transaction: NftTransaction, generation: number, known: KnownSets | undefined): void {
    this.#commits.note(generation, key, this);
    const isNext = generation === nextNftGeneration(this.#read);
    this.#read = isNext ? generation : this.#read;
    const sets = known ?? this.#known.get(key);
    if (sets === undefined || !(this.#listed.has(key) || nextNftGeneration(sets.generation) === generation)) {
      this.#known.delete(key);
      return;
    }
    const { types } = sets;
    for (const command of transaction.commands) {
      if (command.do === 'add-container') {
        types.set(command.name, nftElementTypes(command.container));
      } else if (command.do === 'delete-container') {
        types.delete(command.name);
      } else if (command.do === 'delete-table') {
        types.clear();
      }
    }
    this.#known.set(key, { generation, types });
  }

  /**
   * Until the journal is read again. The kernel makes notifications only for who listens, which costs as much as the
   * elements themselves; own ones say nothing new, and the generation shows whether there were others.
   */
  #stopListening(): void {
    this.#journal.close();
    this.#isJournalLost = true;
  }

  /** Reads the journal, and reports what others changed. */
  async #follow(): Promise<void> {
    const wasLost = this.#isJournalLost;
    if (!this.#journal.isOpen) {
      // Says why it is refused, which listening does not.
      const generation = await this.#socket.generation();
      if (this.#socket.transport === 'netlink') {
        await this.#followGeneration(generation);
        return;
      }
    }
    const isNew = await this.#journal.open();
    let current = isNew ? await this.#socket.settledGeneration() : this.#read;
    let entries = this.#readJournal();
    const isUncertain = entries.missed || wasLost;
    for (let attempt = 1; entries.missed; attempt++) {
      // Whatever was missed led to this generation or to one before; what came since is in the journal.
      current = await this.#socket.settledGeneration();
      entries = this.#readJournal();
      if (entries.missed && attempt === MAX_ATTEMPTS) {
        this.#stopListening();
        entries = { ...entries, generation: undefined, missed: false };
      }
    }
    if (isUncertain) {
      await this.#reportUncertain(current);
    }
    // The notification of a transaction may follow its generation; what it changed is not known until then.
    const { generation = current } = entries;
    this.#read = isLater(generation, current) ? generation : current;
  }

  /** Without notifications: another generation is a change of anything. */
  async #followGeneration(current: number): Promise<void> {
    if (this.#read !== 0 && this.#read !== current) {
      await this.#reportUncertain(current);
    }
    this.#read = current;
  }

  /** Reports that tables may have changed up to a generation, unless all transactions are known. */
  async #reportUncertain(current: number): Promise<void> {
    // The transaction of another instance that led to this generation may not be noted yet.
    await this.#commits.settled();
    for (const table of this.#tables()) {
      if (!this.#commits.spare(table, this, this.#read, current)) {
        this.#report(table, { pid: undefined, program: undefined, uncertain: true });
      }
    }
  }

  /** Reports what others changed according to the journal. */
  #readJournal(): NftJournalEntries {
    this.#isJournalLost = true;
    const entries = this.#journal.read();
    this.#isJournalLost = false;
    for (const { tables, pid, program } of entries.transactions) {
      for (const table of tables) {
        this.#report(table, { pid, program });
      }
    }
    return entries;
  }

  /** Goes past transactions of instances that share what they did, where none was of a table of this one. */
  #skipKnown(): void {
    const { latest } = this.#commits;
    const isSpared = (table: string) => this.#commits.spare(table, this, this.#read, latest);
    if (isLater(latest, this.#read) && [...this.#tables()].every(isSpared)) {
      this.#read = latest;
    }
  }

  /** Tables whose changes matter. */
  #tables(): ReadonlySet<string> {
    return new Set([...this.#marks, ...this.#watchers].map(({ key }) => key));
  }

  #report(table: string, change: NftChange): void {
    for (const mark of this.#marks) {
      if (table === mark.key) {
        const isFirst = mark.changed === undefined || (mark.changed.uncertain === true && change.uncertain !== true);
        mark.changed = isFirst ? change : mark.changed;
      }
    }
    for (const watcher of this.#watchers) {
      watcher.report(table, change);
    }
  }

  /**
   * Reads something while nobody changes the table: again, where the ruleset changed meanwhile, and the journal does not
   * say that the change was of another table.
   *
   * @returns what was read, and a mark, which the caller releases.
   */
  async #steadily<Value>(
    key: string,
    read: () => Promise<NftRead<Value>>,
  ): Promise<{ readonly value: Value; readonly mark: Mark }> {
    await this.#follow();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const mark: Mark = { key, changed: undefined };
      this.#marks.add(mark);
      try {
        const before = await this.#socket.generation();
        const { value, isInterrupted } = await read();
        if (isInterrupted || before !== this.#read || before !== (await this.#socket.generation())) {
          await this.#follow();
        }
        if (mark.changed === undefined) {
          return { value, mark };
        }
      } catch (error) {
        this.#release(mark);
        throw error;
      }
      this.#marks.delete(mark);
    }
    this.#closeJournal();
    throw new NftError(
      'NFT_BUSY',
      'the table changed each time that it was read; find the program that changes it with "nft monitor"',
    );
  }

  #release(mark: Mark): void {
    this.#marks.delete(mark);
    this.#closeJournal();
  }

  #forgetListing(key: string): void {
    const mark = this.#listed.get(key);
    if (mark !== undefined) {
      this.#marks.delete(mark);
      this.#listed.delete(key);
      this.#known.delete(key);
    }
  }
}

/** Whether a transaction adds or deletes elements: then their types are needed. */
function hasElements({ commands }: NftTransaction): boolean {
  return commands.some(({ do: what }) => what === 'add-elements' || what === 'delete-elements');
}

/** They count up, and begin again after the last. */
function isLater(generation: number, than: number): boolean {
  return ((generation - than) | 0) > 0;
}

/** With pauses, where it is large. */
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
