import { isRecord, type UnknownRecord } from '@kube-proxier/core';

/**
 * Selects the retained part of an external value, and its compact form. A value of an unexpected type is retained
 * unchanged; its reader validates it.
 */
export interface Shape {
  /** Its structure, for readers that skip the rest. */
  readonly structure: ShapeStructure;
  /** The retained part of a value; undefined for nothing. */
  take(value: unknown): unknown;
  /** The compact form for JSON: fields by position instead of name, which takes a third of the text. */
  pack(kept: unknown): unknown;
  /** The retained value of a compact form. */
  unpack(packed: unknown): unknown;
}

/**
 * The parts of a {@link Shape}: everything; fields of a record, optionally omitted without them; items of a list;
 * entries of a map.
 */
export type ShapeStructure =
  | { readonly kind: 'whole' }
  | { readonly kind: 'fields'; readonly fields: Readonly<Record<string, Shape>>; readonly orNothing: boolean }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'entries'; readonly choose: (name: string) => boolean };

/** Wraps a value of an unexpected type, and null: in compact form, null means absent. */
interface Odd {
  readonly odd: unknown;
}

function odd(value: unknown): Odd {
  return { odd: value };
}

function isOdd(packed: unknown): packed is Odd {
  return isRecord(packed);
}

/** The value unchanged. */
export const whole: Shape = {
  structure: { kind: 'whole' },
  take: (value) => value,
  pack: (kept) => (kept === null || isRecord(kept) ? odd(kept) : kept),
  unpack: (packed) => (isOdd(packed) ? packed.odd : packed),
};

/** These fields of a record, in this order; absent ones stay absent. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes);
  const names = entries.map(([name]) => name);
  const parts = entries.map(([, shape]) => shape);
  return {
    structure: { kind: 'fields', fields: shapes, orNothing: false },
    take: (value) => (isRecord(value) ? taken(value, entries) : value),
    pack(kept) {
      if (!isRecord(kept)) {
        return odd(kept);
      }
      // Thousands of objects are packed at a start: plain loops create no garbage, and an array that grows reserves room for 17 items.
      let count = names.length;
      while (count > 0 && kept[names[count - 1] ?? ''] === undefined) {
        count -= 1;
      }
      const packed = new Array<unknown>(count);
      for (let place = 0; place < count; place += 1) {
        const field = kept[names[place] ?? ''];
        packed[place] = field === undefined ? null : parts[place]?.pack(field);
      }
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

/** As {@link fields}, but nothing when all of them are absent. */
export function anyFieldsOf(shapes: Readonly<Record<string, Shape>>): Shape {
  const shape = fields(shapes);
  return {
    ...shape,
    structure: { kind: 'fields', fields: shapes, orNothing: true },
    take(value) {
      const kept = shape.take(value);
      return isRecord(kept) && Object.keys(kept).length === 0 ? undefined : kept;
    },
  };
}

/** Each item of a list in this shape. */
export function listOf(shape: Shape): Shape {
  return {
    structure: { kind: 'list', of: shape },
    take: (value) => (Array.isArray(value) ? value.map(shape.take) : value),
    pack: (kept) => (Array.isArray(kept) ? kept.map(shape.pack) : odd(kept)),
    unpack: (packed) => (isOdd(packed) ? packed.odd : Array.isArray(packed) ? packed.map(shape.unpack) : packed),
  };
}

/** The selected entries of a map with any values; nothing when none is selected. */
export function entriesWhere(choose: (name: string) => boolean): Shape {
  return {
    structure: { kind: 'entries', choose },
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
