import type { Shape } from '../watch/object-shape.js';
import type { FieldLayout, MessageLayout } from './message-layout.js';
import { ProtobufError } from './protobuf-error.js';
import { DELIMITED, VARINT, WireReader } from './wire-reader.js';

/** Reads the value of a field after its tag. `before` is the value so far of a list or a map. */
type ReadValue = (wire: WireReader, before: unknown) => unknown;

interface FieldReader {
  readonly name: string;
  readonly number: number;
  readonly wireType: number;
  /** Whether it may be repeated. */
  readonly repeated: boolean;
  readonly read: ReadValue;
  /** The value in JSON; undefined for nothing. */
  readonly finish: (value: unknown) => unknown;
}

const EMPTY = Buffer.alloc(0);
/** Tags of the fields of an entry of a map, and of a `metav1.Time`. */
const KEY = (1 << 3) | DELIMITED;
const VALUE = (2 << 3) | DELIMITED;
const SECONDS = (1 << 3) | VARINT;
const MILLISECONDS = 1000;
/** Seconds since 1970 at the beginning of the years 1 and 10000: other times cannot be written in JSON. */
const YEAR_1 = -62_135_596_800;
const YEAR_10000 = 253_402_300_800;

/** A message without fields. */
const nothing = new WireReader();

/** Reads objects of one kind from protobuf: only the retained part, equal to that of the object's JSON. */
export class MessageReader {
  readonly #wire = new WireReader();
  readonly #read: (wire: WireReader) => Readonly<Record<string, unknown>>;

  /**
   * @param layout of the message.
   * @param shape the retained part.
   * @throws TypeError when the layout lacks a field of the shape.
   */
  constructor(layout: MessageLayout, shape: Shape) {
    this.#read = recordReader(layout, shape);
  }

  /**
   * Reads one message.
   *
   * @throws ProtobufError when it is not one.
   */
  read(bytes: Buffer, from = 0, to = bytes.length): Readonly<Record<string, unknown>> {
    const wire = this.#wire;
    wire.open(bytes, from, to);
    try {
      return this.#read(wire);
    } finally {
      // The bytes may belong to a whole chunk.
      wire.open(EMPTY, 0, 0);
    }
  }
}

/** Reads up to `end` of the wire. */
function recordReader(layout: MessageLayout, shape: Shape): (wire: WireReader) => Readonly<Record<string, unknown>> {
  const { structure } = shape;
  const kept = structure.kind === 'fields' ? Object.entries(structure.fields) : undefined;
  const names = kept ?? Object.keys(layout.fields).map((name) => [name, shape] as const);
  const readers = names.map(([name, part]) => {
    const field = layout.fields[name];
    if (field === undefined) {
      throw new TypeError(`the layout of ${layout.name} lacks ${name}`);
    }
    return fieldReader(name, field, part);
  });
  const places: (number | undefined)[] = [];
  readers.forEach(({ number }, place) => {
    places[number] = place;
  });
  const count = readers.length;
  return (wire) => {
    const values: unknown[] = new Array<unknown>(count);
    while (wire.at < wire.end) {
      const tag = wire.tag();
      const place = places[tag >>> 3];
      const reader = place === undefined ? undefined : readers[place];
      if (place === undefined || reader === undefined) {
        wire.skip(tag & 7);
        continue;
      }
      if ((tag & 7) !== reader.wireType) {
        throw new ProtobufError(`${reader.name} has the wrong wire type ${tag & 7}`);
      }
      const before = values[place];
      if (before !== undefined && !reader.repeated) {
        // Encoders write it once; a repetition would be ambiguous.
        throw new ProtobufError(`${reader.name} comes twice`);
      }
      values[place] = reader.read(wire, before);
    }
    const record: Record<string, unknown> = {};
    for (let place = 0; place < count; place += 1) {
      const reader = readers[place];
      const value = reader?.finish(values[place]);
      if (reader !== undefined && value !== undefined) {
        record[reader.name] = value;
      }
    }
    return record;
  };
}

function fieldReader(name: string, field: FieldLayout, shape: Shape): FieldReader {
  const { number, type, repeated } = field;
  const isMap = type === 'map';
  return {
    name,
    number,
    wireType: type === 'int32' || type === 'int64' || type === 'bool' ? VARINT : DELIMITED,
    repeated: repeated || isMap,
    read: isMap ? mapEntryReader(shape) : repeated ? itemReader(field, shape) : valueReader(field, shape),
    finish: isMap ? finishedMap(shape) : finishedValue(field, shape),
  };
}

function itemReader(field: FieldLayout, shape: Shape): ReadValue {
  const { structure } = shape;
  const read = valueReader(field, structure.kind === 'list' ? structure.of : shape);
  return (wire, before) => {
    const item = read(wire, undefined);
    if (Array.isArray(before)) {
      before.push(item);
      return before;
    }
    return [item];
  };
}

