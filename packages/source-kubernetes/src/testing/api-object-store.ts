import { randomUUID } from 'node:crypto';
import type { ApiObject } from './api-object.js';
import type { Matcher } from './selectors.js';

/** A change of one object. */
export interface StoreChange {
  readonly resource: string;
  readonly version: number;
  readonly previous: ApiObject | undefined;
  readonly current: ApiObject | undefined;
}

/** An event of a watch, before serialization. */
export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ApiObject;
}

/** A list of all objects of one resource at one version. */
export interface StoreSnapshot {
  readonly version: number;
  readonly objects: readonly ApiObject[];
}

/** Number of lists that are kept for further pages; the oldest is dropped first. */
const MAX_SNAPSHOTS = 32;

/** Objects with versions and a history, as in etcd and the watch cache of an API server. */
export class ApiObjectStore {
  readonly #resources = new Map<string, Map<string, ApiObject>>();
  #history: StoreChange[] = [];
  readonly #snapshots = new Map<string, StoreSnapshot>();
  readonly #listeners = new Set<(change: StoreChange) => void>();
  #version = 100;
  /** Changes up to this version have expired. */
  #compacted = 0;
  /** The state of the watch cache while it is behind, by resource, and the pending changes. */
  #frozen: { readonly version: number; readonly objects: ReadonlyMap<string, readonly ApiObject[]> } | undefined;
  #unseen: StoreChange[] = [];

  /** The version of the last change. */
  get currentVersion(): number {
    return this.#version;
  }

  /** The version of the watch cache, which answers watches and lists of any version. */
  get cachedVersion(): number {
    return this.#frozen?.version ?? this.#version;
  }

  /** Freezes the watch cache, and watches receive no changes: simulates a lost connection to etcd. */
  freezeCache(): void {
    this.#frozen ??= {
      version: this.#version,
      objects: new Map([...this.#resources.keys()].map((resource) => [resource, this.list(resource)])),
    };
  }

  /** Lets the watch cache catch up. */
  thawCache(): void {
    for (const change of this.#unseen.splice(0)) {
      this.#frozen = { version: change.version, objects: new Map() };
      this.#notify(change);
    }
    this.#frozen = undefined;
  }

  /** The objects of a resource in the watch cache. */
  cached(resource: string): StoreSnapshot {
    const { version, objects } = this.#frozen ?? {};
    return version === undefined
      ? { version: this.#version, objects: this.list(resource) }
      : { version, objects: objects?.get(resource) ?? [] };
  }

  /** Creates or replaces an object. Sets the fields that an API server sets. */
  put(resource: string, object: ApiObject): ApiObject {
    const objects = this.#objectsOf(resource);
    const key = keyOf(object);
    const previous = objects.get(key);
    this.#version += 1;
    const current: ApiObject = {
      ...object,
      metadata: {
        ...object.metadata,
        uid: previous?.metadata.uid ?? object.metadata.uid ?? randomUUID(),
        creationTimestamp:
          previous?.metadata.creationTimestamp ?? object.metadata.creationTimestamp ?? '2026-11-20T22:03:43Z',
        resourceVersion: String(this.#version),
      },
    };
    objects.set(key, current);
    this.#record({ resource, version: this.#version, previous, current });
    return current;
  }

  /** @returns whether it existed. */
  delete(resource: string, name: string, namespace?: string): boolean {
    const objects = this.#objectsOf(resource);
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const previous = objects.get(key);
    if (!previous) {
      return false;
    }
    this.#version += 1;
    objects.delete(key);
    this.#record({ resource, version: this.#version, previous, current: undefined });
    return true;
  }

  /** All objects of a resource that match, in the order of their names. */
  list(resource: string, matches: Matcher = () => true): readonly ApiObject[] {
    const objects = [...this.#objectsOf(resource)].sort(([left], [right]) => (left < right ? -1 : 1));
    return objects.flatMap(([, object]) => (matches(object) ? [object] : []));
  }

  /** A snapshot of the current objects, kept for later pages. */
  snapshot(resource: string): StoreSnapshot {
    const key = `${resource} ${this.#version}`;
    const kept = this.#snapshots.get(key);
    if (kept) {
      return kept;
    }
    const made = { version: this.#version, objects: this.list(resource) };
    this.#snapshots.set(key, made);
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= MAX_SNAPSHOTS) {
        break;
      }
      this.#snapshots.delete(oldest);
    }
    return made;
  }

  /** Undefined when that version has expired. */
  snapshotAt(resource: string, version: number): StoreSnapshot | undefined {
    return this.#snapshots.get(`${resource} ${version}`);
  }

  /** The changes of a resource after `version`; undefined when that version has expired. */
  changesSince(resource: string, version: number): readonly StoreChange[] | undefined {
    if (version < this.#compacted) {
      return undefined;
    }
    const { cachedVersion } = this;
    return this.#history.filter(
      (change) => change.resource === resource && change.version > version && change.version <= cachedVersion,
    );
  }

  /** Expires the history: earlier continue tokens and versions become invalid. */
  compact(): void {
    this.#history = [];
    this.#snapshots.clear();
    this.#compacted = this.#version;
  }

  /**
   * Returns to an earlier version number with the current objects, as a cluster that was restored from a backup does.
   */
  rewind(version: number): void {
    this.#history = [];
    this.#snapshots.clear();
    this.#frozen = undefined;
    this.#unseen = [];
    this.#version = version;
    this.#compacted = 0;
    for (const objects of this.#resources.values()) {
      for (const [key, object] of objects) {
        const resourceVersion = String(Math.min(version, Number(object.metadata.resourceVersion)));
        objects.set(key, { ...object, metadata: { ...object.metadata, resourceVersion } });
      }
    }
  }

  /** Subscribes to the changes that the watch cache sees. @returns a function that unsubscribes. */
  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #objectsOf(resource: string): Map<string, ApiObject> {
    let objects = this.#resources.get(resource);
    if (!objects) {
      objects = new Map();
      this.#resources.set(resource, objects);
    }
    return objects;
  }

  #record(change: StoreChange): void {
    this.#history.push(change);
    if (this.#frozen) {
      this.#unseen.push(change);
    } else {
      this.#notify(change);
    }
  }

  #notify(change: StoreChange): void {
    for (const listener of this.#listeners) {
      listener(change);
    }
  }
}

/**
 * The event that a watch with a selector sees: an object that stops matching is DELETED, one that starts matching is
 * ADDED. A deleted object is sent in its last state, with the version of its deletion.
 */
export function eventOf(change: StoreChange, matches: Matcher): StoreEvent | undefined {
  const before = change.previous !== undefined && matches(change.previous) ? change.previous : undefined;
  const after = change.current !== undefined && matches(change.current) ? change.current : undefined;
  if (after) {
    return { type: before ? 'MODIFIED' : 'ADDED', object: after };
  }
  if (!before) {
    return undefined;
  }
  const metadata = { ...before.metadata, resourceVersion: String(change.version) };
  return { type: 'DELETED', object: { ...before, metadata } };
}

function keyOf(object: ApiObject): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
