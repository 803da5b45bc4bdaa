import { printable, type RemovedObjects } from '@kube-proxier/core';

/** Default maximum number of names listed for one kind. */
const MAX_NAMES = 5;
/** Characters of a name that are shown: names of foreign backends can be of any length. */
const MAX_CHARACTERS = 80;

/**
 * Describes removed objects in counts and names: `12 chains (nat table, IPv4, nft): KUBE-A, KUBE-B and 10 more`. Lists
 * the first five names of each kind.
 *
 * @returns one entry for each kind and location; none for those without names.
 */
export function describeRemoved(removed: readonly RemovedObjects[]): readonly string[] {
  return removed
    .filter(({ names }) => names.length > 0)
    .map(({ kind, location, names }) => {
      const place = location === undefined ? '' : ` (${printable(location, MAX_CHARACTERS)})`;
      const first = names
        .slice(0, MAX_NAMES)
        .map((name) => printable(name, MAX_CHARACTERS))
        .join(', ');
      const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
      return `${names.length} ${plural(printable(kind, MAX_CHARACTERS), names.length)}${place}: ${first}${more}`;
    });
}

function plural(noun: string, count: number): string {
  if (count === 1) {
    return noun;
  }
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
