import { EventLoopPace, finishWithPauses } from '@kube-proxier/core';
import { declaresAnyInSlices, type Iptables, parseSavedTable, parseSavedTableInSlices } from '@kube-proxier/linux';
import type { SavedPortals } from '../plan/portal-document.js';
import { OWN_GROUP, type PortalGroups } from '../plan/portal-groups.js';
import { CHAINS, JUMPS, PORTAL_TABLES, WRITTEN } from '../plan/portal-rules.js';

/** Reads the tables of portals. A table that is not in use is brought into use. */
export async function readSavedPortals(iptables: Iptables): Promise<SavedPortals> {
  return {
    nat: parseSavedTable(await iptables.save('nat'), 'nat'),
    filter: parseSavedTable(await iptables.save('filter'), 'filter'),
  };
}

const NO_PORTALS: SavedPortals = { nat: new Map(), filter: new Map() };

/**
 * Reads those tables that are in use, with pauses: another mode may have hundreds of thousands of rules there. Empty if there is no
 * chain of portals.
 */
export async function readUsedPortals(iptables: Iptables): Promise<SavedPortals> {
  const all = await iptables.save();
  const pace = new EventLoopPace();
  if (!(await finishWithPauses(declaresAnyInSlices(all, Object.values(CHAINS)), pace))) {
    return NO_PORTALS;
  }
  return {
    nat: await finishWithPauses(parseSavedTableInSlices(all, 'nat'), pace),
    filter: await finishWithPauses(parseSavedTableInSlices(all, 'filter'), pace),
  };
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

/** The same rules, in any order. */
function sameRules(left: readonly string[], right: readonly string[]): boolean {
  const sorted = [...right].sort();
  return left.length === right.length && [...left].sort().every((text, index) => text === sorted[index]);
}
