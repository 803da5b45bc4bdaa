import type { NftCommand } from '@kube-proxier/linux';
import { TransactionDraft } from './nftables-transaction.js';
import type { ServiceElement } from './service-elements.js';

/** Elements of one part. The kernel takes some milliseconds for so many. */
export const LOAD_PART = 8192;

/** Elements that are made between two places to pause. */
const BETWEEN_PAUSES = 64;

/**
 * Puts elements together to commands, some at a time; undefined is a place to pause.
 *
 * @param size elements of a part.
 */
export function* inParts(
  lists: Iterable<readonly ServiceElement[]>,
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
    }
    sincePause += list.length;
    if (sincePause >= BETWEEN_PAUSES) {
      sincePause = 0;
      yield undefined;
    }
  }
  if (count > 0) {
    yield draft.commands();
  }
}
