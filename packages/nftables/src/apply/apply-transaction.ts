import { EventLoopPace, type IPFamily, type Logger } from '@kube-proxier/core';
import { type Nft, NftRefused, type NftTransaction } from '@kube-proxier/linux';
import { AFFINITY, idOfAffinityKey, nftFamily, TABLE } from '../plan/layout.js';
import {
  type ForgottenClients,
  type NftablesTransaction,
  type TableLoad,
  withoutChainDeletions,
} from '../plan/nftables-transaction.js';

/** Attempts to delete clients of deleted endpoints while the kernel expires some of them. */
const FORGET_ATTEMPTS = 3;

/** Where a transaction is written. */
export interface ApplyTarget {
  readonly nft: Nft;
  readonly family: IPFamily;
  readonly logger: Logger;
}

/**
 * Writes a transaction: the ruleset atomically, or, if it does not exist yet, in parts, of which the last activates it;
 * then deletes affinity clients.
 *
 * @returns whether unused chains remain for a later sync.
 * @throws NftError when nothing was written, or clients could not be deleted.
 */
export async function applyTransaction(
  transaction: NftablesTransaction,
  target: ApplyTarget,
): Promise<{ readonly leftovers: boolean }> {
  const leftovers = transaction.write.commands.length > 0 && (await write(transaction, target));
  if (transaction.forget.length > 0) {
    await forget(transaction.forget, target);
  }
  return { leftovers };
}

/** @returns whether unused chains remain. */
async function write(transaction: NftablesTransaction, { nft, logger }: ApplyTarget): Promise<boolean> {
  if (transaction.load !== undefined) {
    await nft.runAll(partsOf(transaction.write, transaction.load));
    return false;
  }
  try {
    await nft.run(transaction.write);
    return false;
  } catch (error) {
    const deletes = transaction.write.commands.some((command) => command.do === 'delete-chain');
    if (!(error instanceof NftRefused) || error.refusal !== 'busy' || !deletes) {
      throw error;
    }
    // Before Linux 6.2, a chain stays in use briefly after the removal of its last rule. Nothing jumps to it; the next
    // full sync deletes it.
    logger.debug(2, 'Unused chains are deleted later', { reason: error.reason });
    await nft.run(withoutChainDeletions(transaction).write);
    return true;
  }
}

/** Generates parts with pauses. */
async function* partsOf(write: NftTransaction, { elements, end }: TableLoad): AsyncGenerator<NftTransaction> {
  yield write;
  const pace = new EventLoopPace();
  for (const commands of elements()) {
    if (commands !== undefined) {
      yield { ...write, commands };
    } else if (pace.isPauseDue()) {
      await pace.pause();
    }
  }
  yield { ...write, commands: end };
}

async function forget(clients: readonly ForgottenClients[], { nft, family, logger }: ApplyTarget): Promise<void> {
  const wanted = new Map(clients.map(({ id, numbers }) => [String(id), numbers]));
  for (let attempt = 1; ; attempt++) {
    const elements = await nft.listElements(nftFamily(family), TABLE, 'map', AFFINITY);
    const keys = [...(elements ?? [])].flatMap(([key, { value = '' }]) => {
      const id = idOfAffinityKey(key);
      return wanted.has(id) && (wanted.get(id)?.has(value) ?? true) ? [key] : [];
    });
    if (keys.length === 0) {
      return;
    }
    try {
      const commands = [{ do: 'delete-elements', name: AFFINITY, keys }] as const;
      await nft.run({ family: nftFamily(family), table: TABLE, commands });
      return;
    } catch (error) {
      if (!(error instanceof NftRefused) || error.refusal !== 'missing') {
        throw error;
      }
      if (attempt >= FORGET_ATTEMPTS) {
        logger.debug(2, 'Affinity clients of deleted endpoints are left to time out', { clients: keys.length });
        return;
      }
    }
  }
}
