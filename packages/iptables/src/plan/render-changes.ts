import type { RuleChange } from '@kube-proxier/core';
import { iptablesDocumentChanges } from '@kube-proxier/linux';
import { ROUTE_LOCALNET } from './fixed-chains.js';
import type { InstalledIptables } from './installed-iptables.js';
import { documentOf, type IptablesTransaction } from './iptables-transaction.js';
import { missingGuard } from './localnet-guard.js';

/** The changes that writing a transaction makes to what is installed, as `iptables-save` prints them. Pure. */
export function renderChanges(transaction: IptablesTransaction, installed: InstalledIptables): readonly RuleChange[] {
  const { family, localnet, filter } = transaction;
  const guard = localnet ? missingGuard(installed.filter) : undefined;
  const document = documentOf(guard === undefined ? transaction : { ...transaction, filter: { ...filter, guard } });
  const saved = { filter: installed.filter, nat: installed.nat };
  const changes = iptablesDocumentChanges(document, { family, saved });
  return localnet && !installed.routeLocalnet ? [...changes, ...SETTING] : changes;
}

const SETTING: readonly RuleChange[] = (
  [
    ['remove', 0],
    ['add', 1],
  ] as const
).map(([action, value]) => ({ action, table: 'sysctl', kind: 'setting', text: `${ROUTE_LOCALNET} = ${value}` }));
