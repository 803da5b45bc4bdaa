import { whyNotPermitted } from '../process/capabilities.js';
import {
  CommandError,
  type CommandRequest,
  type CommandResult,
  type CommandRunner,
} from '../process/command-runner.js';
import { wasStartedHere } from '../process/process-group.js';
import type { Nft } from './nft.js';
import { NftError, type NftRefusal, NftRefused } from './nft-error.js';
import { NftSession } from './nft-session.js';
import type { NftElement } from './nft-table.js';
import {
  counterOf,
  type NftCounter,
  type NftObject,
  type NftTable,
  nftTableOf,
  parseNftElements,
  parseNftObjects,
  parseNftRules,
  parseNftTable,
} from './nft-table.js';
import { type NftFamily, type NftTransaction, renderNftTransaction } from './nft-transaction.js';
import { type NftChange, type NftWatch, watchWithNft } from './nft-watch.js';

export interface NftProgramOptions {
  readonly runner: CommandRunner;
  /** Maximum duration of one run in milliseconds. Default 120000. */
  readonly timeout?: number;
  /** Maximum number of attempts when another program changes the ruleset during a run. Default 3. */
  readonly attempts?: number;
  /**
   * Whether small transactions go to one long-running nft while they arrive in quick succession, where the runner
   * supports that. Default true.
   */
  readonly persistent?: boolean;
}

/**
 * The real {@link Nft}: it runs the nft program, once for each call; small transactions in quick succession share one
 * process.
 *
 * A table with the flag `owner` belongs to the process that created it. So from the first transaction that has this
 * flag until {@link Nft.close}, all transactions go to one long-running nft. Large ones take about four times as long
 * there.
 */
export function createNft(options: NftProgramOptions): Nft {
  return new NftProgram(options);
}

/** Maximum number of characters of a rejected line that an error keeps. */
const MAX_LINE_LENGTH = 200;
/**
 * Maximum size in characters of a transaction that is sent to a long-running nft, where it may also have its own
 * process.
 */
const MAX_SESSION_DOCUMENT = 32_768;
/** Characters after which a long-running nft is replaced: it keeps every line in memory, and gets slower with each. */
const MAX_CHARACTERS = 400_000;
/** The same when tables may be lost with it: some 200 MB of memory, and 30 ms for a line. */
const MAX_CHARACTERS_OF_OWNER = 64_000_000;
/** Maximum number of own process ids to remember. */
const MAX_OWN = 1000;
/** Sessions that own tables and were requested to end: until they have ended, they own their tables. */
const ENDING = new Set<Promise<unknown>>();
/** Milliseconds after which an idle nft is stopped. */
const IDLE = 30_000;

class NftProgram implements Nft {
  /** The end of the queue of runs. */
  #last: Promise<unknown> = Promise.resolve();
  #session: NftSession | undefined;
  #idle: NodeJS.Timeout | undefined;
  #canStay: boolean;
  readonly #own = new Set<number>();
  readonly #watchers = new Set<(change: NftChange) => void>();
  #ownsTables = false;
  #listsInParts = false;

  constructor(private readonly options: NftProgramOptions) {
    this.#canStay = options.persistent !== false && options.runner.start !== undefined;
  }

  async run(transaction: NftTransaction): Promise<number | undefined> {
    const document = renderNftTransaction(transaction);
    for (const command of transaction.commands) {
      if (command.do === 'add-table' && command.flags?.includes('owner')) {
        this.#ownsTables = true;
        this.#listsInParts = command.flags.length === 1;
      }
    }
    if (!this.#ownsTables && (!this.#canStay || document.length > MAX_SESSION_DOCUMENT)) {
      return (await this.#document(['-f', '-'], document)).pid;
    }
    return this.#inTurn(async () => {
      const session = await this.#openSession();
      return session === undefined ? undefined : { pid: await this.#ask(session, document) };
    }).then(async (done) => (done === undefined ? (await this.#document(['-f', '-'], document)).pid : done.pid));
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined {
    const { start } = this.options.runner;
    if (start === undefined) {
      return undefined;
    }
    const watch = watchWithNft(start, family, table, (change) => {
      // The id of an own process is recorded when it is done, and the monitor may report it before.
      void this.#last.then(() => {
        // A change of another table is not relevant, even when this process makes it.
        const isOwn =
          change.pid !== undefined && (this.#own.has(change.pid) || (change.uncertain && wasStartedHere(change.pid)));
        if (!isOwn) {
          onChange(change);
        }
      });
    });
    // The kernel does not notify when a table is deleted with its owner.
    this.#watchers.add(onChange);
    void watch.ended.then(() => this.#watchers.delete(onChange));
    return watch;
  }

  close(): void {
    void this.#inTurn(async () => {
      this.#closeSession();
      this.#ownsTables = false;
      this.#listsInParts = false;
    });
  }

  async check(transaction: NftTransaction): Promise<void> {
    await this.#document(['--check', '-f', '-'], renderNftTransaction(transaction));
  }

  async list(family: NftFamily, table: string): Promise<NftTable | undefined> {
    if (this.#listsInParts) {
      return await this.#listParts(family, table);
    }
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
        `nft --version printed "${stdout.trim()}", which contains no version; check which program this is`,
      );
    }
    return version;
  }

