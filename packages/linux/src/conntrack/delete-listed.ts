import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { Conntrack, ConntrackEntry, GroupOfTranslation } from './conntrack.js';

/**
 * Implements `deleteMatching` of a {@link Conntrack} by its other methods: all matching entries are in memory at once.
 *
 * @throws ConntrackError; some of the entries may have been deleted.
 */
export async function deleteListed<Group>(
  conntrack: Pick<Conntrack, 'list' | 'delete'>,
  family: IPFamily,
  protocol: Protocol,
  groupOf: GroupOfTranslation<Group>,
): Promise<ReadonlyMap<Group, number>> {
  const groups = new Map<Group, ConntrackEntry[]>();
  await conntrack.list(family, protocol, (entry) => {
    const { destination, destinationPort } = entry.original;
    const { source, sourcePort } = entry.reply;
    const group = groupOf({ destination, destinationPort, source, sourcePort });
    if (group !== undefined) {
      const entries = groups.get(group) ?? [];
      entries.push(entry);
      groups.set(group, entries);
    }
    return false;
  });
  const deleted = new Map<Group, number>();
  for (const [group, entries] of groups) {
    const count = await conntrack.delete(entries);
    if (count > 0) {
      deleted.set(group, count);
    }
  }
  return deleted;
}
