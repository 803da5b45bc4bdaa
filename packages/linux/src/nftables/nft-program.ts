import {
  CommandError,
  type CommandRequest,
  type CommandResult,
  type CommandRunner,
} from '../process/command-runner.js';
import type { Nft, NftElement } from './nft.js';
import { NftError, type NftRefusal, NftRefused } from './nft-error.js';
import { NftSession } from './nft-session.js';
import {
  counterOf,
  type NftCounter,
  type NftTable,
  parseNftElements,
  parseNftObjects,
  parseNftTable,
} from './nft-table.js';
import { type NftFamily, type NftTransaction, renderNftTransaction } from './nft-transaction.js';
import { type NftChange, type NftWatch, watchWithNft } from './nft-watch.js';

export interface NftProgramOptions {
  readonly runner: CommandRunner;
  /** Milliseconds that one run may take. Default 120000. */
  readonly timeout?: number;
  /** How often a run that met another one at work is tried, at most. Default 3. */
  readonly attempts?: number;
  /**
   * Whether small transactions go to one nft that stays between them, for as long as they come, where the runner can
   * do that. Default true.
   */
  readonly persistent?: boolean;
}

/**
 * The real {@link Nft}: it runs the program, once for each call; small transactions that come close together share one.
 */
export function createNft(options: NftProgramOptions): Nft {
  return new NftProgram(options);
}

/** Characters of a refused line that an error keeps. */
const LONGEST_LINE = 200;
/** Characters of a transaction that is given to an nft that stays. */
const LONGEST_FOR_SESSION = 32_768;
/** How many processes of its own it knows again. */
const MOST_OWN = 1000;
/** Those that any of this process's programs started: where it is not clear which table a change was of. */
const STARTED = new Set<number>();
/** Milliseconds after which an nft that has nothing to do is ended. */
const IDLE = 30_000;

class NftProgram implements Nft {
  /** The end of the queue of runs. */
  #last: Promise<unknown> = Promise.resolve();
  #session: NftSession | undefined;
  #idle: NodeJS.Timeout | undefined;
  #canStay: boolean;
  readonly #own = new Set<number>();

  constructor(private readonly options: NftProgramOptions) {
    this.#canStay = options.persistent !== false && options.runner.start !== undefined;
  }

  async run(transaction: NftTransaction): Promise<number | undefined> {
    const document = renderNftTransaction(transaction);
    if (!this.#canStay || document.length > LONGEST_FOR_SESSION) {
      return (await this.#document(['-f', '-'], document)).pid;
    }
    return this.#inTurn(async () => {
      const session = await this.#openSession();
      return session === undefined ? undefined : { pid: await this.#ask(session, document) };
    }).then(async (done) => (done === undefined ? (await this.#document(['-f', '-'], document)).pid : done.pid));
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined {
    const { start } = this.options.runner;
    return (
      start &&
      watchWithNft(start, family, table, (change) => {
        // A process of ours is known when it is done, and may be told of before.
        void this.#last.then(() => {
          const known = change.uncertain ? STARTED : this.#own;
          if (change.pid === undefined || !known.has(change.pid)) {
            onChange(change);
          }
        });
      })
    );
  }

  close(): void {
    void this.#inTurn(async () => this.#closeSession());
  }

  async check(transaction: NftTransaction): Promise<void> {
    await this.#document(['--check', '-f', '-'], renderNftTransaction(transaction));
  }

  async list(family: NftFamily, table: string): Promise<NftTable | undefined> {
    const text = await this.#listing(['table', family, table]);
    return text === undefined ? undefined : parseNftTable(text);
  }

  async listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined> {
    const text = await this.#listing([kind, family, table, name]);
    const found = text === undefined ? undefined : parseNftObjects(text).find(([what]) => what === kind);
    return found && parseNftElements(found[1]);
  }

  async listCounters(family: NftFamily, table: string): Promise<ReadonlyMap<string, NftCounter> | undefined> {
    const text = await this.#listing(['counters', 'table', family, table]);
    if (text === undefined) {
      return undefined;
    }
    const counters = parseNftObjects(text).filter(([kind]) => kind === 'counter');
    return new Map(counters.map(([, fields]) => [String(fields.name), counterOf(fields)]));
  }

  async tables(family: NftFamily): Promise<readonly string[]> {
    const text = (await this.#listing(['tables', family])) ?? '{"nftables":[]}';
    return parseNftObjects(text).flatMap(([kind, { name }]) => (kind === 'table' ? [String(name)] : []));
  }

  async version(): Promise<string> {
    const { stdout } = await this.#run({ args: ['--version'] });
    const version = /v(\d+(?:\.\d+)+)/.exec(stdout)?.[1];
    if (version === undefined) {
      throw new NftError(
        'NFT_FAILED',
        `nft --version printed "${stdout.trim()}", which names no version; check which program this is`,
      );
    }
    return version;
  }

  /** The nft that stays; undefined, for good, where there is none. */
  async #openSession(): Promise<NftSession | undefined> {
    if (this.#session?.isSpent) {
      this.#closeSession();
    }
    const { start } = this.options.runner;
    if (this.#session === undefined && start !== undefined) {
      this.#session = await NftSession.start(start, this.#timeout);
      this.#canStay = this.#session !== undefined;
      this.#remember(this.#session?.pid);
    }
    return this.#session;
  }

  #closeSession(): void {
    clearTimeout(this.#idle);
    this.#session?.stop();
    this.#session = undefined;
  }

  async #ask(session: NftSession, document: string): Promise<number | undefined> {
    clearTimeout(this.#idle);
    const answer = await session.ask(document.trimEnd().replaceAll('\n', '; '), this.#timeout);
    if ('end' in answer) {
      this.#closeSession();
      throw answer.end === 'timeout'
        ? new NftError('NFT_TIMED_OUT', `nft did not answer within ${this.#timeout} ms and was stopped`)
        : new NftError('NFT_FAILED', 'nft ended in the middle of a transaction; look for who stopped it');
    }
    this.#idle = setTimeout(() => this.#closeSession(), IDLE);
    this.#idle.unref();
    const error = firstLine(answer.stderr);
    if (!error.includes('Error:')) {
      return session.pid;
    }
    const failed = new CommandError('exit-code', 'nft', 1, undefined, answer.stderr, `nft said: ${error}`);
    const translated = translate(failed);
    throw translated.code === 'NFT_FAILED' ? refused(document, failed) : translated;
  }

  get #timeout(): number {
    return this.options.timeout ?? 120_000;
  }

  async #document(args: readonly string[], stdin: string): Promise<CommandResult> {
    try {
      return await this.#run({ args, stdin, stdout: 'ignore' });
    } catch (error) {
      throw error instanceof NftError && error.code === 'NFT_FAILED' && error.cause instanceof CommandError
        ? refused(stdin, error.cause)
        : error;
    }
  }

  /** Undefined when what should be listed is not there. */
  async #listing(what: readonly string[]): Promise<string | undefined> {
    try {
      return (await this.#run({ args: ['-j', 'list', ...what] })).stdout;
    } catch (error) {
      if (error instanceof NftError && error.cause instanceof CommandError && isMissing(error.cause.stderr)) {
        return undefined;
      }
      throw error;
    }
  }

  #run(rest: Pick<CommandRequest, 'args' | 'stdin' | 'stdout'>): Promise<CommandResult> {
    return this.#inTurn(() => this.#attempt({ command: 'nft', timeout: this.#timeout, ...rest }));
  }

