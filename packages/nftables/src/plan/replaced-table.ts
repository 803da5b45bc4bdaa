import type { ProxyState } from '@kube-proxier/core';
import {
  type NftElement,
  type NftNewElement,
  type NftSetOrMap,
  type NftTable,
  nftContainerSignature,
} from '@kube-proxier/linux';
import { staleAffinityClients } from './affinity-clients.js';
import { AFFINITY, AFFINITY_MARKS, idOfAffinityKey } from './layout.js';

/** The elements of one set or map that packets added to a replaced table. */
export interface KeptElements {
  readonly container: string;
  readonly elements: readonly NftNewElement[];
}

/**
 * The clients of session affinity of a table that is replaced, for the table that replaces it, with their remaining timeouts.
 * Clients of endpoints that the state does not have are left out, and so are sets and maps of another type.
 */
export function* keptClients(
  next: ProxyState,
  replaced: NftTable,
  containers: ReadonlyMap<string, NftSetOrMap>,
): Generator<KeptElements> {
  for (const [name, container] of containers) {
    const found = replaced.containers.get(name);
    if (
      found === undefined ||
      name === AFFINITY_MARKS ||
      !container.flags?.includes('dynamic') ||
      found.signature !== nftContainerSignature(container)
    ) {
      continue;
    }
    const isStale = name === AFFINITY ? staleIn(next, found.elements) : () => false;
    const elements = [...found.elements].flatMap(([key, element]): NftNewElement[] => {
      const seconds = element.expires ?? element.timeout;
      return seconds === undefined || isStale(key, element) ? [] : [[key, element.value, Math.max(1, seconds)]];
    });
    yield { container: name, elements };
  }
}

function staleIn(
  next: ProxyState,
  elements: ReadonlyMap<string, NftElement>,
): (key: string, element: NftElement) => boolean {
  const stale = new Map(staleAffinityClients(next, elements).map(({ id, numbers }) => [String(id), numbers]));
  return (key, { value = '' }) => stale.get(idOfAffinityKey(key))?.has(value) ?? false;
}
