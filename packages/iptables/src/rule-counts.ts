import type { ApplyReport } from '@kube-proxier/core';
import type { SavedTable } from '@kube-proxier/linux';
import { isOurChain } from './chain-names.js';
import type { IptablesTransaction } from './iptables-transaction.js';

type TableName = 'filter' | 'nat';
const TABLES: readonly TableName[] = ['filter', 'nat'];

/** Counts the rules in chains of ours, in time that follows what is written. */
export class RuleCounts {
  readonly #byChain: Readonly<Record<TableName, Map<string, number>>> = { filter: new Map(), nat: new Map() };
  readonly #total = { filter: 0, nat: 0 };
  readonly #written = { filter: 0, nat: 0 };

  get rules(): NonNullable<ApplyReport['rules']> {
    const of = (table: TableName) => ({ total: this.#total[table], written: this.#written[table] });
    return { filter: of('filter'), nat: of('nat') };
  }

  /** This is what there is. */
  found(tables: Readonly<Record<TableName, SavedTable>>): void {
    for (const table of TABLES) {
      this.#byChain[table].clear();
      this.#total[table] = 0;
      this.#written[table] = 0;
      for (const [chain, { rules }] of tables[table]) {
        if (isOurChain(table, chain)) {
          this.#set(table, chain, rules.length);
        }
      }
    }
  }

  /** This was written. */
  applied(transaction: IptablesTransaction): void {
    for (const table of TABLES) {
      const { writes, deletes, insertions } = transaction[table];
      this.#written[table] = insertions.length;
      for (const [chain, { rules }] of writes) {
        this.#set(table, chain, rules.length);
        this.#written[table] += rules.length;
      }
      for (const chain of deletes.keys()) {
        this.#set(table, chain, 0);
      }
    }
  }

  #set(table: TableName, chain: string, count: number): void {
    const counts = this.#byChain[table];
    this.#total[table] += count - (counts.get(chain) ?? 0);
    if (count === 0) {
      counts.delete(chain);
    } else {
      counts.set(chain, count);
    }
  }
}
