import type { EndpointSliceDefinition, NodeDefinition, ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity, ReadResult } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { flatText } from '../text/flat-text.js';
import type { ObjectEntry, RecordedKind } from './recorded-entry.js';
import { reducedEndpointSlice, reducedNode, reducedService } from './reduced-objects.js';
import { applyDelta, deltaOf } from './structural-delta.js';
import { PlainTextStore, type TextStore } from './text-store.js';

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

/** Endpoints of definitions that are kept during a start for their texts, at most: some 2 MB. */
const MAX_KEPT_ENDPOINTS = 10_000;

/** The texts of all objects of a kind, by name. */
interface KindEntries {
  readonly kind: RecordedKind;
  readonly texts: Iterable<readonly [name: string, text: string]>;
}

/** What an object was at the beginning of the recorded window. */
interface Origin {
  /** JSON of the difference that leads back from what it is now, which is smaller than what it was. Undefined: it did not exist. */
  back: string | undefined;
  /** Recorded changes since. */
  changes: number;
}

/**
 * The objects of a node as the proxiers see them, and as they were at the beginning of a window of recorded changes.
 *
 * It follows the rules of the trackers: a malformed object leaves the previous version in force, one that does not concern
 * this proxy counts as absent. Only validated definitions are kept, as JSON: no other field of an object gets here.
 */
export class ObjectJournal {
  readonly #stores = new Map<RecordedKind, TextStore>();
  /** Objects that changed in the window. */
  readonly #origins = new Map<ObjectKey, Origin>();
  #isRecording = false;
  #originBytes = 0;
  /** Endpoints of definitions whose texts are made later. */
  #kept = 0;

  /** @param createStore creates the store of the objects of one kind, as JSON. Default: a {@link PlainTextStore}. */
  constructor(
    private readonly reader: ObjectReader,
    private readonly createStore: () => TextStore = () => new PlainTextStore(),
  ) {}

