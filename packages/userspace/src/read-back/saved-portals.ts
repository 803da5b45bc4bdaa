import { type Iptables, parseSavedTable } from '@kube-proxier/linux';
import type { SavedPortals } from '../plan/portal-document.js';
import { OWN_GROUP, type PortalGroups } from '../plan/portal-groups.js';
import { JUMPS, PORTAL_TABLES, WRITTEN } from '../plan/portal-rules.js';

/** Reads the tables of portals. A table that is not in use is brought into use. */
export async function readSavedPortals(iptables: Iptables): Promise<SavedPortals> {
  return parseSavedPortals(await iptables.save('nat'), await iptables.save('filter'));
}

/** Reads those tables that are in use. */
export async function readUsedPortals(iptables: Iptables): Promise<SavedPortals> {
  const all = await iptables.save();
  return parseSavedPortals(all, all);
}

/** Compares the kernel's tables with the rules that were written last. Pure. */
export function compareSavedPortals(
  saved: SavedPortals,
  written: PortalGroups,
): { readonly chainsMatch: boolean; readonly jumpsExist: boolean } {
  const expected = new Map<string, string[]>();
  for (const { table, chain, rule } of [...written.values()].flat()) {
    const name = `${table} ${chain}`;
    expected.set(name, [...(expected.get(name) ?? []), rule.text]);
  }
  const rulesMatch = PORTAL_TABLES.every((table) =>
    WRITTEN[table].every((chain) => {
      const found = saved[table].get(chain)?.rules;
      return found !== undefined && sameRules(found, expected.get(`${table} ${chain}`) ?? []);
    }),
  );
  // A rule before it would redirect this backend's own connections.
  const [own] = written.get(OWN_GROUP) ?? [];
  const ownIsFirst = !own || saved[own.table].get(own.chain)?.rules[0] === own.rule.text;
  const jumpsExist = JUMPS.every(({ table, chain, rule }) => saved[table].get(chain)?.rules.includes(rule.text));
  return { chainsMatch: rulesMatch && ownIsFirst, jumpsExist };
}

function parseSavedPortals(nat: string, filter: string): SavedPortals {
  return { nat: parseSavedTable(nat, 'nat'), filter: parseSavedTable(filter, 'filter') };
}

/** The same rules, in any order. */
function sameRules(left: readonly string[], right: readonly string[]): boolean {
  const sorted = [...right].sort();
  return left.length === right.length && [...left].sort().every((text, index) => text === sorted[index]);
}
