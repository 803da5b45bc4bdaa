import { isRecord } from './unknown-record.js';

/** Takes of a value from outside what is to be kept. What has not the expected form is kept as it is, for its reader to judge. */
export type Shape = (value: unknown) => unknown;

/** The value as it is. */
export const whole: Shape = (value) => value;

/** Of a record these fields, in this order; absent ones stay absent. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isRecord(value)) {
      return value;
    }
    const kept: Record<string, unknown> = {};
    for (const [name, shape] of entries) {
      const field = value[name];
      if (field !== undefined) {
        const part = shape(field);
        if (part !== undefined) {
          kept[name] = part;
        }
      }
    }
    return kept;
  };
}

/** Of a list each item in this shape. */
export function listOf(shape: Shape): Shape {
  return (value) => (Array.isArray(value) ? value.map(shape) : value);
}

/** Of a map from names to anything the entries that are chosen; nothing at all when none is. */
export function entriesWhere(choose: (name: string) => boolean): Shape {
  return (value) => {
    if (!isRecord(value)) {
      return value;
    }
    const kept = Object.entries(value).filter(([name]) => choose(name));
    kept.sort(([left], [right]) => (left < right ? -1 : 1));
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
}
