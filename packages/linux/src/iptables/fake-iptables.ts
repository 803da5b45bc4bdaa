import type { IPFamily } from '@kube-proxier/core';
import {
  canonicalRule,
  checkJumps,
  copyTable,
  executeLine,
  type FakeChain,
  type FakeTable,
  Refused,
} from './fake-iptables-table.js';
import type { Iptables, IptablesTable, IptablesVariant, IptablesVersion } from './iptables.js';
import { IptablesDocumentRefused } from './iptables-error.js';

export interface FakeIptablesOptions {
  readonly family?: IPFamily;
  /** Default `nft`. */
  readonly variant?: IptablesVariant;
  /** Default `1.8.9`. */
  readonly version?: string;
}

const BUILTIN: Readonly<Record<IptablesTable, readonly string[]>> = {
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  raw: ['PREROUTING', 'OUTPUT'],
  security: ['INPUT', 'FORWARD', 'OUTPUT'],
};

/**
 * iptables in memory, with the kernel's semantics: declaring a chain creates or flushes it, tables are atomic, jumps
 * need an existing chain, a chain that is not empty or is jumped to cannot be deleted.
 */
export class FakeIptables implements Iptables {
  readonly family: IPFamily;
  /** Every document that was restored or refused, in order. */
  readonly documents: string[] = [];
  /** Number of calls of `save`. */
  saves = 0;
  /** Lines for which this returns true are rejected, as by a kernel that lacks a feature. */
  refuses: (line: string) => boolean = () => false;
  /** Whether stamps are available; they are not when the kernel cannot be queried. */
  stamps = true;
  /** The result of `isPresent`. */
  present = true;

  readonly #tables = new Map<IptablesTable, FakeTable>();
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

  /** `restore` by another program. */
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
    let table: FakeTable = new Map();
    const lines = document.split('\n');
    for (const [index, line] of lines.entries()) {
      try {
        if (line === '' || line.startsWith('#')) {
          continue;
        }
        if (line.startsWith('*')) {
          name = line.slice(1) as IptablesTable;
          table = copyTable(this.#table(name));
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
          executeLine(table, line);
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

  async save(table?: IptablesTable, _signal?: AbortSignal): Promise<string> {
    this.saves++;
    this.#failIfAsked();
    return table === undefined
      ? [...this.#tables.keys()].map((name) => this.#print(name)).join('')
      : this.#print(table);
  }

  /** The fake has no packets. */
  async counted(table: IptablesTable, chain?: string): Promise<string> {
    const rules = this.#print(table).match(/^-A .*$/gm) ?? [];
    const own = rules.filter((rule) => chain === undefined || rule.startsWith(`-A ${chain} `));
    return own.map((rule) => `[0:0] ${rule}\n`).join('');
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
    return this.#table(table).get(chain)?.rules.includes(canonicalRule(rule)) ?? false;
  }

  async stamp(name: IptablesTable): Promise<string | undefined> {
    if (!this.stamps) {
      return undefined;
    }
    return this.#version.variant === 'nft'
      ? String(this.#generation)
      : [...this.#table(name).values()].map(({ rules }) => rules.length).join(' ');
  }

  async chainStamp(table: IptablesTable, chain: string): Promise<string | undefined> {
    return this.stamps && this.#version.variant === 'nft'
      ? JSON.stringify(this.#table(table).get(chain)?.rules ?? [])
      : await this.stamp(table);
  }

  async hasForeignChanges(name: IptablesTable): Promise<boolean | undefined> {
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

  #table(name: IptablesTable): FakeTable {
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

function order(name: string, chain: FakeChain): number {
  return chain.policy === '-' ? 1000 : ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'].indexOf(name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
