/** The word of `words` that `name` was most likely meant to be; undefined when none comes close. */
export function nearest(name: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestLikeness = 0.5;
  for (const word of words) {
    const length = Math.max(word.length, name.length, 1);
    const likeness = name.length > 64 ? 0 : (length - editDistance(word.toLowerCase(), name.toLowerCase())) / length;
    if (likeness >= bestLikeness) {
      best = word;
      bestLikeness = likeness;
    }
  }
  return best;
}

/** Letters to insert, remove or replace to get from one word to the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
