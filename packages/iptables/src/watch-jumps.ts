import { type RuleWatchOptions, type WatchedRule, watchRules } from '@kube-proxier/linux';
import { JUMPS } from './fixed-rules.js';

/** The rule whose absence tells that a table was flushed: one jump of each, in a chain that is short. */
const SENTINELS = (['nat', 'filter'] as const).map((table): WatchedRule => {
  const from = table === 'nat' ? 'PREROUTING' : 'FORWARD';
  const jump = JUMPS.find((candidate) => candidate.table === table && candidate.from === from);
  if (!jump) {
    throw new Error(`no jump from ${from} in ${table}`);
  }
  return { table, from, text: jump.rule.text };
});

/** Looks again and again whether the jumps into our chains still stand; returns when the signal aborts. */
export function watchJumps(options: Omit<RuleWatchOptions, 'rules'>): Promise<void> {
  return watchRules({ ...options, rules: SENTINELS });
}
