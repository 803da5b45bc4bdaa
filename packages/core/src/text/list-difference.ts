/** One step from a list to another. */
export interface ListChange {
  readonly action: 'add' | 'remove';
  readonly text: string;
  /** 1 for the first; in the old list for `remove`, in the new one for `add`. */
  readonly position: number;
}

/** Maximum number of cells of the comparison table; beyond it, the differing part is replaced as a whole. */
const MAX_CELLS = 4_000_000;

/**
 * The fewest removals and additions that lead from one list to another, in the order of the new list, removals first
 * where both are at the same place. For very long lists, the result may not be minimal.
 */
export function listDifference(before: readonly string[], after: readonly string[]): readonly ListChange[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start++;
  }
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const width = right.length + 1;
  const isKept = left.length * right.length > MAX_CELLS ? () => 0 : longestCommon(left, right);
  const changes: ListChange[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const [old, fresh] = [left[row], right[column]];
    if (old !== undefined && old === fresh && isKept(row * width + column) > isKept((row + 1) * width + column)) {
      row++;
      column++;
    } else if (
      old !== undefined &&
      (fresh === undefined || isKept((row + 1) * width + column) >= isKept(row * width + column + 1))
    ) {
      changes.push({ action: 'remove', text: old, position: start + row + 1 });
      row++;
    } else if (fresh !== undefined) {
      changes.push({ action: 'add', text: fresh, position: start + column + 1 });
      column++;
    }
  }
  return changes;
}

/** By cell: the length of the longest common subsequence of the rest of both lists. */
function longestCommon(left: readonly string[], right: readonly string[]): (cell: number) => number {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const cell = row * width + column;
      lengths[cell] =
        left[row] === right[column]
          ? (lengths[cell + width + 1] ?? 0) + 1
          : Math.max(lengths[cell + width] ?? 0, lengths[cell + 1] ?? 0);
    }
  }
  return (cell) => lengths[cell] ?? 0;
}
