import { EventLoopPace, finishWithPauses } from '@kube-proxier/core';
import { processOfThread } from '../../process/process-of-thread.js';
import { NftError } from '../nft-error.js';
import type { NftChange } from '../nft-watch.js';
import { type NftCommits, nextNftGeneration } from './nft-commits.js';
import type { NftForeignTransaction, NftJournal, NftJournalEntries } from './nft-journal.js';
import type { NftSocket } from './nft-socket.js';
import type { NftRead } from './nft-table-lists.js';
import type { NftTableWatcher } from './nft-table-watcher.js';

/** Maximum attempts during foreign changes of the ruleset. */
const MAX_ATTEMPTS = 20;

/** Records the first foreign change of a table from now on; a certain change replaces a possible one. */
export interface NftMark {
  /** The table, as a key of `nftTableKey`. */
  readonly key: string;
  readonly changed: NftChange | undefined;
}

/** An active {@link NftMark}. */
interface KeptMark extends NftMark {
  changed: NftChange | undefined;
}

/**
 * Tracks foreign changes of the ruleset of a network namespace, up to a generation: by notifications of the kernel, by
 * the transactions of instances that share {@link NftCommits}, and otherwise by the generation, where any difference
 * counts as a change of all tables. Notifies marks and watchers of tables.
 */
export class NftRulesetFollower {
  readonly #marks = new Set<KeptMark>();
  readonly #watchers = new Set<NftTableWatcher>();
  #generation = 0;
  /** Whether changes may have been missed since the journal was last read. */
  #isJournalLost = false;

  /** @param socket the socket of own transactions. */
  constructor(
    private readonly socket: () => Pick<NftSocket, 'generation' | 'settledGeneration' | 'transport'>,
    private readonly journal: Pick<NftJournal, 'isOpen' | 'open' | 'readInSlices' | 'close'>,
    private readonly commits: NftCommits,
  ) {}

  /** All changes of tables with a mark or a watcher are known up to this generation. 0 before the first read. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the kernel sends notifications to it. */
  get isListening(): boolean {
    return this.journal.isOpen;
  }

  addWatcher(watcher: NftTableWatcher): void {
    this.#watchers.add(watcher);
  }

  removeWatcher(watcher: NftTableWatcher): void {
    this.#watchers.delete(watcher);
    this.#closeUnused();
  }

  release(mark: NftMark): void {
    this.#marks.delete(mark);
    this.#closeUnused();
  }

  releaseAll(): void {
    this.#marks.clear();
    this.#closeUnused();
  }

  /** Reads the journal and reports foreign changes. */
  async follow(): Promise<void> {
    const wasLost = this.#isJournalLost;
    const socket = this.socket();
    if (!this.journal.isOpen) {
      // Reports the reason of a refusal, which subscribing does not.
      const generation = await socket.generation();
      if (socket.transport === 'netlink') {
        await this.#followGeneration(generation);
        return;
      }
    }
    const isNew = await this.journal.open();
    let current = isNew ? await socket.settledGeneration() : this.#generation;
    let entries = await this.#readJournal();
    const transactions = [...entries.transactions];
    const isUncertain = entries.missed || wasLost;
    for (let attempt = 1; entries.missed; attempt++) {
      // Missed changes led to this generation or an earlier one; later changes are in the journal.
      current = await socket.settledGeneration();
      entries = await this.#readJournal();
      transactions.push(...entries.transactions);
      if (entries.missed && attempt === MAX_ATTEMPTS) {
        this.stopListening();
        entries = { ...entries, generation: undefined, missed: false };
      }
    }
    if (isUncertain) {
      await this.#reportUncertain(current);
    }
    // The notification of a transaction may arrive after its generation; its changes are unknown until then.
    const { generation = current } = entries;
    this.#generation = isLater(generation, current) ? generation : current;
    // Not awaited: a commit of this process does not wait until changes of other programs are reported.
    void this.#reportOtherTables(transactions);
  }

  /**
   * Unsubscribes until the journal is read again. The kernel creates notifications only for subscribers, and they cost
   * as much as the elements themselves. Own notifications are redundant, and the generation reveals foreign
   * transactions.
   */
  stopListening(): void {
    this.journal.close();
    this.#isJournalLost = true;
  }

