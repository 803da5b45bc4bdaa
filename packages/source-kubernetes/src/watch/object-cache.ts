import { flatText } from '@kube-proxier/core';
import type { ReceivedObject } from './received-object.js';
import type { WatchedResource } from './watched-resource.js';

/** An object was added, changed or deleted. At least one is present. */
export interface ObjectChange {
  readonly previous: object | undefined;
  readonly current: object | undefined;
}

/** An object that is not recorded yet. */
export interface PreparedObject {
  /** Namespace and name. */
  readonly key: string;
  /** JSON of the retained fields, packed. */
  readonly text: string;
}

interface KnownObject {
  /** JSON of the retained fields, packed. */
  readonly text: string;
  /** The very object that was reported, while it is referenced elsewhere. */
  readonly handedOut: WeakRef<object>;
  /** Number of the last list that contained it. */
  list: number;
  /** Number of the current or last list at the time when it was added. */
  readonly since: number;
}

/**
 * The known objects of one kind.
 *
 * Objects are stored as text, which takes a fraction of the memory. An object that is still referenced is returned as
 * itself; otherwise an equal one is created, which makes no visible difference.
 */
export class ObjectCache {
  readonly #objects = new Map<string, KnownObject>();
  #list = 0;
  #namedInList = 0;

  constructor(private readonly resource: WatchedResource) {}

  get size(): number {
    return this.#objects.size;
  }

  /** Number of distinct objects in the current or last full list. */
  get named(): number {
    return this.#namedInList;
  }

  /** Called when a full list starts. */
  beginList(): void {
    this.#namedInList = 0;
    this.#list += 1;
  }

  /**
   * Records an object.
   *
   * @returns the change, undefined when no retained field changed; `malformed` when it has no name.
   */
  put({ key, kept }: ReceivedObject): ObjectChange | 'malformed' | undefined {
    return key === undefined ? 'malformed' : this.#put({ key, text: this.#textOf(kept) }, kept as object);
  }

  /** Records an object that was prepared before. @returns the change, undefined when no retained field changed. */
  putPrepared(prepared: PreparedObject): ObjectChange | undefined {
    return this.#put(prepared, this.resource.shape.unpack(JSON.parse(prepared.text)) as object);
  }

  #put({ key, text }: PreparedObject, kept: object): ObjectChange | undefined {
    const known = this.#objects.get(key);
    if (known?.list !== this.#list) {
      this.#namedInList += 1;
    }
    if (known?.text === text) {
      known.list = this.#list;
      return undefined;
    }
    const current = this.#complete(kept);
    this.#objects.set(key, {
      text,
      handedOut: new WeakRef(current),
      list: this.#list,
      since: known?.since ?? this.#list,
    });
    return { previous: known && this.#recall(known), current };
  }

  /**
   * Records that the current list has this object, if nothing retained of it changed.
   *
   * @returns the retained part, to be recorded later; undefined when unchanged.
   */
  prepareUnlessKnown(key: string, kept: unknown): PreparedObject | undefined {
    const known = this.#objects.get(key);
    const text = this.#textOf(kept);
    if (known?.text !== text) {
      return { key, text };
    }
    if (known.list !== this.#list) {
      this.#namedInList += 1;
      known.list = this.#list;
    }
    return undefined;
  }

  /** Records that the current list does not have this object. */
  unconfirm(key: string): void {
    const known = this.#objects.get(key);
    if (known?.list === this.#list) {
      this.#namedInList -= 1;
      known.list -= 1;
    }
  }

  /** @returns the change; undefined when the object was unknown; `malformed` when it has no name. */
  remove({ key }: ReceivedObject): ObjectChange | 'malformed' | undefined {
    const known = key === undefined ? undefined : this.#objects.get(key);
    if (key === undefined) {
      return 'malformed';
    }
    if (!known) {
      return undefined;
    }
    this.#objects.delete(key);
    return { previous: this.#recall(known), current: undefined };
  }

  /** Completes the full list: objects that it does not contain were deleted. */
  endList(): readonly ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const [key, known] of this.#objects) {
      if (known.list !== this.#list) {
        this.#objects.delete(key);
        changes.push({ previous: this.#recall(known), current: undefined });
      }
    }
    return changes;
  }

  /** Rejects the full list: objects that it added are removed. */
  undoList(): readonly ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const [key, known] of this.#objects) {
      if (known.since === this.#list) {
        this.#objects.delete(key);
        changes.push({ previous: this.#recall(known), current: undefined });
      }
    }
    return changes;
  }

  /** Whether an object with this name is known. */
  has({ key }: ReceivedObject): boolean {
    return this.#objects.has(key ?? '');
  }

  /** An object by its namespace and name, or its name; undefined when unknown. */
  get(name: string, namespace?: string): object | undefined {
    const known = this.#objects.get(namespace === undefined ? name : `${namespace}/${name}`);
    return known && this.#recall(known);
  }

  /** All objects, each created unless it is still referenced. */
  *values(): IterableIterator<object> {
    for (const known of this.#objects.values()) {
      yield this.#recall(known);
    }
  }

  #textOf(kept: unknown): string {
    return flatText(JSON.stringify(this.resource.shape.pack(kept)));
  }

  #recall(known: KnownObject): object {
    return known.handedOut.deref() ?? this.#complete(this.resource.shape.unpack(JSON.parse(known.text)) as object);
  }

  /** Items of lists omit their kind. */
  #complete(kept: object): object {
    return { apiVersion: this.resource.apiVersion, kind: this.resource.kind, ...kept };
  }
}
