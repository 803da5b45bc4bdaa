import type { ApplyReport } from '@kube-proxier/core';
import type { SavedTable } from '@kube-proxier/linux';
import type { IptablesTransaction } from '../plan/iptables-transaction.js';
import { isOurChain } from '../plan/layout.js';

type TableName = 'filter' | 'nat';
const TABLES: readonly TableName[] = ['filter', 'nat'];

/** Rules in chains of ours, by table. */
export type ExpectedRules = Readonly<Record<TableName, number>>;

/** Counts the rules in chains of ours. */
export class RuleCounts {
  readonly #total = { filter: 0, nat: 0 };
  readonly #written = { filter: 0, nat: 0 };

  #expected: ExpectedRules | undefined;

  /** What there is unless others change it, as another object after each change; undefined while that is not known. */
  get expected(): ExpectedRules | undefined {
    return this.#expected;
  }

  get rules(): NonNullable<ApplyReport['rules']> {
    const of = (table: TableName) => ({ total: this.#total[table], written: this.#written[table] });
    return { filter: of('filter'), nat: of('nat') };
  }

  /** It is being written to, or was in part. */
  unknown(): void {
    this.#expected = undefined;
  }

  /** This is what there is. */
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

  /** This was written. */
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
