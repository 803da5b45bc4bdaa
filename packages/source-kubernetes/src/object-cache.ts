import { isRecord, isText } from './unknown-record.js';
import type { WatchedResource } from './watched-resource.js';

/** An object came, changed or went. Both absent never happens. */
export interface ObjectChange {
  readonly previous: object | undefined;
  readonly current: object | undefined;
}

interface KnownObject {
  /** JSON of what is kept of it, packed. */
  readonly text: string;
  /** The very object that was handed out, for as long as somebody holds it. */
  readonly handedOut: WeakRef<object>;
  /** Number of the list that named it last. */
  list: number;
  /** Number of the list that was under way, or the last one, when it became known. */
  readonly since: number;
}

/**
 * What is known of one kind of object.
 *
 * Objects are kept as text, which takes a fraction of the memory. An object that somebody still holds is given back
 * as itself; one that nobody holds is made anew, which nobody can tell.
 */
export class ObjectCache {
  private readonly objects = new Map<string, KnownObject>();
  private list = 0;
  private namedInList = 0;

  constructor(private readonly resource: WatchedResource) {}

  get size(): number {
    return this.objects.size;
  }

  /** Objects that the full list under way, or the last one, has named, each once. */
  get named(): number {
    return this.namedInList;
  }

  /** A full list begins. */
  beginList(): void {
    this.namedInList = 0;
    this.list += 1;
  }

  /**
   * Takes note of an object as the API server sent it.
   *
   * @returns the change, undefined when nothing that is kept changed; `malformed` when it has no name.
   */
  put(object: unknown): ObjectChange | 'malformed' | undefined {
    const key = keyOf(object);
    if (key === undefined) {
      return 'malformed';
    }
    const { shape } = this.resource;
    const kept = shape.take(object) as object;
    const text = JSON.stringify(shape.pack(kept));
    const known = this.objects.get(key);
    if (known?.list !== this.list) {
      this.namedInList += 1;
    }
    if (known?.text === text) {
      known.list = this.list;
      return undefined;
    }
    const current = this.complete(kept);
    this.objects.set(key, { text, handedOut: new WeakRef(current), list: this.list, since: known?.since ?? this.list });
    return { previous: known && this.recall(known), current };
  }

  /** @returns the change; undefined when the object was not known; `malformed` when it has no name. */
  remove(object: unknown): ObjectChange | 'malformed' | undefined {
    const key = keyOf(object);
    const known = key === undefined ? undefined : this.objects.get(key);
    if (key === undefined) {
      return 'malformed';
    }
    if (!known) {
      return undefined;
    }
    this.objects.delete(key);
    return { previous: this.recall(known), current: undefined };
  }

  /** The full list is complete: what it did not name is gone. */
  endList(): readonly ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const [key, known] of this.objects) {
      if (known.list !== this.list) {
        this.objects.delete(key);
        changes.push({ previous: this.recall(known), current: undefined });
      }
    }
    return changes;
  }

  /** The full list is not believed: what became known by it is forgotten. */
  undoList(): readonly ObjectChange[] {
    const changes: ObjectChange[] = [];
    for (const [key, known] of this.objects) {
      if (known.since === this.list) {
        this.objects.delete(key);
        changes.push({ previous: this.recall(known), current: undefined });
      }
    }
    return changes;
  }

  /** Whether an object of this name is known. */
  has(object: unknown): boolean {
    return this.objects.has(keyOf(object) ?? '');
  }

  /** All of them, each made anew unless somebody holds it. */
  *values(): IterableIterator<object> {
    for (const known of this.objects.values()) {
      yield this.recall(known);
    }
  }

  private recall(known: KnownObject): object {
    return known.handedOut.deref() ?? this.complete(this.resource.shape.unpack(JSON.parse(known.text)) as object);
  }

  /** Items of lists do not say what they are. */
  private complete(kept: object): object {
    return { apiVersion: this.resource.apiVersion, kind: this.resource.kind, ...kept };
  }
}

function keyOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object.metadata : undefined;
  if (!isRecord(metadata) || !isText(metadata.name)) {
    return undefined;
  }
  return isText(metadata.namespace) ? `${metadata.namespace}/${metadata.name}` : metadata.name;
}
