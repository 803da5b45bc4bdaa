import { distance } from 'fastest-levenshtein';
import { FLAGS } from './flag.js';

/** The flag most similar to `name`; undefined when none is similar. */
export function nearestFlag(name: string): string | undefined {
  return nearestName(
    name,
    FLAGS.map((flag) => flag.name),
  );
}

/** The one of `names` most similar to `name`; undefined when none is similar. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestLikeness = 0.65;
  for (const candidate of names) {
    const length = Math.max(candidate.length, name.length);
    // Measuring costs the product of the lengths, and no flag or command has such a long name.
    const likeness = name.length > 64 ? 0 : (length - distance(candidate, name)) / length;
    if (likeness > bestLikeness) {
      best = candidate;
      bestLikeness = likeness;
    }
  }
  return best;
}
