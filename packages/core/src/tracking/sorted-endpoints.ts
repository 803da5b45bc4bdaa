import type { Endpoint } from '../model/endpoint.js';

/** Endpoints sorted by key in byte order, each key once. */
export type SortedEndpoints = readonly Endpoint[];

export const NO_ENDPOINTS: SortedEndpoints = [];

export function compareKeys(left: Endpoint, right: Endpoint): number {
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

/** The endpoint with this key. O(log n). */
export function findEndpoint(endpoints: SortedEndpoints, key: string): Endpoint | undefined {
  let low = 0;
  let high = endpoints.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = endpoints[middle] as Endpoint;
    if (candidate.key === key) {
      return candidate;
    }
    if (candidate.key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return undefined;
}

/**
 * A copy with some keys set or removed; the same list when that changes nothing. One pass over the references, no
 * sorting: for a list of 100,000 a fraction of a millisecond.
 */
export function withChanges(
  endpoints: SortedEndpoints,
  changes: readonly (readonly [key: string, endpoint: Endpoint | undefined])[],
): SortedEndpoints {
  if (changes.every(([key, endpoint]) => findEndpoint(endpoints, key) === endpoint)) {
    return endpoints;
  }
  const sorted = [...changes].sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  const result: Endpoint[] = [];
  let index = 0;
  for (const [key, endpoint] of sorted) {
    while (index < endpoints.length && (endpoints[index] as Endpoint).key < key) {
      result.push(endpoints[index++] as Endpoint);
    }
    if (endpoints[index]?.key === key) {
      index += 1;
    }
    if (endpoint) {
      result.push(endpoint);
    }
  }
  while (index < endpoints.length) {
    result.push(endpoints[index++] as Endpoint);
  }
  return result;
}
