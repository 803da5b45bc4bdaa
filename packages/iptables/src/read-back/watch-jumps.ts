import { type RuleWatchOptions, type SavedTable, type WatchedRule, watchRules } from '@kube-proxier/linux';
import { JUMPS } from '../plan/fixed-chains.js';

/** The rule whose absence means that a table was flushed: one jump of each table, in a short chain. */
const SENTINELS = (['nat', 'filter'] as const).map((table) => {
  const from = table === 'nat' ? 'PREROUTING' : 'FORWARD';
  const jump = JUMPS.find((candidate) => candidate.table === table && candidate.from === from);
  if (!jump) {
    throw new Error(`no jump from ${from} in ${table}`);
  }
  return { table, from, text: jump.rule.text } satisfies WatchedRule;
});

/** Checks periodically whether the jumps to our chains still exist; returns when the signal aborts. */
export function watchJumps(options: Omit<RuleWatchOptions, 'rules'>): Promise<void> {
  return watchRules({ ...options, rules: SENTINELS });
}

/** Whether the watched jumps exist in tables that were read. */
export function jumpsStand(tables: Readonly<Record<'filter' | 'nat', SavedTable>>): boolean {
  return SENTINELS.every(({ table, from, text }) => tables[table].get(from)?.rules.includes(text) ?? false);
}
