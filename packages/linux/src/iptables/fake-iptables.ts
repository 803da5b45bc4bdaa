import type { IPFamily } from '@kube-proxier/core';
import { isBuiltinTarget } from './builtin-targets.js';
import type { Iptables, IptablesTable, IptablesVariant, IptablesVersion } from './iptables.js';
import { IptablesDocumentRefused } from './iptables-error.js';
import { IptablesRule } from './iptables-rule.js';
import { splitWords, targetOf } from './rule-text.js';

export interface FakeIptablesOptions {
  readonly family?: IPFamily;
  /** Default `nft`. */
  readonly variant?: IptablesVariant;
  /** Default `1.8.9`. */
  readonly version?: string;
}

interface Chain {
  /** `-` for a user-defined chain. */
  readonly policy: string;
  readonly rules: string[];
}

type Table = Map<string, Chain>;

const BUILTIN: Readonly<Record<IptablesTable, readonly string[]>> = {
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  raw: ['PREROUTING', 'OUTPUT'],
  security: ['INPUT', 'FORWARD', 'OUTPUT'],
};

const MAX_NAME_LENGTH = 28;

class Refused extends Error {}

/**
 * iptables in memory, with the kernel's semantics: declaring a chain creates or flushes it, tables are atomic, jumps
 * need an existing chain, a chain that is not empty or is jumped to cannot be deleted.
 */
export class FakeIptables implements Iptables {
  readonly family: IPFamily;
  /** Every document that was restored or refused, in order. */
  readonly documents: string[] = [];
  /** How often `save` was called. */
  saves = 0;
  /** Lines for which this returns true are rejected, as by a kernel that lacks a feature. */
  refuses: (line: string) => boolean = () => false;
  /** Whether stamps are available; they are not where the kernel cannot be queried. */
  stamps = true;
  /** The result of `isPresent`. */
  present = true;

  readonly #tables = new Map<IptablesTable, Table>();
  #generation = 0;
  /** Number of foreign changes by table. */
  readonly #changesOfOthers = new Map<IptablesTable, number>();
  readonly #seen = new Map<IptablesTable, number>();
  readonly #failures: unknown[] = [];
  readonly #version: IptablesVersion;

  constructor(options: FakeIptablesOptions = {}) {
    this.family = options.family ?? 'IPv4';
    this.#version = { text: options.version ?? '1.8.9', variant: options.variant ?? 'nft', randomFully: true };
    for (const [table, chains] of Object.entries(BUILTIN)) {
      this.#tables.set(table as IptablesTable, new Map(chains.map((name) => [name, { policy: 'ACCEPT', rules: [] }])));
    }
  }

  /** Makes the next call of any method but `isPresent` reject with `error`. Several calls queue up. */
  failNext(error: unknown): void {
    this.#failures.push(error);
  }

  /** The rules of a chain as `iptables-save` prints them; undefined when the chain does not exist. */
  rulesOf(table: IptablesTable, chain: string): readonly string[] | undefined {
    return this.#table(table).get(chain)?.rules;
  }

  chainsOf(table: IptablesTable): readonly string[] {
    return [...this.#table(table).keys()];
  }

  /** As `restore`, by another program. */
  async restoreByOthers(document: string): Promise<void> {
    this.#commit(document, (table) => {
      const changed = this.#version.variant === 'nft' ? [...this.#tables.keys()] : [table];
      for (const one of changed) {
        this.#changesOfOthers.set(one, (this.#changesOfOthers.get(one) ?? 0) + 1);
      }
    });
  }

  async restore(document: string): Promise<void> {
    this.documents.push(document);
    this.#failIfAsked();
    this.#commit(document);
  }

  #commit(document: string, onCommit: (table: IptablesTable) => void = () => {}): void {
    let name: IptablesTable | undefined;
    let table: Table = new Map();
    const lines = document.split('\n');
    for (const [index, line] of lines.entries()) {
      try {
        if (line === '' || line.startsWith('#')) {
          continue;
        }
        if (line.startsWith('*')) {
          name = line.slice(1) as IptablesTable;
          table = copy(this.#table(name));
        } else if (line === 'COMMIT' && name !== undefined) {
          checkJumps(table);
          this.#tables.set(name, table);
          this.#generation++;
          onCommit(name);
          name = undefined;
        } else {
          if (name === undefined || this.refuses(line)) {
            throw new Refused(`cannot process "${line}"`);
          }
          execute(table, line);
        }
      } catch (error) {
        if (error instanceof Refused) {
          throw new IptablesDocumentRefused(index + 1, line, error.message);
        }
        throw error;
      }
    }
    if (name !== undefined) {
      throw new IptablesDocumentRefused(lines.length, '', 'COMMIT expected');
    }
  }

  async save(table?: IptablesTable): Promise<string> {
    this.saves++;
    this.#failIfAsked();
    return table === undefined
      ? [...this.#tables.keys()].map((name) => this.#print(name)).join('')
      : this.#print(table);
  }

  #print(name: IptablesTable): string {
    const chains = [...this.#table(name)].sort(
      ([a, left], [b, right]) => order(a, left) - order(b, right) || compare(a, b),
    );
    return [
      `*${name}`,
      ...chains.map(([chain, { policy }]) => `:${chain} ${policy} [0:0]`),
      ...chains.flatMap(([chain, { rules }]) =>
        rules.map((rule) => (rule === '' ? `-A ${chain}` : `-A ${chain} ${rule}`)),
      ),
      'COMMIT',
      '',
    ].join('\n');
  }

  async chainExists(table: IptablesTable, chain: string): Promise<boolean> {
    this.#failIfAsked();
    return this.#table(table).has(chain);
  }

  async ruleExists(table: IptablesTable, chain: string, rule: string): Promise<boolean> {
    this.#failIfAsked();
    return this.#table(table).get(chain)?.rules.includes(canonical(rule)) ?? false;
  }

  async stamp(name: IptablesTable): Promise<string | undefined> {
    if (!this.stamps) {
      return undefined;
    }
    return this.#version.variant === 'nft'
      ? String(this.#generation)
      : [...this.#table(name).values()].map(({ rules }) => rules.length).join(' ');
  }

  async changedByOthers(name: IptablesTable): Promise<boolean | undefined> {
    if (!this.stamps) {
      return undefined;
    }
    const changes = this.#changesOfOthers.get(name) ?? 0;
    const changed = (this.#seen.get(name) ?? changes) !== changes;
    this.#seen.set(name, changes);
    return changed;
  }

  async version(): Promise<IptablesVersion> {
    this.#failIfAsked();
    return this.#version;
  }

  close(): void {}

  async isPresent(): Promise<boolean> {
    return this.present;
  }

  #table(name: IptablesTable): Table {
    const table = this.#tables.get(name);
    if (table === undefined) {
      throw new Refused(`unable to initialize table '${name}'`);
    }
    return table;
  }

  #failIfAsked(): void {
    if (this.#failures.length > 0) {
      throw this.#failures.shift();
    }
  }
}

