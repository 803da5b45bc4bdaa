import type { ReportedKind, ReportedObjects } from '../contract/source.js';
import type { EndpointSliceDefinition, NodeDefinition, ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity, ReadResult } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { flatText } from '../text/flat-text.js';
import type { ObjectEntry, RecordedKind } from './recorded-entry.js';
import { reducedEndpointSlice, reducedNode, reducedService } from './reduced-objects.js';
import { applyDelta, deltaOf, differenceOf } from './structural-delta.js';

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

/** Kinds whose objects are read from the sources again. The others are few, and kept as JSON. */
interface ReportedObjectKind<Definition> {
  readonly kind: RecordedKind;
  readonly list: ReportedKind;
  read(reader: ObjectReader, object: unknown): ReadResult<Definition>;
  reduce(definition: Definition): object;
}

const SERVICES: ReportedObjectKind<ServiceDefinition> = {
  kind: 'Service',
  list: 'Services',
  read: (reader, object) => reader.readService(object),
  reduce: reducedService,
};

const SLICES: ReportedObjectKind<EndpointSliceDefinition> = {
  kind: 'EndpointSlice',
  list: 'EndpointSlices',
  read: (reader, object) => reader.readEndpointSlice(object),
  reduce: reducedEndpointSlice,
};

/** The texts of all objects of a kind, by name. */
interface KindEntries {
  readonly kind: RecordedKind;
  readonly texts: Iterable<readonly [name: string, text: string]>;
}

/** A change to be recorded. */
interface NotedChange {
  readonly kind: RecordedKind;
  readonly name: string;
  /** Plain JSON; undefined: it did not exist. */
  readonly previous: unknown;
  /** Plain JSON; undefined: it is gone. */
  readonly current: unknown;
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
 * this proxy counts as absent. Only validated definitions are recorded, as JSON: no other field of an object gets here.
 *
 * Services and EndpointSlices are not kept: what they are is read from what the sources have reported, and what they were from the
 * previous object of an event. So an object costs nothing before it changes.
 */
export class ObjectJournal {
  /** JSON of the other objects, by kind and name. */
  readonly #texts = new Map<ObjectKey, string>();
  /** JSON of what is in force for objects whose current version is malformed. */
  readonly #inForce = new Map<ObjectKey, string>();
  /** Objects that changed in the window. */
  readonly #origins = new Map<ObjectKey, Origin>();
  #isRecording = false;
  #originBytes = 0;
  /** Problems are reported when an object is read for the first time. */
  readonly #silentReader: ObjectReader;

  /**
   * @param reader shared with the proxiers, so that an object is read once.
   * @param reported what the sources have reported.
   */
  constructor(
    private readonly reader: ObjectReader,
    private readonly reported: ReportedObjects,
  ) {
    this.#silentReader = reader.withoutReports();
  }

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
    return this.#update(SERVICES, previous, current);
  }

