import { FLAGS } from './flag.js';

/** The flag that `name` was most likely meant to be; undefined when none comes close. */
export function nearestFlag(name: string): string | undefined {
  return nearestName(
    name,
    FLAGS.map((flag) => flag.name),
  );
}

/** The one of `names` that `name` was most likely meant to be; undefined when none comes close. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestLikeness = 0.65;
  for (const candidate of names) {
    const length = Math.max(candidate.length, name.length);
    // Measuring costs the product of the lengths, and a name this long is none of ours.
    const likeness = name.length > 64 ? 0 : (length - editDistance(candidate, name)) / length;
    if (likeness > bestLikeness) {
      best = candidate;
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
