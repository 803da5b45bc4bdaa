import { assertNever } from '@kube-proxier/core';
import type { Nft } from './nft.js';
import { type NftRefusal, NftRefused } from './nft-error.js';
import type { NftCounter, NftElement, NftTable } from './nft-table.js';
import {
  type NftBaseChain,
  type NftCommand,
  type NftFamily,
  type NftRule,
  type NftSetOrMap,
  type NftTableFlag,
  type NftTransaction,
  nftContainerSignature,
} from './nft-transaction.js';
import type { NftChange, NftWatch } from './nft-watch.js';

interface FakeChain {
  readonly base: NftBaseChain | undefined;
  readonly rules: readonly NftRule[];
}

interface FakeContainer {
  readonly declaration: NftSetOrMap;
  readonly elements: ReadonlyMap<string, NftElement>;
}

interface FakeTable {
  readonly flags: readonly NftTableFlag[];
  readonly chains: Map<string, FakeChain>;
  readonly containers: Map<string, FakeContainer>;
  readonly counters: Map<string, NftCounter>;
  /** Sets and maps whose elements were copied in the current transaction, and may be changed. */
  readonly owned: Set<string>;
}

class Refused extends Error {
  constructor(
    readonly refusal: NftRefusal,
    message: string,
  ) {
    super(message);
  }
}

const missing = (what: string) => new Refused('missing', `Could not process rule: No such file or directory: ${what}`);
const exists = (what: string) => new Refused('exists', `Could not process rule: File exists: ${what}`);
const busy = (what: string) => new Refused('busy', `Could not process rule: Device or resource busy: ${what}`);

/**
 * nftables in memory, with the kernel's semantics: a transaction is atomic; adding an existing object has no effect,
 * adding an element with a different value is refused; deleting what does not exist, or what is in use, is refused;
 * rules and elements need the objects that they refer to. Time does not pass: elements with a timeout are kept.
 */
