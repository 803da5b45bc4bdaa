import { isDeepStrictEqual } from 'node:util';
import type { ServiceKey } from '@kube-proxier/core';
import type { ManifestObject } from './manifest-object.js';

/** The objects in force of one file. */
export interface ManifestFile {
  /** Name in the directory; determines precedence. */
  readonly name: string;
  readonly objects: readonly ManifestObject[];
}

/** A duplicate object: only the first one is used. */
export interface Duplicate {
  readonly key: string;
  readonly winner: string;
  readonly winnerLine: number;
  readonly loser: string;
  readonly loserLine: number;
}

/** The combined objects of all files. */
export interface ManifestSelection {
  readonly objects: ReadonlyMap<string, ManifestObject>;
  readonly duplicates: readonly Duplicate[];
}

/** One difference between two selections. At least one is present. */
export interface ManifestEvent {
  readonly previous: ManifestObject | undefined;
  readonly current: ManifestObject | undefined;
}

/**
 * Combines files: of objects with the same name and kind, the first by file name (in byte order), then by position in
 * the file, has precedence. EndpointSlices of the same Service have precedence over an Endpoints object, in any file.
 */
export function selectObjects(files: Iterable<ManifestFile>): ManifestSelection {
  const sorted = [...files].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const objects = new Map<string, ManifestObject>();
  const owners = new Map<string, string>();
  const duplicates: Duplicate[] = [];
  const sliced = new Set<ServiceKey>();
  for (const file of sorted) {
    for (const object of file.objects) {
      const winner = objects.get(object.key);
      if (winner) {
        const places = { winner: owners.get(object.key) ?? '', winnerLine: winner.line };
        duplicates.push({ key: object.key, ...places, loser: file.name, loserLine: object.line });
        continue;
      }
      objects.set(object.key, object);
      owners.set(object.key, file.name);
      if (object.kind === 'EndpointSlice' && !object.converted && object.service !== undefined) {
        sliced.add(object.service);
      }
    }
  }
  for (const [key, object] of objects) {
    if (
      object.kind === 'EndpointSlice' &&
      object.converted &&
      object.service !== undefined &&
      sliced.has(object.service)
    ) {
      objects.delete(key);
    }
  }
  return { objects, duplicates };
}

/**
 * The minimal events that lead from one set of objects to another: an object with unchanged content causes none.
 *
 * @returns the events, and `next` with every unchanged object replaced by the very object of `previous`.
 */
export function diffObjects(
  previous: ReadonlyMap<string, ManifestObject>,
  next: ReadonlyMap<string, ManifestObject>,
): { readonly objects: ReadonlyMap<string, ManifestObject>; readonly events: readonly ManifestEvent[] } {
  const objects = new Map<string, ManifestObject>();
  const events: ManifestEvent[] = [];
  for (const [key, object] of previous) {
    if (!next.has(key)) {
      events.push({ previous: object, current: undefined });
    }
  }
  for (const [key, object] of next) {
    const known = previous.get(key);
    if (known && sameContent(known.value, object.value)) {
      objects.set(key, known);
      continue;
    }
    objects.set(key, object);
    events.push({ previous: known, current: object });
  }
  return { objects, events };
}

function sameContent(a: unknown, b: unknown): boolean {
  try {
    return isDeepStrictEqual(a, b);
  } catch {
    // Nested deeper than the stack allows: a redundant update is harmless.
    return false;
  }
}