  #remember(pid: number | undefined): void {
    if (pid === undefined) {
      return;
    }
    for (const known of [this.#own, STARTED]) {
      known.add(pid);
      for (const old of known.size > MOST_OWN ? known : []) {
        known.delete(old);
        break;
      }
    }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(work);
    this.#last = run.catch(() => undefined);
    return run;
  }

  async #attempt(request: CommandRequest): Promise<CommandResult> {
    const attempts = this.options.attempts ?? 3;
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await this.options.runner.run(request);
        this.#remember(result.pid);
        return result;
      } catch (error) {
        const translated = error instanceof CommandError ? translate(error) : error;
        if (!(translated instanceof NftError) || translated.code !== 'NFT_BUSY' || attempt >= attempts) {
          throw translated;
        }
      }
    }
  }
}

function isMissing(stderr: string): boolean {
  return firstLine(stderr).includes('No such file or directory');
}

/** What nft says further down often follows from what it said first (spec N-4). */
function firstLine(stderr: string): string {
  return stderr.split('\n').find((line) => /Error:/.test(line)) ?? stderr.split('\n', 1)[0] ?? '';
}

/** With {@link refused} the only place that reads meaning out of what nft says (in English, by `LC_ALL=C`). */
function translate(error: CommandError): NftError {
  const cause = { cause: error };
  if (error.failure === 'not-found') {
    return new NftError('NFT_MISSING', 'nft was not found; install nftables', cause);
  }
  if (error.failure === 'timeout') {
    return new NftError('NFT_TIMED_OUT', error.message, cause);
  }
  if (error.failure === 'permission-denied' || /Operation not permitted/.test(error.stderr)) {
    return new NftError(
      'NFT_PERMISSION_DENIED',
      'nft may not change the rules of this network namespace; run with CAP_NET_ADMIN',
      cause,
    );
  }
  if (/cache initialization failed|Resource temporarily unavailable|Interrupted system call/.test(error.stderr)) {
    return new NftError(
      'NFT_BUSY',
      'nft was disturbed by another program that changes the ruleset; find it with "nft monitor"',
      cause,
    );
  }
  return new NftError('NFT_FAILED', error.message, cause);
}

const REASONS: readonly (readonly [RegExp, NftRefusal])[] = [
  [/No such file or directory/, 'missing'],
  [/File exists/, 'exists'],
  [/Device or resource busy/, 'busy'],
  [/Operation not supported|Protocol not supported/, 'unsupported'],
];

function refused(document: string, error: CommandError): NftRefused {
  const first = firstLine(error.stderr);
  const refusal = REASONS.find(([pattern]) => pattern.test(first))?.[1] ?? 'other';
  const number = /(?:stdin|standard input|-):(\d+):\d+/.exec(error.stderr)?.[1];
  const line = number === undefined ? undefined : Number(number);
  const text = line === undefined ? undefined : document.split('\n', line)[line - 1]?.slice(0, LONGEST_LINE);
  return new NftRefused(refusal, line, text, first.replace(/^.*?Error: /, '').trim(), { cause: error });
}
