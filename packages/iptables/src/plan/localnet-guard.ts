import { effectOf, type IptablesRule, type SavedTable } from '@kube-proxier/linux';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP } from './fixed-chains.js';
import type { LocalnetGuard } from './iptables-transaction.js';
import { CHAINS } from './layout.js';

/** What is missing in a table that was read; undefined when nothing is. Pure. */
export function missingGuard(filter: SavedTable): LocalnetGuard | undefined {
  const chain = CHAINS.localnetGuard;
  const appendedRules = has(filter, chain, LOCALNET_GUARD) ? [] : [{ chain, rule: LOCALNET_GUARD.text }];
  const insertedRules = LOCALNET_GUARD_HOOKS.filter((hook) => !has(filter, hook, LOCALNET_GUARD_JUMP)).map((hook) => ({
    ...{ chain: hook, position: 1, rule: LOCALNET_GUARD_JUMP.text },
  }));
  return appendedRules.length === 0 && insertedRules.length === 0
    ? undefined
    : { created: filter.has(chain) ? [] : [chain], appendedRules, insertedRules };
}

function has(table: SavedTable, chain: string, rule: IptablesRule): boolean {
  return table.get(chain)?.rules.some((text) => effectOf(text) === rule.bareText) ?? false;
}
