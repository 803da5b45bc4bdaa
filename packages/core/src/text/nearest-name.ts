/** Longer names are not compared: the cost is the product of the lengths. */
const MAX_LENGTH = 253;
const MIN_LIKENESS = 0.65;

/** The one of `names` most similar to `name`, in any case; undefined when none is similar. For error messages. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestLikeness = MIN_LIKENESS;
  const wanted = name.toLowerCase();
  for (const candidate of names) {
    const length = Math.max(candidate.length, name.length);
    if (length === 0 || length > MAX_LENGTH || Math.abs(candidate.length - name.length) / length >= 1 - bestLikeness) {
      continue;
    }
    const likeness = (length - editDistance(candidate.toLowerCase(), wanted)) / length;
    if (likeness > bestLikeness) {
      best = candidate;
      bestLikeness = likeness;
    }
  }
  return best;
}

/**
 * Fewest insertions, deletions, replacements and swaps of adjacent characters that make one text the other (the restricted distance
 * of Damerau and Levenshtein).
 */
function editDistance(left: string, right: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const swapped = isSwap ? (beforePrevious[column - 2] ?? replaced) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
