import type { Endpoint } from '../model/endpoint.js';

/** Endpoints sorted by key in byte order, each key once. */
export type SortedEndpoints = readonly Endpoint[];

export const NO_ENDPOINTS: SortedEndpoints = [];

export function compareKeys(left: Endpoint, right: Endpoint): number {
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

/** The endpoint with this key. O(log n). */
export function findEndpoint(endpoints: SortedEndpoints, key: string): Endpoint | undefined {
  const candidate = endpoints[firstNotBelow(endpoints, key)];
  return candidate?.key === key ? candidate : undefined;
}

/**
 * A copy with some keys set or removed; the same list when nothing changes. One pass over the references, no sorting:
 * for a list of 100,000 a fraction of a millisecond.
 */
export function withChanges(
  endpoints: SortedEndpoints,
  changes: readonly (readonly [key: string, endpoint: Endpoint | undefined])[],
): SortedEndpoints {
  if (endpoints.length === 0) {
    const added = changes.flatMap(([, endpoint]) => endpoint ?? []);
    // `slice` trims the capacity to the length.
    return added.length === 0 ? endpoints : added.sort(compareKeys).slice();
  }
  if (changes.every(([key, endpoint]) => findEndpoint(endpoints, key) === endpoint)) {
    return endpoints;
  }
  const sorted =
    changes.length < 2 ? changes : [...changes].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  // Copies whole ranges at once: for one change in a long list, this is nearly all of the work.
  const parts: (readonly Endpoint[])[] = [];
  let from = 0;
  for (const [key, endpoint] of sorted) {
    const position = firstNotBelow(endpoints, key, from);
    if (position > from) {
      parts.push(endpoints.slice(from, position));
    }
    from = endpoints[position]?.key === key ? position + 1 : position;
    if (endpoint) {
      parts.push([endpoint]);
    }
  }
  parts.push(from === 0 ? endpoints : endpoints.slice(from));
  return NO_ENDPOINTS.concat(...parts);
}

/** Index of the first endpoint, from `low`, whose key is not less. O(log n). */
function firstNotBelow(endpoints: SortedEndpoints, key: string, low = 0): number {
  let high = endpoints.length;
  let first = low;
  while (first < high) {
    const middle = (first + high) >>> 1;
    if ((endpoints[middle] as Endpoint).key < key) {
      first = middle + 1;
    } else {
      high = middle;
    }
  }
  return first;
}
