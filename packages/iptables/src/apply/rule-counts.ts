import type { ApplyReport } from '@kube-proxier/core';
import type { SavedTable } from '@kube-proxier/linux';
import type { IptablesTransaction } from '../plan/iptables-transaction.js';
import { isOurChain } from '../plan/layout.js';

type TableName = 'filter' | 'nat';
const TABLES: readonly TableName[] = ['filter', 'nat'];

/** Number of rules in own chains, by table. */
export type ExpectedRules = Readonly<Record<TableName, number>>;

/** Counts the rules in own chains. */
export class RuleCounts {
  readonly #total = { filter: 0, nat: 0 };
  readonly #written = { filter: 0, nat: 0 };

  #expected: ExpectedRules | undefined;

  /** The expected counts without foreign changes, a new object after each change; undefined while unknown. */
  get expected(): ExpectedRules | undefined {
    return this.#expected;
  }

  get rules(): NonNullable<ApplyReport['rules']> {
    const of = (table: TableName) => ({ total: this.#total[table], written: this.#written[table] });
    return { filter: of('filter'), nat: of('nat') };
  }

  /** Marks the counts as unknown during a write, or after a partial one. */
  unknown(): void {
    this.#expected = undefined;
  }

  /** Sets the counts from a read-back. */
  found(tables: Readonly<Record<TableName, SavedTable>>): void {
    for (const table of TABLES) {
      this.#total[table] = 0;
      this.#written[table] = 0;
      for (const [chain, { rules }] of tables[table]) {
        this.#total[table] += isOurChain(table, chain) ? rules.length : 0;
      }
    }
    this.#expected = { ...this.#total };
  }

  /** Updates the counts after a write. */
  applied(transaction: IptablesTransaction): void {
    for (const table of TABLES) {
      const { writes, insertions, growth } = transaction[table];
      this.#total[table] += growth;
      this.#written[table] = insertions.length;
      for (const { rules } of writes.values()) {
        this.#written[table] += rules.length;
      }
    }
    this.#expected = { ...this.#total };
  }
}