  /** @returns the changes. */
  updateEndpointSlice(
    previous: EndpointSlice | undefined,
    current: EndpointSlice | undefined,
  ): readonly ObjectChange[] {
    return this.#update(SLICES, previous, current);
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

  /** All objects, as they are now. Later changes do not show in it, however late it is read. Not to be called by a handler of a change. */
  current(): Iterable<JournalObject> {
    return objectsOf(this.#entries(), new Map());
  }

  /** All objects, as they were at the beginning of the window; as {@link current}. */
  origin(): Iterable<JournalObject> {
    const backs = new Map([...this.#origins].map(([key, { back }]) => [key, back]));
    return objectsOf(this.#entries(), backs);
  }

  /**
   * Moves the beginning of the window past the oldest recorded change. Not to be called by a handler of a change.
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
    const current = parsed(this.#currentText(kind, name));
    this.#setBack(origin, current, gone ? undefined : to === undefined ? is : applyDelta(before(current, origin), to));
  }

  /** As they are now: later changes do not show in them. */
  #entries(): readonly KindEntries[] {
    const others = [...this.#texts].map(([key, text]) => {
      const { kind, name } = parseKey(key);
      return { kind, texts: [[name, text] as const] };
    });
    const inForce = new Map(this.#inForce);
    return [
      ...others,
      { kind: SERVICES.kind, texts: this.#textsOf(SERVICES, this.reported.all(SERVICES.list), inForce) },
      { kind: SLICES.kind, texts: this.#textsOf(SLICES, this.reported.all(SLICES.list), inForce) },
    ];
  }

  *#textsOf<Definition>(
    kind: ReportedObjectKind<Definition>,
    objects: Iterable<Service | EndpointSlice>,
    inForce: ReadonlyMap<ObjectKey, string>,
  ): Generator<readonly [name: string, text: string]> {
    for (const object of objects) {
      const identity = identityOf(object);
      const name = identity && nameOf(identity);
      const kept = name === undefined || inForce.size === 0 ? undefined : inForce.get(keyOf(kind.kind, name));
      const text = kept ?? this.#textOf(kind, object);
      if (name !== undefined && text !== undefined) {
        yield [name, text];
      }
    }
  }

  /** What an object is read as; undefined for one that is malformed, or does not concern this proxy. */
  #reduced<Definition>(kind: ReportedObjectKind<Definition>, object: unknown): object | undefined {
    const definition = object === undefined ? undefined : kind.read(this.#silentReader, object).definition;
    return definition && kind.reduce(definition);
  }

  /** Its JSON. */
  #textOf<Definition>(kind: ReportedObjectKind<Definition>, object: unknown): string | undefined {
    const reduced = this.#reduced(kind, object);
    return reduced && JSON.stringify(reduced);
  }

  #currentText(kind: RecordedKind, name: string): string | undefined {
    const key = keyOf(kind, name);
    switch (kind) {
      case 'Service':
        return this.#inForce.get(key) ?? this.#textOf(SERVICES, this.reported.get(SERVICES.list, parseName(name)));
      case 'EndpointSlice':
        return this.#inForce.get(key) ?? this.#textOf(SLICES, this.reported.get(SLICES.list, parseName(name)));
      default:
        return this.#texts.get(key);
    }
  }

  #setNode(definition: NodeDefinition): readonly ObjectChange[] {
    return this.#set('Node', definition.name, reducedNode(definition));
  }

  #update<Definition extends object>(
    kind: ReportedObjectKind<Definition>,
    previous: unknown,
    object: unknown,
  ): readonly ObjectChange[] {
    const before = identityOf(previous);
    const formerName = before && nameOf(before);
    if (object === undefined) {
      return formerName === undefined ? [] : this.#changed(kind, formerName, previous, undefined);
    }
    const { identity, definition, skipped } = kind.read(this.reader, object);
    const name = identity && nameOf(identity);
    const isRenamed = formerName !== undefined && name !== undefined && formerName !== name;
    const removed = isRenamed ? this.#changed(kind, formerName, previous, undefined) : [];
    if (name === undefined) {
      return removed;
    }
    const former = isRenamed ? undefined : previous;
    if (definition === undefined && skipped === undefined) {
      this.#keepInForce(kind, name, former);
      return removed;
    }
    const changes = this.#changed(kind, name, former, definition);
    return removed.length === 0 ? changes : [...removed, ...changes];
  }

  /** The current version is malformed. */
  #keepInForce<Definition>(kind: ReportedObjectKind<Definition>, name: string, previous: unknown): void {
    const key = keyOf(kind.kind, name);
    const text = this.#inForce.has(key) ? undefined : this.#textOf(kind, previous);
    if (text !== undefined) {
      this.#inForce.set(key, text);
    }
  }

  /** @param definition undefined: it is gone. */
  #changed<Definition>(
    kind: ReportedObjectKind<Definition>,
    name: string,
    previous: unknown,
    definition: Definition | undefined,
  ): readonly ObjectChange[] {
    if (!this.#isRecording && this.#inForce.size === 0) {
      return [];
    }
    const key = keyOf(kind.kind, name);
    const kept = this.#inForce.get(key);
    this.#inForce.delete(key);
    if (!this.#isRecording) {
      return [];
    }
    return this.#noted({
      kind: kind.kind,
      name,
      previous: kept === undefined ? this.#reduced(kind, previous) : JSON.parse(kept),
      current: definition && kind.reduce(definition),
    });
  }

  /** @param current plain JSON. */
  #set(kind: RecordedKind, name: string, current: unknown): readonly ObjectChange[] {
    const key = keyOf(kind, name);
    const previousText = this.#texts.get(key);
    const text = JSON.stringify(current);
    // Results of `JSON.stringify` are trees.
    this.#texts.set(key, flatText(text));
    return this.#isRecording ? this.#noted({ kind, name, previous: parsed(previousText), current }) : [];
  }

  #noted({ kind, name, previous, current }: NotedChange): readonly ObjectChange[] {
    const difference = differenceOf(previous, current);
    if (difference === undefined) {
      return [];
    }
    this.#note(keyOf(kind, name), previous, current);
    if (current === undefined) {
      return [{ kind, name, gone: true }];
    }
    return [previous === undefined ? { kind, name, is: current } : { kind, name, to: difference }];
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

function parseName(text: string): ObjectIdentity {
  const slash = text.indexOf('/');
  return { namespace: text.slice(0, Math.max(slash, 0)), name: text.slice(slash + 1) };
}
