import type { TextStore } from '@kube-proxier/core';
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

/** A list that has begun. */
interface RunningList {
  /** Keys of objects that were known before, and that the list has not named so far. */
  readonly unconfirmed: Set<string>;
  /** Keys of objects that were not known before; undefined when no object was, so that all are. */
  readonly added: Set<string> | undefined;
}

/**
 * The known objects of one kind.
 *
 * Objects are stored as text, which takes a fraction of the memory: JSON of the retained fields, packed. What is
 * returned is created from it.
 */
export class ObjectCache {
  /** Undefined before the first list, and when the last one was completed or rejected. */
  #list: RunningList | undefined;

  /** @param texts stores the objects. */
  constructor(
    private readonly resource: WatchedResource,
    private readonly texts: TextStore,
  ) {}

  get size(): number {
    return this.texts.count;
  }

  /** Number of known objects that the running list has named; of all when none is running. */
  get named(): number {
    return this.texts.count - (this.#list?.unconfirmed.size ?? 0);
  }

  /** Called when a full list starts. */
  beginList(): void {
    const isFirst = this.texts.count === 0;
    this.#list = { unconfirmed: new Set(this.texts.keys()), added: isFirst ? undefined : new Set() };
  }

  /**
   * Records an object.
   *
   * @returns the change, undefined when no retained field changed; `malformed` when it has no name.
   */
  put({ key, kept }: ReceivedObject): ObjectChange | 'malformed' | undefined {
    return key === undefined ? 'malformed' : this.#put({ key, text: this.#textOf(kept) }, () => kept as object);
  }

  /** Records an object that was prepared before. @returns the change, undefined when no retained field changed. */
  putPrepared(prepared: PreparedObject): ObjectChange | undefined {
    return this.#put(prepared, () => this.#unpack(prepared.text));
  }

  #put({ key, text }: PreparedObject, kept: () => object): ObjectChange | undefined {
    const known = this.texts.get(key);
    this.#list?.unconfirmed.delete(key);
    if (known === text) {
      return undefined;
    }
    if (known === undefined) {
      this.#list?.added?.add(key);
    }
    this.texts.set(key, text);
    return { previous: known === undefined ? undefined : this.#objectOf(known), current: this.#complete(kept()) };
  }

  /**
   * Records that the current list has this object, if nothing retained of it changed.
   *
   * @returns the retained part, to be recorded later; undefined when unchanged.
   */
  prepareUnlessKnown(key: string, kept: unknown): PreparedObject | undefined {
    const text = this.#textOf(kept);
    if (this.texts.get(key) !== text) {
      return { key, text };
    }
    this.#list?.unconfirmed.delete(key);
    return undefined;
  }

  /** Records that the current list does not have this object. */
  unconfirm(key: string): void {
    if (this.texts.has(key)) {
      this.#list?.unconfirmed.add(key);
    }
  }

  /** @returns the change; undefined when the object was unknown; `malformed` when it has no name. */
  remove({ key }: ReceivedObject): ObjectChange | 'malformed' | undefined {
    return key === undefined ? 'malformed' : this.#remove(key);
  }

  #remove(key: string): ObjectChange | undefined {
    const known = this.texts.get(key);
    if (known === undefined) {
      return undefined;
    }
    this.texts.delete(key);
    this.#list?.unconfirmed.delete(key);
    this.#list?.added?.delete(key);
    return { previous: this.#objectOf(known), current: undefined };
  }

  /** Completes the full list: objects that it does not contain were deleted. */
  endList(): readonly ObjectChange[] {
    return this.#removeAll(this.#list?.unconfirmed ?? []);
  }

  /** Rejects the full list: objects that it added are removed. */
  undoList(): readonly ObjectChange[] {
    return this.#removeAll(this.#list === undefined ? [] : (this.#list.added ?? this.texts.keys()));
  }

  #removeAll(keys: Iterable<string>): readonly ObjectChange[] {
    const removed = [...keys];
    this.#list = undefined;
    return removed.flatMap((key) => this.#remove(key) ?? []);
  }

  /** Whether an object with this name is known. */
  has({ key }: ReceivedObject): boolean {
    return this.texts.has(key ?? '');
  }

  /** An object by its namespace and name, or its name; undefined when unknown. */
  get(name: string, namespace?: string): object | undefined {
    const known = this.texts.get(namespace === undefined ? name : `${namespace}/${name}`);
    return known === undefined ? undefined : this.#objectOf(known);
  }

  /** All objects as they are at the time of the call, each created when it is read. */
  values(): IterableIterator<object> {
    return this.#objectsOf(this.texts.entries());
  }

  *#objectsOf(entries: Iterable<readonly [key: string, text: string]>): IterableIterator<object> {
    for (const [, text] of entries) {
      yield this.#objectOf(text);
    }
  }

  #textOf(kept: unknown): string {
    return JSON.stringify(this.resource.shape.pack(kept));
  }

  #objectOf(text: string): object {
    return this.#complete(this.#unpack(text));
  }

  #unpack(text: string): object {
    return this.resource.shape.unpack(JSON.parse(text)) as object;
  }

  /** Items of lists omit their kind. */
  #complete(kept: object): object {
    return { apiVersion: this.resource.apiVersion, kind: this.resource.kind, ...kept };
  }
}