  /**
   * Lists a table without the object that nft 1.0.6 frees before it prints it: a table with one flag, in JSON. Only the
   * owner can change it in the meantime.
   */
  async #listParts(family: NftFamily, table: string): Promise<NftTable | undefined> {
    let rules: string;
    try {
      rules = (await this.#run({ args: ['-t', 'list', 'table', family, table] })).stdout;
    } catch (error) {
      if (isNotThere(error)) {
        return undefined;
      }
      throw error;
    }
    const parts: NftObject[] = [];
    for (const what of [
      ['chains', family],
      ['sets', 'table', family, table],
      ['maps', family],
      ['counters', 'table', family, table],
    ]) {
      const text = await this.#listing(what);
      const objects = text === undefined ? [] : parseNftObjects(text);
      parts.push(...objects.filter(([, fields]) => fields.table === table));
    }
    return nftTableOf([...parts, ...parseNftRules(rules)]);
  }

  /** The long-running nft; undefined, permanently, where nft does not support that. */
  async #openSession(): Promise<NftSession | undefined> {
    const { runner } = this.options;
    const most = this.#ownsTables ? MAX_CHARACTERS_OF_OWNER : MAX_CHARACTERS;
    if (this.#session !== undefined && (this.#session.hasEnded || this.#session.written > most)) {
      this.#lose(this.#session);
    }
    if (this.#session === undefined && runner.start !== undefined) {
      await Promise.all(ENDING);
      const session = await NftSession.start(runner.start, this.#timeout);
      this.#session = session;
      this.#canStay = session !== undefined;
      this.#remember(session?.pid);
      void session?.ended.then(() => this.#lose(session));
    }
    if (this.#session === undefined && this.#ownsTables) {
      throw new NftError(
        'NFT_FAILED',
        'nft cannot stay ("nft -i"), so it cannot own a table; use one that is built with a command line, or do without',
      );
    }
    return this.#session;
  }

  #closeSession(): void {
    clearTimeout(this.#idle);
    const session = this.#session;
    this.#session = undefined;
    if (session !== undefined && this.#ownsTables) {
      const ending: Promise<unknown> = session.ended.then(() => ENDING.delete(ending));
      ENDING.add(ending);
    }
    session?.stop();
  }

  /** A session cannot be used any more. Its tables were deleted, or have no owner. */
  #lose(session: NftSession): void {
    if (this.#session !== session) {
      return;
    }
    this.#closeSession();
    for (const onChange of this.#ownsTables ? this.#watchers : []) {
      onChange({ pid: undefined, program: undefined, ownerEnded: true });
    }
  }

  async #ask(session: NftSession, document: string): Promise<number | undefined> {
    clearTimeout(this.#idle);
    const answer = await session.ask(document.trimEnd().replaceAll('\n', '; '), this.#timeout);
    if ('end' in answer) {
      this.#lose(session);
      throw answer.end === 'timeout'
        ? new NftError('NFT_TIMED_OUT', `nft did not answer within ${this.#timeout} ms and was stopped`)
        : new NftError('NFT_FAILED', 'nft ended in the middle of a transaction; find what stopped it');
    }
    if (!this.#ownsTables) {
      this.#idle = setTimeout(() => this.#closeSession(), IDLE);
      this.#idle.unref();
    }
    const error = firstLine(answer.stderr);
    if (!error.includes('Error:')) {
      return session.pid;
    }
    const failed = new CommandError('exit-code', 'nft', 1, undefined, answer.stderr, `nft reported: ${error}`);
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

  /** Undefined when the object to list does not exist. */
  async #listing(what: readonly string[]): Promise<string | undefined> {
    try {
      return (await this.#run({ args: ['-j', 'list', ...what] })).stdout;
    } catch (error) {
      if (isNotThere(error)) {
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
    this.#own.add(pid);
    for (const old of this.#own.size > MAX_OWN ? this.#own : []) {
      this.#own.delete(old);
      break;
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

/** Whether the object to list does not exist. */
function isNotThere(error: unknown): boolean {
  return (
    error instanceof NftError &&
    error.cause instanceof CommandError &&
    firstLine(error.cause.stderr).includes('No such file or directory')
  );
}

/** Further errors of nft often follow from the first (spec N-4). */
function firstLine(stderr: string): string {
  return stderr.split('\n').find((line) => /Error:/.test(line)) ?? stderr.split('\n', 1)[0] ?? '';
}

/** With {@link refused} the only place that interprets error output of nft (in English, by `LC_ALL=C`). */
function translate(error: CommandError): NftError {
  const cause = { cause: error };
  if (error.failure === 'not-found') {
    return new NftError('NFT_MISSING', 'nft was not found; install nftables', cause);
  }
  if (error.failure === 'timeout') {
    return new NftError('NFT_TIMED_OUT', error.message, cause);
  }
  if (error.failure === 'permission-denied') {
    return new NftError('NFT_PERMISSION_DENIED', error.message, cause);
  }
  if (/Operation not permitted/.test(error.stderr)) {
    return new NftError(
      'NFT_PERMISSION_DENIED',
      `nft may not change this: ${whyNotPermitted()}; or the table belongs to another process (flag owner), which has to end first`,
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
  const text = line === undefined ? undefined : document.split('\n', line)[line - 1]?.slice(0, MAX_LINE_LENGTH);
  return new NftRefused(refusal, line, text, first.replace(/^.*?Error: /, '').trim(), { cause: error });
}
