import type { EndpointSliceDefinition, NodeDefinition, ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity, ReadResult } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import type { ObjectEntry, RecordedKind } from './recorded-entry.js';
import { reducedEndpointSlice, reducedNode, reducedService } from './reduced-objects.js';
import { applyDelta, deltaOf } from './structural-delta.js';

/** A change of an object, without the time. */
export type ObjectChange = Omit<ObjectEntry, 'at' | 'entry'>;

/** An object with its JSON. */
export interface JournalObject {
  readonly kind: RecordedKind;
  readonly name: string;
  /** JSON of the reduced object. */
  readonly text: string;
}

type ObjectKey = string;

/** What an object was at the begin of the recorded window. */
interface Origin {
  /** Undefined: it did not exist. */
  text: string | undefined;
  /** Recorded changes since. */
  changes: number;
}

/**
 * The objects of a node as the proxiers see them, and as they were at the begin of a window of recorded changes.
 *
 * It follows the rules of the trackers: a malformed object leaves the previous version in force, one that does not concern
 * this proxy counts as absent. Only validated definitions are kept, as JSON: no other field of an object gets here.
 */
export class ObjectJournal {
  readonly #current = new Map<ObjectKey, string>();
  /** Objects that changed in the window. */
  readonly #origins = new Map<ObjectKey, Origin>();
  #isRecording = false;
  #originBytes = 0;

  constructor(private readonly reader: ObjectReader) {}

  /** Characters of the versions that the window begins with, of objects that changed since. */
  get originSize(): number {
    return this.#originBytes;
  }

  /** Begins the window: changes from now on are recorded. */
  begin(): void {
    this.#isRecording = true;
  }

  /** @returns the changes; none when nothing that a proxy reads has changed. */
  updateService(previous: Service | undefined, current: Service | undefined): readonly ObjectChange[] {
    const result = current && this.reader.readService(current);
    return this.#update('Service', previous, result, (definition: ServiceDefinition) => reducedService(definition));
  }

  /** @returns the changes. */
  updateEndpointSlice(
    previous: EndpointSlice | undefined,
    current: EndpointSlice | undefined,
  ): readonly ObjectChange[] {
    const result = current && this.reader.readEndpointSlice(current);
    return this.#update('EndpointSlice', previous, result, (definition: EndpointSliceDefinition) =>
      reducedEndpointSlice(definition),
    );
  }

  /** @param nodeName nodes with another name are ignored. */
  updateNode(node: Node, nodeName: string): readonly ObjectChange[] {
    const { definition } = this.reader.readNode(node);
    return definition === undefined || definition.name !== nodeName ? [] : this.#setNode(definition);
  }

  updateServiceCIDRs(cidrs: readonly string[]): readonly ObjectChange[] {
    return this.#set('ServiceCIDRs', '', JSON.stringify(cidrs));
  }

  /** Addresses of interfaces, as a proxier of this family read them. */
  updateAddresses(family: string, addresses: readonly string[]): readonly ObjectChange[] {
    return this.#set('Addresses', family, JSON.stringify(addresses));
  }

  /** All objects, as they are now. */
  current(): readonly JournalObject[] {
    return [...this.#current].map(([key, text]) => ({ ...parseKey(key), text }));
  }

  /** All objects, as they were at the begin of the window. */
  origin(): readonly JournalObject[] {
    const unchanged = [...this.#current].filter(([key]) => !this.#origins.has(key));
    const changed = [...this.#origins].flatMap(([key, { text }]): [ObjectKey, string][] =>
      text === undefined ? [] : [[key, text]],
    );
    return [...unchanged, ...changed].map(([key, text]) => ({ ...parseKey(key), text }));
  }

  /**
   * Moves the begin of the window past the oldest recorded change.
   *
   * @throws DeltaMismatchError when it is not the oldest change of its object.
   */
  forget({ kind, name, is, to, gone }: ObjectChange): void {
    const key = keyOf(kind, name);
    const origin = this.#origins.get(key);
    if (origin === undefined) {
      return;
    }
    this.#originBytes -= origin.text?.length ?? 0;
    origin.changes -= 1;
    if (origin.changes === 0) {
      this.#origins.delete(key);
      return;
    }
    const value =
      to === undefined ? is : applyDelta(origin.text === undefined ? undefined : JSON.parse(origin.text), to);
    origin.text = gone ? undefined : JSON.stringify(value);
    this.#originBytes += origin.text?.length ?? 0;
  }

  #setNode(definition: NodeDefinition): readonly ObjectChange[] {
    return this.#set('Node', definition.name, JSON.stringify(reducedNode(definition)));
  }

  #update<Definition>(
    kind: RecordedKind,
    previous: unknown,
    result: ReadResult<Definition> | undefined,
    reduce: (definition: Definition) => object,
  ): readonly ObjectChange[] {
    const before = identityOf(previous);
    if (result === undefined) {
      return before === undefined ? [] : this.#remove(kind, nameOf(before));
    }
    const { identity, definition, skipped } = result;
    const name = identity && nameOf(identity);
    const removed =
      before !== undefined && name !== undefined && nameOf(before) !== name ? this.#remove(kind, nameOf(before)) : [];
    if (name === undefined || (definition === undefined && skipped === undefined)) {
      return removed;
    }
    const changes =
      definition === undefined ? this.#remove(kind, name) : this.#set(kind, name, JSON.stringify(reduce(definition)));
    return removed.length === 0 ? changes : [...removed, ...changes];
  }

  #set(kind: RecordedKind, name: string, text: string): readonly ObjectChange[] {
    const key = keyOf(kind, name);
    const previous = this.#current.get(key);
    if (previous === text) {
      return [];
    }
    this.#current.set(key, text);
    if (!this.#isRecording) {
      return [];
    }
    this.#note(key, previous);
    if (previous === undefined) {
      return [{ kind, name, is: JSON.parse(text) }];
    }
    return [{ kind, name, to: deltaOf(JSON.parse(previous), JSON.parse(text)) }];
  }

  #remove(kind: RecordedKind, name: string): readonly ObjectChange[] {
    const key = keyOf(kind, name);
    const previous = this.#current.get(key);
    if (previous === undefined) {
      return [];
    }
    this.#current.delete(key);
    if (!this.#isRecording) {
      return [];
    }
    this.#note(key, previous);
    return [{ kind, name, gone: true }];
  }

  #note(key: ObjectKey, previous: string | undefined): void {
    const origin = this.#origins.get(key);
    if (origin === undefined) {
      this.#origins.set(key, { text: previous, changes: 1 });
      this.#originBytes += previous?.length ?? 0;
    } else {
      origin.changes += 1;
    }
  }
}

function nameOf({ namespace, name }: ObjectIdentity): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function keyOf(kind: RecordedKind, name: string): ObjectKey {
  return `${kind} ${name}`;
}

function parseKey(key: ObjectKey): Pick<JournalObject, 'kind' | 'name'> {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as RecordedKind, name: key.slice(space + 1) };
}