function order(name: string, chain: Chain): number {
  return chain.policy === '-' ? 1000 : ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'].indexOf(name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Chains are replaced, never changed in place, except in a private copy. */
function copy(table: Table): Table {
  return new Map([...table].map(([name, chain]) => [name, { policy: chain.policy, rules: [...chain.rules] }]));
}

function canonical(rule: string): string {
  return IptablesRule.parse(rule)?.text ?? rule;
}

function execute(table: Table, line: string): void {
  if (line.startsWith(':')) {
    const [name = '', policy = '-'] = line.slice(1).split(' ');
    declare(table, name, policy);
    return;
  }
  const match = /^(-[ADINXF])(?: (\S+))?(?: (.*))?$/.exec(line);
  const [, operation, name, rest = ''] = match ?? [];
  if (operation === undefined || name === undefined) {
    throw new Refused(`unknown line "${line}"`);
  }
  if (operation === '-N') {
    if (table.has(name)) {
      throw new Refused('Chain already exists.');
    }
    declare(table, name, '-');
    return;
  }
  const chain = table.get(name);
  if (chain === undefined) {
    throw new Refused('No chain/target/match by that name.');
  }
  switch (operation) {
    case '-F':
      chain.rules.length = 0;
      return;
    case '-X':
      remove(table, name, chain);
      return;
    case '-A':
      chain.rules.push(checked(table, rest));
      return;
    case '-I':
      insert(table, chain, rest);
      return;
    default: {
      const at = chain.rules.indexOf(canonical(rest));
      if (at < 0) {
        throw new Refused('Bad rule (does a matching rule exist in that chain?).');
      }
      chain.rules.splice(at, 1);
    }
  }
}

function declare(table: Table, name: string, policy: string): void {
  const chain = table.get(name);
  if (chain !== undefined) {
    // Declaring a built-in chain sets its policy; its rules stay under --noflush.
    if (chain.policy === '-') {
      chain.rules.length = 0;
    } else if (policy !== '-') {
      table.set(name, { policy, rules: chain.rules });
    }
    return;
  }
  if (name.length > MAX_NAME_LENGTH || isBuiltinTarget(name)) {
    throw new Refused(`Invalid chain name '${name}' (${MAX_NAME_LENGTH} chars max)`);
  }
  table.set(name, { policy: '-', rules: [] });
}

function remove(table: Table, name: string, chain: Chain): void {
  if (chain.policy !== '-' || chain.rules.length > 0 || isJumpedTo(table, name)) {
    throw new Refused('Device or resource busy');
  }
  table.delete(name);
}

function isJumpedTo(table: Table, name: string): boolean {
  for (const chain of table.values()) {
    for (const rule of chain.rules) {
      if (rule.endsWith(name) && targetOf(rule) === name) {
        return true;
      }
    }
  }
  return false;
}

function insert(table: Table, chain: Chain, rest: string): void {
  const [, position, rule = rest] = /^(\d+) (.*)$/.exec(rest) ?? [];
  const at = position === undefined ? 0 : Number(position) - 1;
  if (at > chain.rules.length) {
    throw new Refused('Index of insertion too big.');
  }
  chain.rules.splice(at, 0, checked(table, rule));
}

function checked(table: Table, rule: string): string {
  const words = splitWords(rule);
  if (words === undefined) {
    throw new Refused('open quote');
  }
  const target = targetOf(rule);
  if (target !== undefined && !isBuiltinTarget(target) && !table.has(target)) {
    throw new Refused(`Chain '${target}' does not exist`);
  }
  const text = canonical(rule);
  if (/--dport|--to-destination \S*:\d+$/.test(text) && !/-p (tcp|udp|sctp)/.test(text)) {
    throw new Refused('a port needs a protocol');
  }
  return text;
}

/** A table whose chains form a loop is rejected when it is committed. */
function checkJumps(table: Table): void {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): void => {
    const chain = table.get(name);
    if (chain === undefined || done.has(name)) {
      return;
    }
    if (open.has(name)) {
      throw new Refused('Too many links');
    }
    open.add(name);
    for (const rule of chain.rules) {
      const target = targetOf(rule);
      if (target !== undefined) {
        visit(target);
      }
    }
    open.delete(name);
    done.add(name);
  };
  for (const [name, chain] of table) {
    if (chain.policy !== '-') {
      visit(name);
    }
  }
}
