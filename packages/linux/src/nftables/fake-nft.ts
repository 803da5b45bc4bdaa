import { copyTable, executeCommand, type FakeTable, missing, Refused } from './fake-nft-table.js';
import type { Nft } from './nft.js';
import type { NftCounter } from './nft-counter.js';
import { NftRefused } from './nft-error.js';
import type { NftFamily } from './nft-family.js';
import type { NftElement, NftTable } from './nft-table.js';
import { type NftCommand, type NftRule, type NftTransaction, nftContainerSignature } from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';
import { renderNftRule } from './rules/render-rule.js';

/**
 * nftables in memory, with the kernel's semantics: a transaction is atomic; adding an existing object has no effect,
 * adding an element with a different value is refused; deleting what does not exist, or what is in use, is refused;
 * rules and elements need the objects that they refer to. Time does not pass: elements with a timeout are kept.
 */
export class FakeNft implements Nft {
  /** Every committed or rejected transaction, in order. */
  readonly transactions: NftTransaction[] = [];
  /** Number of calls of `list`. */
  lists = 0;
  /** Commands for which this returns true are refused, as by a kernel that lacks a feature. */
  refuses: (command: NftCommand) => boolean = () => false;

  readonly #tables = new Map<string, FakeTable>();
  readonly #failures: unknown[] = [];
  readonly #watchers = new Set<{ readonly key: string; readonly onChange: (change: NftChange) => void }>();

  /** Makes the next call of any method reject with `error`. Several calls queue up. */
  failNext(error: unknown): void {
    this.#failures.push(error);
  }

  /** The rules of a chain; undefined when the chain does not exist. */
  rulesOf(family: NftFamily, table: string, chain: string): readonly NftRule[] | undefined {
    return this.#tables.get(`${family} ${table}`)?.chains.get(chain)?.rules;
  }

  /** The whole content, in an order that does not depend on the history. */
  dump(): string {
    const lines: string[] = [];
    for (const [name, { flags, chains, containers, counters }] of sorted(this.#tables)) {
      lines.push(`table ${name}${flags.length === 0 ? '' : ` ${flags.join(' ')}`}`);
      lines.push(...[...counters.keys()].sort().map((counter) => `  counter ${counter}`));
      for (const [key, { declaration, elements }] of sorted(containers)) {
        lines.push(`  ${key}: ${nftContainerSignature(declaration)}`);
        lines.push(
          ...sorted(elements).map(
            ([element, { value }]) => `    ${element}${value === undefined ? '' : ` : ${value}`}`,
          ),
        );
      }
      for (const [key, { base, rules }] of sorted(chains)) {
        lines.push(`  chain ${key}${base ? ` ${base.type} ${base.hook} ${base.priority}` : ''}`);
        lines.push(...rules.map(({ statements }) => `    ${renderNftRule(statements)}`));
      }
    }
    return `${lines.join('\n')}\n`;
  }

  async run(transaction: NftTransaction): Promise<undefined> {
    this.transactions.push(transaction);
    this.#failIfAsked();
    this.#execute(transaction, true);
  }

  async runAll(transactions: AsyncIterable<NftTransaction>): Promise<void> {
    for await (const transaction of transactions) {
      await this.run(transaction);
    }
  }

  async check(transaction: NftTransaction): Promise<void> {
    this.#failIfAsked();
    this.#execute(transaction, false);
  }

  async list(family: NftFamily, table: string): Promise<NftTable | undefined> {
    this.lists++;
    this.#failIfAsked();
    const found = this.#tables.get(`${family} ${table}`);
    if (found === undefined) {
      return undefined;
    }
    const chains = new Map(
      [...found.chains].map(([name, { base, rules }]) => [name, { base, rules: rules.map(({ comment }) => comment) }]),
    );
    const containers = new Map(
      [...found.containers].map(([name, { declaration, elements }]) => [
        name,
        { kind: declaration.kind, signature: nftContainerSignature(declaration), elements: new Map(elements) },
      ]),
    );
    return { chains, containers, counters: new Map(found.counters) };
  }

  async listCounters(family: NftFamily, table: string): Promise<ReadonlyMap<string, NftCounter> | undefined> {
    this.#failIfAsked();
    return this.#tables.get(`${family} ${table}`)?.counters;
  }

  async listElements(
    family: NftFamily,
    table: string,
    kind: 'set' | 'map',
    name: string,
  ): Promise<ReadonlyMap<string, NftElement> | undefined> {
    this.#failIfAsked();
    const found = this.#tables.get(`${family} ${table}`)?.containers.get(name);
    return found?.declaration.kind === kind ? new Map(found.elements) : undefined;
  }

  async listSets(family: NftFamily, table: string): Promise<readonly string[]> {
    this.#failIfAsked();
    const containers = this.#tables.get(`${family} ${table}`)?.containers ?? new Map();
    return [...containers].flatMap(([name, { declaration }]) => (declaration.kind === 'set' ? [name] : []));
  }

  watch(family: NftFamily, table: string, onChange: (change: NftChange) => void): NftWatch {
    const watcher = { key: `${family} ${table}`, onChange };
    this.#watchers.add(watcher);
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const stop = () => {
      this.#watchers.delete(watcher);
      end();
    };
    return { stop, ended };
  }

  /** Commits a transaction as another program. */
  runAsOther(transaction: NftTransaction, by: NftChange = { pid: 1, program: 'nft' }): void {
    this.#execute(transaction, true);
    for (const { key, onChange } of this.#watchers) {
      if (key === `${transaction.family} ${transaction.table}`) {
        onChange(by);
      }
    }
  }

  close(): void {}

  async tables(family: NftFamily): Promise<readonly string[]> {
    this.#failIfAsked();
    return [...this.#tables.keys()].flatMap((key) => (key.startsWith(`${family} `) ? [key.split(' ')[1] ?? ''] : []));
  }

  async version(): Promise<string> {
    this.#failIfAsked();
    return '1.0.6';
  }

  #failIfAsked(): void {
    if (this.#failures.length > 0) {
      throw this.#failures.shift();
    }
  }

  #execute({ family, table, commands }: NftTransaction, keep: boolean): void {
    const key = `${family} ${table}`;
    let draft = copyTable(this.#tables.get(key));
    commands.forEach((command, index) => {
      try {
        if (this.refuses(command)) {
          throw new Refused('unsupported', 'Could not process rule: Operation not supported');
        }
        if (command.do === 'add-table') {
          const { flags = [] } = command;
          draft ??= { flags, chains: new Map(), containers: new Map(), counters: new Map(), owned: new Set() };
          if (draft.flags.join() !== flags.join()) {
            throw new Refused('unsupported', 'Could not process rule: Operation not supported');
          }
        } else if (draft === undefined) {
          throw missing(`table ${key}`);
        } else if (command.do === 'delete-table') {
          draft = undefined;
        } else {
          executeCommand(draft, command);
        }
      } catch (error) {
        throw error instanceof Refused
          ? new NftRefused(error.refusal, index + 1, JSON.stringify(command), error.message)
          : error;
      }
    });
    if (keep) {
      if (draft === undefined) {
        this.#tables.delete(key);
      } else {
        this.#tables.set(key, draft);
      }
    }
  }
}

function sorted<Value>(entries: Iterable<readonly [string, Value]>): readonly (readonly [string, Value])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}