export class FakeNft implements Nft {
  /** Every transaction that was carried out or rejected, in order. */
  readonly transactions: NftTransaction[] = [];
  /** How often `list` was called. */
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
        lines.push(...rules.map(({ text }) => `    ${text}`));
      }
    }
    return `${lines.join('\n')}\n`;
  }

  async run(transaction: NftTransaction): Promise<undefined> {
    this.transactions.push(transaction);
    this.#failIfAsked();
    this.#execute(transaction, true);
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

  /** Carries out a transaction as another program would. */
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
    let draft = copy(this.#tables.get(key));
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
          execute(draft, command);
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

function copy(table: FakeTable | undefined): FakeTable | undefined {
  return (
    table && {
      flags: table.flags,
      chains: new Map(table.chains),
      containers: new Map(table.containers),
      counters: new Map(table.counters),
      owned: new Set(),
    }
  );
}

function execute(table: FakeTable, command: Exclude<NftCommand, { do: 'add-table' | 'delete-table' }>): void {
  switch (command.do) {
    case 'add-chain': {
      const there = table.chains.get(command.chain);
      if (there === undefined) {
        table.chains.set(command.chain, { base: command.base, rules: [] });
      } else if (command.base !== undefined && JSON.stringify(there.base) !== JSON.stringify(command.base)) {
        throw new Refused('unsupported', `Could not process rule: Operation not supported: ${command.chain}`);
      }
      break;
    }
    case 'flush-chain':
      table.chains.set(command.chain, { ...chainOf(table, command.chain), rules: [] });
      break;
    case 'delete-chain': {
      const { chain } = command;
      chainOf(table, chain);
      table.chains.delete(chain);
      if (isLedTo(table, chain)) {
        throw busy(chain);
      }
      break;
    }
    case 'add-rule': {
      const chain = chainOf(table, command.chain);
      for (const target of targetsOf(command.rule.text)) {
        chainOf(table, target);
      }
      for (const name of containersOf(command.rule.text)) {
        containerOf(table, name);
      }
      table.chains.set(command.chain, { ...chain, rules: [...chain.rules, command.rule] });
      break;
    }
    case 'add-container': {
      const there = table.containers.get(command.name);
      if (there === undefined) {
        table.containers.set(command.name, { declaration: command.container, elements: new Map() });
      } else if (nftContainerSignature(there.declaration) !== nftContainerSignature(command.container)) {
        throw exists(command.name);
      }
      break;
    }
    case 'flush-container':
      table.containers.set(command.name, { ...containerOf(table, command.name, command.kind), elements: new Map() });
      break;
    case 'delete-container': {
      containerOf(table, command.name, command.kind);
      const users = [...table.chains.values()].flatMap(({ rules }) => rules.flatMap(({ text }) => containersOf(text)));
      if (users.includes(command.name)) {
        throw busy(command.name);
      }
      table.containers.delete(command.name);
      break;
    }
    case 'add-counter':
      if (!table.counters.has(command.name)) {
        table.counters.set(command.name, { packets: 0, bytes: 0 });
      }
      break;
    case 'delete-counter': {
      if (!table.counters.delete(command.name)) {
        throw missing(command.name);
      }
      const led = [...table.containers.values()].some(
        ({ declaration, elements }) =>
          declaration.value === 'counter' && [...elements.values()].some(({ value }) => value === command.name),
      );
      if (led) {
        throw busy(command.name);
      }
      break;
    }
    case 'add-elements': {
      const elements = elementsToChange(table, command.name);
      const { declaration } = containerOf(table, command.name);
      for (const [key, value, timeout] of command.elements) {
        addElement(table, declaration, elements, key, value, timeout);
      }
      break;
    }
    case 'delete-elements': {
      const elements = elementsToChange(table, command.name);
      for (const key of command.keys) {
        if (!elements.delete(key)) {
          throw missing(key);
        }
      }
      break;
    }
    default:
      assertNever(command);
  }
}

function addElement(
  table: FakeTable,
  declaration: NftSetOrMap,
  elements: Map<string, NftElement>,
  key: string,
  value: string | undefined,
  timeout: number | undefined,
): void {
  if ((declaration.kind === 'map') !== (value !== undefined)) {
    throw new Refused('other', `syntax error: ${key}`);
  }
  for (const target of value === undefined ? [] : targetsOf(value)) {
    chainOf(table, target);
  }
  if (declaration.value === 'counter' && !table.counters.has(value ?? '')) {
    throw missing(`counter ${value}`);
  }
  const there = elements.get(key);
  if (there !== undefined && there.value !== value) {
    throw exists(key);
  }
  if (there === undefined) {
    const lifetime = timeout ?? declaration.timeout;
    elements.set(key, { value, ...(lifetime === undefined ? {} : { timeout: lifetime, expires: lifetime }) });
  }
}

function chainOf(table: FakeTable, name: string): FakeChain {
  const chain = table.chains.get(name);
  if (chain === undefined) {
    throw missing(`chain ${name}`);
  }
  return chain;
}

function containerOf(table: FakeTable, name: string, kind?: 'set' | 'map'): FakeContainer {
  const container = table.containers.get(name);
  if (container === undefined || (kind !== undefined && container.declaration.kind !== kind)) {
    throw missing(`${kind ?? 'set'} ${name}`);
  }
  return container;
}

function elementsToChange(table: FakeTable, name: string): Map<string, NftElement> {
  const container = containerOf(table, name);
  const elements = table.owned.has(name)
    ? (container.elements as Map<string, NftElement>)
    : new Map(container.elements);
  table.owned.add(name);
  table.containers.set(name, { ...container, elements });
  return elements;
}

function isLedTo(table: FakeTable, chain: string): boolean {
  for (const { rules } of table.chains.values()) {
    if (rules.some(({ text }) => targetsOf(text).includes(chain))) {
      return true;
    }
  }
  for (const { declaration, elements } of table.containers.values()) {
    if (declaration.value === 'verdict') {
      for (const { value } of elements.values()) {
        if (value === `goto ${chain}` || value === `jump ${chain}`) {
          return true;
        }
      }
    }
  }
  return false;
}

function targetsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:goto|jump) (\S+)/g)].map((match) => match[1] ?? '');
}

function containersOf(text: string): readonly string[] {
  return [...text.matchAll(/@([\w./-]+)/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => !/^(?:nh|th|ll)$/.test(name));
}
