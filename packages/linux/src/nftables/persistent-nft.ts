import { CommandError, type CommandRunner } from '../process/command-runner.js';
import type { EndingOwners } from './ending-owners.js';
import { firstErrorLine, nftErrorOf, refusalOf } from './nft-diagnostics.js';
import { NftError } from './nft-error.js';
import { NftSession } from './nft-session.js';

export interface PersistentNftOptions {
  readonly start: NonNullable<CommandRunner['start']>;
  /** Maximum duration of one transaction in milliseconds. */
  readonly timeout: number;
  readonly endingOwners: EndingOwners;
  /** Called with the process id of each nft that is started. */
  readonly onStart: (pid: number | undefined) => void;
  /** Called when an nft that owns tables has ended, or was ended: its tables were deleted, or have no owner. */
  readonly onOwnerEnd: () => void;
}

/** Characters after which a long-running nft is replaced: it keeps every line in memory and slows down. */
const MAX_CHARACTERS = 400_000;
/** The same limit for a process that owns tables: about 200 MB of memory and 30 ms per line. */
const MAX_CHARACTERS_OF_OWNER = 64_000_000;
/** Milliseconds after which an idle nft is stopped. */
const IDLE = 30_000;

/**
 * One long-running nft, started on demand, replaced when slow, and stopped when idle, unless it owns tables. The caller
 * serializes calls.
 */
export class PersistentNft {
  #session: NftSession | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isSupported = true;
  #ownsTables = false;

  constructor(private readonly options: PersistentNftOptions) {}

  /** False when nft does not support this. */
  get isSupported(): boolean {
    return this.#isSupported;
  }

  /** Whether the process owns tables, so that it must not end. */
  get ownsTables(): boolean {
    return this.#ownsTables;
  }

  /** From now on, the process owns tables, until {@link close}. */
  ownTables(): void {
    this.#ownsTables = true;
  }

  /**
   * Runs a transaction.
   *
   * @returns the id of the process; undefined, permanently, where nft does not support this.
   * @throws NftError when the transaction fails, or the process does not support this and has to own tables.
   */
  async run(document: string): Promise<{ readonly pid: number | undefined } | undefined> {
    const session = await this.#open();
    return session && { pid: await this.#exchange(session, document) };
  }

  /** Stops the process, which releases its tables. */
  close(): void {
    this.#stop();
    this.#ownsTables = false;
  }

  async #open(): Promise<NftSession | undefined> {
    const { start, timeout, endingOwners, onStart } = this.options;
    const most = this.#ownsTables ? MAX_CHARACTERS_OF_OWNER : MAX_CHARACTERS;
    if (this.#session !== undefined && (this.#session.hasEnded || this.#session.written > most)) {
      this.#lose(this.#session);
    }
    if (this.#session === undefined) {
      await endingOwners.allEnded();
      const session = await NftSession.start(start, timeout);
      this.#session = session;
      this.#isSupported = session !== undefined;
      onStart(session?.pid);
      void session?.ended.then(() => this.#lose(session));
    }
    if (this.#session === undefined && this.#ownsTables) {
      throw cannotOwnTables();
    }
    return this.#session;
  }

  async #exchange(session: NftSession, document: string): Promise<number | undefined> {
    const { timeout } = this.options;
    clearTimeout(this.#idle);
    const answer = await session.exchange(document.trimEnd().replaceAll('\n', '; '), timeout);
    if ('end' in answer) {
      this.#lose(session);
      throw answer.end === 'timeout'
        ? new NftError('NFT_TIMED_OUT', `nft did not answer within ${timeout} ms and was stopped`)
        : new NftError('NFT_FAILED', 'nft ended in the middle of a transaction; find what stopped it');
    }
    if (!this.#ownsTables) {
      this.#idle = setTimeout(() => this.#stop(), IDLE);
      this.#idle.unref();
    }
    const error = firstErrorLine(answer.stderr);
    if (!error.includes('Error:')) {
      return session.pid;
    }
    const failed = new CommandError('exit-code', 'nft', 1, undefined, answer.stderr, `nft reported: ${error}`);
    const translated = nftErrorOf(failed);
    throw translated.code === 'NFT_FAILED' ? refusalOf(document, failed) : translated;
  }

  /** Called when a session has ended. Its tables were deleted, or have no owner. */
  #lose(session: NftSession): void {
    if (this.#session !== session) {
      return;
    }
    this.#stop();
    if (this.#ownsTables) {
      this.options.onOwnerEnd();
    }
  }

  #stop(): void {
    clearTimeout(this.#idle);
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined && this.#ownsTables) {
      this.options.endingOwners.add(session.ended);
    }
    session?.stop();
  }
}

/** The error when nft does not support interactive mode, and a transaction creates a table with the flag `owner`. */
export function cannotOwnTables(): NftError {
  return new NftError(
    'NFT_FAILED',
    'nft cannot stay ("nft -i"), so it cannot own a table; use one that is built with a command line, or do without',
  );
}
