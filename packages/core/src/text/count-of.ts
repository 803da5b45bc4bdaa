/**
 * A number with its noun: `1 endpoint`, `2 endpoints`.
 *
 * @param plural default: the noun with an `s`.
 */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
