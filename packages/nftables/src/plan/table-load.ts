import type { NftCommand } from '@kube-proxier/linux';
import type { FormerClient } from './affinity-clients.js';
import { TransactionDraft } from './nftables-transaction.js';
import type { ServiceElement } from './service-elements.js';

/** An element of a new table. */
export type LoadedElement = ServiceElement | FormerClient;

/** Elements of one part, for which the kernel takes some milliseconds. */
export const LOAD_PART = 8192;

/** Elements generated between two pauses. */
const BETWEEN_PAUSES = 64;

/**
 * Groups elements into commands; undefined marks a possible pause.
 *
 * @param size elements of a part.
 */
export function* inParts(
  lists: Iterable<Iterable<LoadedElement>>,
  size: number,
): Generator<readonly NftCommand[] | undefined> {
  let draft = new TransactionDraft();
  let count = 0;
  let sincePause = 0;
  for (const list of lists) {
    for (const element of list) {
      draft.addElement(element);
      count += 1;
      if (count === size) {
        yield draft.commands();
        draft = new TransactionDraft();
        count = 0;
      }
      sincePause += 1;
      if (sincePause >= BETWEEN_PAUSES) {
        sincePause = 0;
        yield undefined;
      }
    }
  }
  if (count > 0) {
    yield draft.commands();
  }
}
