import type { RuleChange } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  effectOf,
  type IptablesDocument,
  type IptablesRule,
  iptablesDocumentChanges,
  type SavedTable,
} from '@kube-proxier/linux';
import { LOCALNET_GUARD, LOCALNET_GUARD_HOOKS, LOCALNET_GUARD_JUMP, ROUTE_LOCALNET } from './fixed-chains.js';
import type { InstalledIptables } from './installed-iptables.js';
import { documentOf, type IptablesTransaction } from './iptables-transaction.js';
import { CHAINS } from './layout.js';

/** The changes that writing a transaction makes to what is installed, as `iptables-save` prints them. Pure. */
export function renderChanges(transaction: IptablesTransaction, installed: InstalledIptables): readonly RuleChange[] {
  const { family, localnet } = transaction;
  const document = documentOf(transaction);
  const changes = iptablesDocumentChanges(localnet ? withGuard(document, installed) : document, {
    family,
    saved: { filter: installed.filter, nat: installed.nat },
  });
  return localnet && !installed.routeLocalnet ? [...changes, ...SETTING] : changes;
}

const SETTING: readonly RuleChange[] = (
  [
    ['remove', 0],
    ['add', 1],
  ] as const
).map(([action, value]) => ({ action, table: 'sysctl', kind: 'setting', text: `${ROUTE_LOCALNET} = ${value}` }));

/** Includes missing guard rules of 127.0.0.0/8, which are written last. */
function withGuard(document: IptablesDocument<string>, { filter }: InstalledIptables): IptablesDocument<string> {
  const table = document.get('filter') ?? EMPTY_TABLE_DOCUMENT;
  const exists = filter.has(CHAINS.localnetGuard);
  const isMissing = (chain: string, rule: IptablesRule) => !has(filter, chain, rule);
  const guard = isMissing(CHAINS.localnetGuard, LOCALNET_GUARD)
    ? [{ chain: CHAINS.localnetGuard, rule: LOCALNET_GUARD.text }]
    : [];
  const jumps = LOCALNET_GUARD_HOOKS.filter((hook) => isMissing(hook, LOCALNET_GUARD_JUMP)).map((chain) => ({
    ...{ chain, position: 1, rule: LOCALNET_GUARD_JUMP.text },
  }));
  return new Map([
    ...document,
    [
      'filter',
      {
        ...table,
        created: exists ? table.created : [...table.created, CHAINS.localnetGuard],
        appendedRules: [...table.appendedRules, ...guard],
        insertedRules: [...table.insertedRules, ...jumps],
      },
    ],
  ]);
}

function has(table: SavedTable, chain: string, rule: IptablesRule): boolean {
  return table.get(chain)?.rules.some((text) => effectOf(text) === rule.bareText) ?? false;
}
