import { type Logger, messageOf } from '@kube-proxier/core';
import type { Nft, NftCommand, NftCounter } from '@kube-proxier/linux';
import type { NftablesTransaction } from '../plan/nftables-transaction.js';
import { trafficCountedBy, trafficCounter } from '../plan/traffic-counters.js';

/**
 * Adds commands that move the values of counters of removed endpoints to a counter of their service port, so that its
 * total never decreases, even over a restart. Counts between the read and the removal are lost. If the counters cannot
 * be read, all their counts are lost, and the transaction is unchanged: removals are never delayed for counting.
 */
export async function keepTraffic(
  transaction: NftablesTransaction,
  nft: Pick<Nft, 'listCounters'>,
  logger: Logger,
): Promise<NftablesTransaction> {
  const { write } = transaction;
  if (!write.commands.some(({ do: what }) => what === 'delete-counter')) {
    return transaction;
  }
  const removedBy = removedCounters(write.commands);
  if (removedBy.size === 0) {
    return transaction;
  }
  const names = [...removedBy].flatMap(([total, removed]) => [total, ...removed]);
  let counters: ReadonlyMap<string, NftCounter> | undefined;
  try {
    counters = await nft.listCounters(write.family, write.table, names);
  } catch (error) {
    logger.warn(
      `Packets that removed endpoints have counted are lost, as counters cannot be read: ${messageOf(error)}`,
    );
    return transaction;
  }
  const commands = [...removedBy].flatMap(([name, removed]): NftCommand[] => {
    const counted = sum(removed.map((counter) => counters?.get(counter)));
    return counted.packets === 0
      ? []
      : [
          { do: 'delete-counter', name },
          { do: 'add-counter', name, value: sum([counted, counters?.get(name)]) },
        ];
  });
  return commands.length === 0
    ? transaction
    : { ...transaction, write: { ...write, commands: [...write.commands, ...commands] } };
}

/** Counters of endpoints removed from kept service ports, by the counter of the service port. */
function removedCounters(commands: readonly NftCommand[]): ReadonlyMap<string, readonly string[]> {
  const deleted = new Set(commands.flatMap((command) => (command.do === 'delete-counter' ? [command.name] : [])));
  const found = new Map<string, string[]>();
  for (const counter of deleted) {
    const counted = trafficCountedBy(counter);
    if (counted?.endpoint === undefined) {
      continue;
    }
    const { servicePort, direction } = counted;
    const total = trafficCounter({ servicePort, direction });
    if (!deleted.has(total)) {
      found.set(total, [...(found.get(total) ?? []), counter]);
    }
  }
  return found;
}

function sum(counters: readonly (NftCounter | undefined)[]): NftCounter {
  return counters.reduce<NftCounter>(
    (total, counter) => ({
      packets: total.packets + (counter?.packets ?? 0),
      bytes: total.bytes + (counter?.bytes ?? 0),
    }),
    { packets: 0, bytes: 0 },
  );
}
