import {
  CommandError,
  type CommandRequest,
  type CommandResult,
  type CommandRunner,
} from '../process/command-runner.js';
import { wasStartedHere } from '../process/process-group.js';
import { EndingOwners } from './ending-owners.js';
import type { Nft } from './nft.js';
import type { NftCounter } from './nft-counter.js';
import { isMissingObject, nftErrorOf, refusalOf } from './nft-diagnostics.js';
import { NftError } from './nft-error.js';
import type { NftFamily } from './nft-family.js';
import type { NftElement } from './nft-table.js';
import {
  counterOf,
  type NftObject,
  type NftTable,
  nftTableOf,
  parseNftElements,
  parseNftObjects,
  parseNftRules,
  parseNftTable,
} from './nft-table.js';
import { type NftTransaction, renderNftTransaction } from './nft-transaction.js';
import { type NftChange, type NftWatch, watchWithNft } from './nft-watch.js';
import { cannotOwnTables, PersistentNft } from './persistent-nft.js';

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
  /**
   * Shared by instances that take over tables with the flag `owner` from each other: the next one waits until the
   * process of the previous one has ended. Default: not shared.
   */
  readonly endingOwners?: EndingOwners;
}

/**
 * The real {@link Nft}: it runs the nft program, once for each call; small transactions in quick succession share one
 * process.
 *
 * A table with the flag `owner` belongs to the process that created it. So from the first transaction that has this
 * flag until {@link Nft.close}, all transactions go to one long-running nft. Large ones take about four times as long.
 */
export function createNft(options: NftProgramOptions): Nft {
  return new NftProgram(options);
}

/** Maximum size in characters of a transaction for the long-running nft, if a separate process is possible. */
const MAX_SESSION_DOCUMENT = 32_768;
/** Maximum number of recorded own process ids. */
const MAX_OWN = 1000;

class NftProgram implements Nft {
  /** The end of the queue of runs. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #own = new Set<number>();
  /** Until they are stopped: the owner of a table can end while monitoring is interrupted. */
  readonly #watchers = new Set<(change: NftChange) => void>();
  /** Undefined when the runner cannot start long-running programs. */
  readonly #persistent: PersistentNft | undefined;
  #listsInParts = false;

  constructor(private readonly options: NftProgramOptions) {
    const { endingOwners = new EndingOwners(), runner } = options;
    this.#persistent =
      runner.start &&
      new PersistentNft({
        start: runner.start,
        timeout: this.#timeout,
        endingOwners,
        onStart: (pid) => this.#remember(pid),
        onOwnerEnd: () => this.#reportOwnerEnd(),
      });
  }

  async run(transaction: NftTransaction): Promise<number | undefined> {
    const document = renderNftTransaction(transaction);
    for (const command of transaction.commands) {
      if (command.do === 'add-table' && command.flags?.includes('owner')) {
        if (this.#persistent === undefined) {
          throw cannotOwnTables();
        }
        this.#persistent.ownTables();
        this.#listsInParts = command.flags.length === 1;
      }
    }
    const persistent = this.#persistentFor(document);
    const done = persistent && (await this.#inTurn(() => persistent.run(document)));
    return (done ?? (await this.#document(['-f', '-'], document))).pid;
  }

  async runAll(transactions: AsyncIterable<NftTransaction>): Promise<void> {
    let all: NftTransaction | undefined;
    for await (const transaction of transactions) {
      // Each run of the program dumps the table first, which dominates its duration.
      all = { ...transaction, commands: [...(all?.commands ?? []), ...transaction.commands] };
    }
    if (all !== undefined) {
      await this.run(all);
    }
  }

  /** The long-running nft, if it should run this; undefined for a separate process. */
  #persistentFor(document: string): PersistentNft | undefined {
    const persistent = this.#persistent;
    const mayStay = this.options.persistent !== false && document.length <= MAX_SESSION_DOCUMENT;
    return persistent?.ownsTables || (persistent?.isSupported && mayStay) ? persistent : undefined;
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch | undefined {
    const { start } = this.options.runner;
    if (start === undefined) {
      return undefined;
    }
    const watch = watchWithNft(start, family, table, (change) => {
      // The id of an own process is recorded at its end; the monitor may report it earlier.
      void this.#last.then(() => {
        // A change of another table is not relevant, even when this process makes it.
        const isOwn =
          change.pid !== undefined && (this.#own.has(change.pid) || (change.uncertain && wasStartedHere(change.pid)));
        if (!isOwn) {
          onChange(change);
        }
      });
    });
    this.#watchers.add(onChange);
    const stop = () => {
      this.#watchers.delete(onChange);
      watch.stop();
    };
    return { stop, ended: watch.ended };
  }

  close(): void {
    void this.#inTurn(async () => {
      this.#persistent?.close();
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

  async listSets(family: NftFamily, table: string): Promise<readonly string[]> {
    const text = (await this.#listing(['sets', family])) ?? '{"nftables":[]}';
    return parseNftObjects(text).flatMap(([kind, fields]) =>
      kind === 'set' && fields.table === table ? [String(fields.name)] : [],
    );
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
      if (isMissingObject(error)) {
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

  /** The kernel does not notify when a table is deleted with its owner. */
  #reportOwnerEnd(): void {
    for (const onChange of this.#watchers) {
      onChange({ pid: undefined, program: undefined, ownerEnded: true });
    }
  }

  get #timeout(): number {
    return this.options.timeout ?? 120_000;
  }

  async #document(args: readonly string[], stdin: string): Promise<CommandResult> {
    try {
      return await this.#run({ args, stdin, stdout: 'ignore' });
    } catch (error) {
      throw error instanceof NftError && error.code === 'NFT_FAILED' && error.cause instanceof CommandError
        ? refusalOf(stdin, error.cause)
        : error;
    }
  }

  /** Undefined when the object to list does not exist. */
  async #listing(what: readonly string[]): Promise<string | undefined> {
    try {
      return (await this.#run({ args: ['-j', 'list', ...what] })).stdout;
    } catch (error) {
      if (isMissingObject(error)) {
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
        const translated = error instanceof CommandError ? nftErrorOf(error) : error;
        if (!(translated instanceof NftError) || translated.code !== 'NFT_BUSY' || attempt >= attempts) {
          throw translated;
        }
      }
    }
  }
}