  /** Characters kept of the versions that the window begins with, of objects that changed since. */
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
    return this.#set('ServiceCIDRs', '', cidrs);
  }

  /** Addresses of interfaces, as a proxier of this family read them. */
  updateAddresses(family: string, addresses: readonly string[]): readonly ObjectChange[] {
    return this.#set('Addresses', family, addresses);
  }

  /** All objects, as they are now. Later changes do not show in it, however late it is read. */
  current(): Iterable<JournalObject> {
    return objectsOf(this.#entries(), new Map());
  }

  /** All objects, as they were at the beginning of the window; as {@link current}. */
  origin(): Iterable<JournalObject> {
    const backs = new Map([...this.#origins].map(([key, { back }]) => [key, back]));
    return objectsOf(this.#entries(), backs);
  }

  /**
   * Moves the beginning of the window past the oldest recorded change.
   *
   * @throws DeltaMismatchError when it is not the oldest change of its object.
   */
  forget({ kind, name, is, to, gone }: ObjectChange): void {
    const key = keyOf(kind, name);
    const origin = this.#origins.get(key);
    if (origin === undefined) {
      return;
    }
    origin.changes -= 1;
    if (origin.changes === 0) {
      this.#originBytes -= origin.back?.length ?? 0;
      this.#origins.delete(key);
      return;
    }
    const current = parsed(this.#textsOf(kind).get(name));
    this.#setBack(origin, current, gone ? undefined : to === undefined ? is : applyDelta(before(current, origin), to));
  }

  #textsOf(kind: RecordedKind): TextStore {
    let store = this.#stores.get(kind);
    if (store === undefined) {
      store = this.createStore();
      this.#stores.set(kind, store);
    }
    return store;
  }

  /** As they are now: later changes do not show in them. */
  #entries(): readonly KindEntries[] {
    return [...this.#stores].map(([kind, store]) => ({ kind, texts: store.entries() }));
  }

  #setNode(definition: NodeDefinition): readonly ObjectChange[] {
    return this.#set('Node', definition.name, reducedNode(definition));
  }

  #update<Definition extends object>(
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
    // At a start, texts can wait, unless very many definitions would be kept for them.
    if (definition !== undefined && !this.#isRecording && (kind === 'Service' || this.#kept < MAX_KEPT_ENDPOINTS)) {
      this.#kept += endpointsOf(definition);
      this.#textsOf(kind).setLater(name, () => JSON.stringify(reduce(definition)));
      return removed;
    }
    const changes = definition === undefined ? this.#remove(kind, name) : this.#set(kind, name, reduce(definition));
    return removed.length === 0 ? changes : [...removed, ...changes];
  }

  /** @param current plain JSON. */
  #set(kind: RecordedKind, name: string, current: unknown): readonly ObjectChange[] {
    const text = JSON.stringify(current);
    const texts = this.#textsOf(kind);
    const previousText = texts.get(name);
    if (previousText === text) {
      return [];
    }
    texts.set(name, text);
    if (!this.#isRecording) {
      return [];
    }
    const previous = parsed(previousText);
    this.#note(keyOf(kind, name), previous, current);
    return [previous === undefined ? { kind, name, is: current } : { kind, name, to: deltaOf(previous, current) }];
  }

  #remove(kind: RecordedKind, name: string): readonly ObjectChange[] {
    const texts = this.#textsOf(kind);
    const previous = texts.get(name);
    if (previous === undefined) {
      return [];
    }
    texts.delete(name);
    if (!this.#isRecording) {
      return [];
    }
    this.#note(keyOf(kind, name), parsed(previous), undefined);
    return [{ kind, name, gone: true }];
  }

  /** @param previous undefined: it did not exist. @param current undefined: it is gone. */
  #note(key: ObjectKey, previous: unknown, current: unknown): void {
    const known = this.#origins.get(key);
    const origin = known ?? { back: undefined, changes: 0 };
    const was = known === undefined ? previous : before(previous, known);
    this.#origins.set(key, origin);
    origin.changes += 1;
    this.#setBack(origin, current, was);
  }

  #setBack(origin: Origin, current: unknown, was: unknown): void {
    this.#originBytes -= origin.back?.length ?? 0;
    origin.back =
      was === undefined
        ? undefined
        : flatText(JSON.stringify(current === undefined ? { to: was } : deltaOf(current, was)));
    this.#originBytes += origin.back?.length ?? 0;
  }
}

/** What an object was at the beginning of the window. */
function before(current: unknown, { back }: Origin): unknown {
  return back === undefined ? undefined : applyDelta(current, JSON.parse(back));
}

/** @param changed the difference that leads back from what is in `current`; undefined: the object did not exist. */
function* objectsOf(
  current: readonly KindEntries[],
  changed: Map<ObjectKey, string | undefined>,
): Generator<JournalObject> {
  for (const { kind, texts } of current) {
    for (const [name, text] of texts) {
      const key = keyOf(kind, name);
      if (!changed.has(key)) {
        yield { kind, name, text };
        continue;
      }
      const back = changed.get(key);
      changed.delete(key);
      if (back !== undefined) {
        yield { kind, name, text: JSON.stringify(applyDelta(JSON.parse(text), JSON.parse(back))) };
      }
    }
  }
  // What is gone now.
  for (const [key, back] of changed) {
    if (back !== undefined) {
      yield { ...parseKey(key), text: JSON.stringify(applyDelta(undefined, JSON.parse(back))) };
    }
  }
}

function endpointsOf(definition: object): number {
  return 'endpoints' in definition && Array.isArray(definition.endpoints) ? definition.endpoints.length : 0;
}

function parsed(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function nameOf({ namespace, name }: ObjectIdentity): string {
  return namespace === '' ? name : flatText(namespace, '/', name);
}

function keyOf(kind: RecordedKind, name: string): ObjectKey {
  return flatText(kind, ' ', name);
}

function parseKey(key: ObjectKey): Pick<JournalObject, 'kind' | 'name'> {
  const space = key.indexOf(' ');
  return { kind: key.slice(0, space) as RecordedKind, name: key.slice(space + 1) };
}