  /** Skips transactions of instances with the same {@link NftCommits}, if none changed a table of this instance. */
  skipKnown(): void {
    const { latest } = this.commits;
    const isSpared = (table: string) => this.commits.spare(table, this, this.#generation, latest);
    if (isLater(latest, this.#generation) && [...this.#tables()].every(isSpared)) {
      this.#generation = latest;
    }
  }

  /** Called when an own transaction led to a generation. */
  noteOwn(generation: number, table: string): void {
    this.commits.note(generation, table, this);
    if (generation === nextNftGeneration(this.#generation)) {
      this.#generation = generation;
    }
  }

  /**
   * Reads a consistent snapshot of a table: retries when the ruleset changed during the read, unless the journal shows
   * that another table changed.
   *
   * @returns the result, and a mark that the caller must release.
   * @throws NftError `NFT_BUSY` when the table changed each time.
   */
  async steadily<Value>(
    key: string,
    read: () => Promise<NftRead<Value>>,
  ): Promise<{ readonly value: Value; readonly mark: NftMark }> {
    await this.follow();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const mark: KeptMark = { key, changed: undefined };
      this.#marks.add(mark);
      try {
        const before = await this.socket().generation();
        const { value, isInterrupted } = await read();
        if (isInterrupted || before !== this.#generation || before !== (await this.socket().generation())) {
          await this.follow();
        }
        if (mark.changed === undefined) {
          return { value, mark };
        }
      } catch (error) {
        this.release(mark);
        throw error;
      }
      this.#marks.delete(mark);
    }
    this.#closeUnused();
    throw new NftError(
      'NFT_BUSY',
      'the table changed each time that it was read; find the program that changes it with "nft monitor"',
    );
  }

  #closeUnused(): void {
    if (this.#watchers.size === 0 && this.#marks.size === 0) {
      this.journal.close();
    }
  }

  /** Without notifications, a different generation counts as a change of all tables. */
  async #followGeneration(current: number): Promise<void> {
    if (this.#generation !== 0 && this.#generation !== current) {
      await this.#reportUncertain(current);
    }
    this.#generation = current;
  }

  /** Reports foreign changes of tables without a watcher to all watchers. Never rejects. */
  async #reportOtherTables(transactions: readonly NftForeignTransaction[]): Promise<void> {
    const watched = new Set([...this.#watchers].map(({ key }) => key));
    const isOther = (table: string) => !watched.has(table);
    const candidates = watched.size === 0 ? [] : transactions.filter(({ tables }) => [...tables].some(isOther));
    if (candidates.length === 0) {
      return;
    }
    // The transaction of another instance may not be recorded yet.
    await this.commits.settled();
    for (const { tables, generation, pid, program } of candidates) {
      for (const table of this.commits.has(generation) ? [] : [...tables].filter(isOther)) {
        for (const watcher of this.#watchers) {
          watcher.reportOther(table, processOfThread({ pid, program }));
        }
      }
    }
  }

  /** Reports that tables may have changed up to a generation, unless all transactions are known. */
  async #reportUncertain(current: number): Promise<void> {
    // The transaction of another instance that led to this generation may not be recorded yet.
    await this.commits.settled();
    for (const table of this.#tables()) {
      if (!this.commits.spare(table, this, this.#generation, current)) {
        this.#report(table, { pid: undefined, program: undefined, uncertain: true });
      }
    }
  }

  /** Reports the foreign changes in the journal. */
  async #readJournal(): Promise<NftJournalEntries> {
    this.#isJournalLost = true;
    const entries = await finishWithPauses(this.journal.readInSlices(), new EventLoopPace());
    // It may have been closed during a pause.
    this.#isJournalLost = !this.journal.isOpen;
    const followed = this.#tables();
    for (const { tables, pid, program } of entries.transactions) {
      for (const table of tables) {
        if (followed.has(table)) {
          this.#report(table, processOfThread({ pid, program }));
        }
      }
    }
    return entries;
  }

  /** Tables with a mark or a watcher. */
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
}

/** Generations increase and wrap around. */
function isLater(generation: number, than: number): boolean {
  return ((generation - than) | 0) > 0;
}
