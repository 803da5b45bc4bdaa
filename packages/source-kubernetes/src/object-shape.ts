import { isRecord, type UnknownRecord } from './unknown-record.js';

/**
 * What is to be kept of a value from outside, and how it is put into few words. What has not the expected form is kept
 * as it is, for its reader to judge.
 */
export interface Shape {
  /** What is kept of a value; undefined for nothing. */
  take(value: unknown): unknown;
  /** What was kept, for JSON: fields by their place instead of their name, which takes a third of the text. */
  pack(kept: unknown): unknown;
  /** What was packed, as it was kept. */
  unpack(packed: unknown): unknown;
}

/** What has not the expected form, or is there and null: packed, null is what is absent. */
interface Odd {
  readonly odd: unknown;
}

function odd(value: unknown): Odd {
  return { odd: value };
}

function isOdd(packed: unknown): packed is Odd {
  return isRecord(packed);
}

/** The value as it is. */
export const whole: Shape = {
  take: (value) => value,
  pack: (kept) => (kept === null || isRecord(kept) ? odd(kept) : kept),
  unpack: (packed) => (isOdd(packed) ? packed.odd : packed),
};

/** Of a record these fields, in this order; absent ones stay absent. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes);
  return {
    take: (value) => (isRecord(value) ? taken(value, entries) : value),
    pack(kept) {
      if (!isRecord(kept)) {
        return odd(kept);
      }
      const packed: unknown[] = [];
      entries.forEach(([name, shape], place) => {
        const field = kept[name];
        if (field !== undefined) {
          while (packed.length < place) {
            packed.push(null);
          }
          packed.push(shape.pack(field));
        }
      });
      return packed;
    },
    unpack(packed) {
      if (!Array.isArray(packed)) {
        return isOdd(packed) ? packed.odd : packed;
      }
      const kept: Record<string, unknown> = {};
      packed.forEach((field: unknown, place) => {
        const entry = entries[place];
        if (entry && field !== null) {
          kept[entry[0]] = entry[1].unpack(field);
        }
      });
      return kept;
    },
  };
}

/** As {@link fields}, but nothing at all when none of them is there. */
export function anyFieldsOf(shapes: Readonly<Record<string, Shape>>): Shape {
  const shape = fields(shapes);
  return {
    ...shape,
    take(value) {
      const kept = shape.take(value);
      return isRecord(kept) && Object.keys(kept).length === 0 ? undefined : kept;
    },
  };
}

/** Of a list each item in this shape. */
export function listOf(shape: Shape): Shape {
  return {
    take: (value) => (Array.isArray(value) ? value.map(shape.take) : value),
    pack: (kept) => (Array.isArray(kept) ? kept.map(shape.pack) : odd(kept)),
    unpack: (packed) => (isOdd(packed) ? packed.odd : Array.isArray(packed) ? packed.map(shape.unpack) : packed),
  };
}

/** Of a map from names to anything the entries that are chosen; nothing at all when none is. */
export function entriesWhere(choose: (name: string) => boolean): Shape {
  return {
    take(value) {
      if (!isRecord(value)) {
        return value;
      }
      const kept = Object.entries(value).filter(([name]) => choose(name));
      kept.sort(([left], [right]) => (left < right ? -1 : 1));
      return kept.length === 0 ? undefined : Object.fromEntries(kept);
    },
    pack: odd,
    unpack: (packed) => (isOdd(packed) ? packed.odd : packed),
  };
}

function taken(value: UnknownRecord, entries: readonly (readonly [string, Shape])[]): UnknownRecord {
  const kept: Record<string, unknown> = {};
  for (const [name, shape] of entries) {
    const field = value[name];
    if (field !== undefined) {
      const part = shape.take(field);
      if (part !== undefined) {
        kept[name] = part;
      }
    }
  }
  return kept;
}
