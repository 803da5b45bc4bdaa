import { finish, type Slices } from '@kube-proxier/core';
import type { NftSetOrMap } from '@kube-proxier/linux';
import type { TransactionDraft } from './nftables-transaction.js';
import type { ServiceElements } from './service-elements.js';

/** Elements of a set or map by key; the value is undefined in a set. */
export type Elements = Map<string, string | undefined>;

/** Adds the elements of a service port to those of each set or map. */
export function collectElements(
  into: Map<string, Elements>,
  wanted: Pick<ServiceElements, 'elements'> | undefined,
): void {
  for (const [container, key, value] of wanted?.elements ?? []) {
    let found = into.get(container);
    if (found === undefined) {
      found = new Map();
      into.set(container, found);
    }
    found.set(key, value);
  }
}

/** Elements by key, as they are listed. */
export type ElementValues = ReadonlyMap<string, { readonly value: string | undefined }>;

/** Changes the elements of a set or map to the desired ones. */
export function diffElements(
  name: string,
  found: ElementValues | undefined,
  wanted: Elements,
  draft: TransactionDraft,
): void {
  finish(diffElementsInSlices(name, found, wanted, draft));
}

/** Number of elements compared between two pauses. */
const BETWEEN_PAUSES = 64;

/** {@link diffElements}. Yields after some elements each, so that a caller can pause. */
export function* diffElementsInSlices(
  name: string,
  found: ElementValues | Elements | undefined,
  wanted: Elements | undefined,
  draft: TransactionDraft,
): Slices<void> {
  let compared = 0;
  for (const [key, element] of found ?? NONE) {
    if (++compared % BETWEEN_PAUSES === 0) {
      yield;
    }
    if (!wanted?.has(key) || wanted.get(key) !== listedValue(element)) {
      draft.deleteElement(name, key);
    }
  }
  for (const [key, value] of wanted ?? NONE) {
    if (++compared % BETWEEN_PAUSES === 0) {
      yield;
    }
    if (!found?.has(key) || listedValue(found.get(key)) !== value) {
      draft.addElement([name, key, value]);
    }
  }
}

const NONE: Elements = new Map();

function listedValue(element: { readonly value: string | undefined } | string | undefined): string | undefined {
  return typeof element === 'object' ? element.value : element;
}

/** Adds or deletes one element of a set. */
export function putElement(container: string, key: string, isWanted: boolean, draft: TransactionDraft): void {
  if (isWanted) {
    draft.addElement([container, key, undefined]);
  } else {
    draft.deleteElement(container, key);
  }
}

/** Adds and deletes sets and maps. */
export function diffContainers(
  before: ReadonlyMap<string, NftSetOrMap>,
  after: ReadonlyMap<string, NftSetOrMap>,
  draft: TransactionDraft,
): void {
  for (const [name, container] of after) {
    if (!before.has(name)) {
      draft.first({ do: 'add-container', name, container });
    }
  }
  for (const [name, { kind }] of before) {
    if (!after.has(name)) {
      draft.deleteContainer(kind, name);
    }
  }
}

/** Adds and deletes the counters of a service port. */
export function diffCounters(before: readonly string[], after: readonly string[], draft: TransactionDraft): void {
  if (before.length === 0 && after.length === 0) {
    return;
  }
  const [was, is] = [new Set(before), new Set(after)];
  for (const name of is) {
    if (!was.has(name)) {
      draft.addCounter(name);
    }
  }
  for (const name of was) {
    if (!is.has(name)) {
      draft.deleteCounter(name);
    }
  }
}
