import type { NftCommand } from '@kube-proxier/linux';
import { TransactionDraft } from './nftables-transaction.js';
import type { ServiceElement } from './service-elements.js';

/** Elements of one part. The kernel takes some milliseconds for so many. */
export const LOAD_PART = 8192;

/** Elements that are made between two places to pause. */
const BETWEEN_PAUSES = 64;

/** Puts elements together to commands, some at a time; undefined is a place to pause. */
export function* inParts(
  elements: Iterable<ServiceElement>,
  size: number,
): Generator<readonly NftCommand[] | undefined> {
  let draft = new TransactionDraft();
  let count = 0;
  for (const element of elements) {
    draft.addElement(element);
    count += 1;
    if (count === size) {
      yield draft.commands();
      draft = new TransactionDraft();
      count = 0;
    } else if (count % BETWEEN_PAUSES === 0) {
      yield undefined;
    }
  }
  if (count > 0) {
    yield draft.commands();
  }
}
