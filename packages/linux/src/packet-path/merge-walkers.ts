import { type Walker, withChanges } from './walker.js';

/** Maximum number of different walkers that others are compared with. */
const MOST_COMPARED = 16;

/**
 * Of walkers that continue at the same place, one of those whose packets cannot be distinguished: each rule with an
 * unknown effect would otherwise double the number of walkers.
 *
 * @param before the only walker before, if all that it became are in the list. If none of them differs from it, the
 * rules between had no effect, even if it is unknown whether they matched. Undefined: some have ended.
 */
export function withoutDuplicates(walkers: readonly Walker[], before: Walker | undefined): readonly Walker[] {
  if (before !== undefined && walkers.every((walker) => hasSameState(walker, before))) {
    return [before.isNoted ? withNotes(before, walkers) : before];
  }
  const kept: Walker[] = [];
  for (const walker of walkers) {
    const at = kept.length > MOST_COMPARED ? -1 : kept.findIndex((one) => isSame(one, walker));
    const same = kept[at];
    if (same === undefined) {
      kept.push(walker);
    } else if ((walker.unknown?.length ?? 0) > (same.unknown?.length ?? 0)) {
      kept[at] = walker;
    }
  }
  return kept;
}

/** With the chains that the walkers have seen: for a packet without an outcome, they say how far it got. */
function withNotes(before: Walker, walkers: readonly Walker[]): Walker {
  const lengthOf = ({ visits }: Walker) => visits?.length ?? 0;
  const { visits, misses } = walkers.reduce((most, one) => (lengthOf(one) > lengthOf(most) ? one : most));
  const emptyChain = walkers.find((walker) => walker.emptyChain !== undefined)?.emptyChain;
  return withChanges(before, { visits, misses, emptyChain });
}

/** Whether two walkers differ at most in their assumptions. A random choice makes different ones, whose probabilities add up. */
function isSame(one: Walker, other: Walker): boolean {
  return (
    one === other ||
    (one.unknown !== other.unknown &&
      one.unknown !== undefined &&
      other.unknown !== undefined &&
      one.probability === other.probability &&
      hasSameState(one, other))
  );
}

/** Whether later rules do the same with two walkers: equal in all but the probability, the assumptions and the findings. */
export function hasSameState(one: Walker, other: Walker): boolean {
  return (
    one === other ||
    (one.hook === other.hook &&
      one.packet === other.packet &&
      one.source === other.source &&
      one.destination === other.destination &&
      one.port === other.port &&
      one.originalDestination === other.originalDestination &&
      one.inInterface === other.inInterface &&
      one.outInterface === other.outInterface &&
      one.mark === other.mark &&
      one.markedBy === other.markedBy &&
      one.connectionMark === other.connectionMark &&
      one.priority === other.priority &&
      one.translatedBy === other.translatedBy &&
      one.destinationDecided === other.destinationDecided &&
      one.masqueradedBy === other.masqueradedBy &&
      one.sourceDecided === other.sourceDecided &&
      one.destinationKeptBy === other.destinationKeptBy &&
      one.sourceKeptBy === other.sourceKeptBy &&
      one.isBalanced === other.isBalanced &&
      one.unevenly === other.unevenly &&
      one.isReply === other.isReply &&
      one.untracked === other.untracked &&
      one.written === other.written &&
      one.isNoted === other.isNoted)
  );
}
