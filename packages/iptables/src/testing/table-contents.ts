import { type Iptables, parseSavedTable } from '@kube-proxier/linux';

/**
 * Chains and rules of both tables, in an order that does not depend on who prints them, without comments (there are
 * none where there are many endpoints).
 */
export async function tableContents(iptables: Iptables): Promise<unknown> {
  return await Promise.all(
    (['filter', 'nat'] as const).map(async (table) => {
      const saved = parseSavedTable(await iptables.save(table), table);
      return [...saved]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { rules }]) => [
          name,
          ...rules.map((rule) => rule.replace(/-m comment --comment "[^"]*" ?/g, '')),
        ]);
    }),
  );
}