function valueReader({ type, presence, message }: FieldLayout, shape: Shape): ReadValue {
  switch (type) {
    case 'text':
      return (wire) => wire.text();
    case 'int32':
      return (wire) => wire.int32();
    case 'int64':
      return (wire) => wire.int64();
    case 'bool':
      return (wire) => wire.bool();
    case 'time':
      return (wire) => readTime(wire, presence === 'pointer' ? null : undefined);
    case 'message': {
      if (message === undefined) {
        throw new TypeError('a message has no layout');
      }
      const read = recordReader(message, shape);
      return (wire) => within(wire, read);
    }
    default:
      throw new TypeError(`values of the type ${type} are not read`);
  }
}

/** Reads a value that has a length. */
function within<T>(wire: WireReader, read: (wire: WireReader) => T): T {
  const outer = wire.end;
  wire.end = wire.delimited();
  const value = read(wire);
  wire.end = outer;
  return value;
}

function finishedValue({ type, presence, repeated, message }: FieldLayout, shape: Shape): FieldReader['finish'] {
  if (repeated) {
    return presence === 'written' ? (value) => value ?? null : (value) => value;
  }
  if (presence === 'pointer') {
    return (value) => value;
  }
  if (type === 'message' && message !== undefined) {
    const read = recordReader(message, shape);
    // A structure is never absent in JSON.
    return (value) => value ?? read(nothing);
  }
  const zero = type === 'text' ? '' : type === 'bool' ? false : type === 'time' ? undefined : 0;
  return presence === 'written' ? (value) => value ?? zero : (value) => (value === zero ? undefined : value);
}

/** @returns RFC 3339 in UTC, as JSON has it; `zero` for a time that was not set. */
function readTime(wire: WireReader, zero: null | undefined): string | null | undefined {
  const seconds = within(wire, readSeconds);
  if (seconds === undefined || seconds === YEAR_1) {
    return zero;
  }
  if (seconds < YEAR_1 || seconds >= YEAR_10000) {
    throw new ProtobufError('a time is not in the years 1 to 9999');
  }
  return new Date(seconds * MILLISECONDS).toISOString().replace('.000Z', 'Z');
}

/** @returns undefined of an empty message. */
function readSeconds(wire: WireReader): number | undefined {
  if (wire.at === wire.end) {
    return undefined;
  }
  let seconds = 0;
  while (wire.at < wire.end) {
    const tag = wire.tag();
    if (tag === SECONDS) {
      seconds = wire.int64();
    } else {
      wire.skip(tag & 7);
    }
  }
  return seconds;
}

/** The retained entries of a map: keys and values in turn. A `Map` for each of thousands of objects is much garbage. */
type MapEntries = string[];

const NO_ENTRIES: MapEntries = [];

/** Collects the retained entries of a map. */
function mapEntryReader(shape: Shape): ReadValue {
  const retains = chooser(shape);
  return (wire, before) => {
    let entries = (before as MapEntries | undefined) ?? NO_ENTRIES;
    const outer = wire.end;
    const end = wire.delimited();
    wire.end = end;
    let key = '';
    let valueAt = end;
    while (wire.at < end) {
      const tag = wire.tag();
      if (tag === KEY) {
        key = wire.text();
      } else if (tag === VALUE) {
        // Its text is read only if retained.
        valueAt = wire.at;
        wire.skip(DELIMITED);
      } else {
        wire.skip(tag & 7);
      }
    }
    if (retains(key)) {
      wire.at = valueAt;
      const value = valueAt < end ? wire.text() : '';
      if (entries === NO_ENTRIES) {
        entries = [key, value];
      } else {
        entries.push(key, value);
      }
    }
    wire.at = end;
    wire.end = outer;
    return entries;
  };
}

function chooser({ structure }: Shape): (name: string) => boolean {
  switch (structure.kind) {
    case 'fields': {
      const names = new Set(Object.keys(structure.fields));
      return (name) => names.has(name);
    }
    case 'entries':
      return structure.choose;
    default:
      return () => true;
  }
}

/** As the shape has the entries: those of a choice in the order of their names. */
function finishedMap({ structure }: Shape): FieldReader['finish'] {
  if (structure.kind === 'fields') {
    const names = Object.keys(structure.fields);
    const { orNothing } = structure;
    return (value) => {
      if (value === undefined) {
        return undefined;
      }
      const entries = value as MapEntries;
      const record: Record<string, unknown> = {};
      let isEmpty = true;
      for (let index = 0; index < names.length; index += 1) {
        const name = names[index] ?? '';
        const entry = entryOf(entries, name);
        if (entry !== undefined) {
          record[name] = entry;
          isEmpty = false;
        }
      }
      return isEmpty && orNothing ? undefined : record;
    };
  }
  return (value) => {
    const entries = (value as MapEntries | undefined) ?? NO_ENTRIES;
    if (entries.length === 0) {
      return undefined;
    }
    const values = new Map<string, string>();
    for (let at = 0; at < entries.length; at += 2) {
      values.set(entries[at] ?? '', entries[at + 1] ?? '');
    }
    const found = [...values];
    if (structure.kind === 'entries') {
      found.sort(([left], [right]) => (left < right ? -1 : 1));
    }
    return Object.fromEntries(found);
  };
}

/** The value of a key: of several, the last. */
function entryOf(entries: MapEntries, key: string): string | undefined {
  for (let at = entries.length - 2; at >= 0; at -= 2) {
    if (entries[at] === key) {
      return entries[at + 1];
    }
  }
  return undefined;
}
