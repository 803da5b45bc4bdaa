import { distance } from 'fastest-levenshtein';

/** The word of `words` most similar to `name`; undefined when none is similar. */
export function nearest(name: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestLikeness = 0.5;
  for (const word of words) {
    const length = Math.max(word.length, name.length, 1);
    const likeness = name.length > 64 ? 0 : (length - distance(word.toLowerCase(), name.toLowerCase())) / length;
    if (likeness >= bestLikeness) {
      best = word;
      bestLikeness = likeness;
    }
  }
  return best;
}
