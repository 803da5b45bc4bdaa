import { structurallyEqual } from '../model/structurally-equal.js';
import { isRecord, type UnknownRecord } from '../objects/unknown-record.js';

/**
 * The difference between two plain JSON values. A JSON value itself, so that it can be printed:
 * - `{"to": value}`: the whole value.
 * - `{"of": {key: delta}}`: fields of a record that differ.
 * - `{"at": {index: delta}}`: items of a list that differ; its length stays.
 * - `{"from": index, "drop": count, "add": [values]}`: a part of a list is replaced.
 * - `{}`: a field of a record is removed.
 */
export type StructuralDelta =
  | { readonly to: unknown }
  | { readonly of: Readonly<Record<string, StructuralDelta>> }
  | { readonly at: Readonly<Record<string, StructuralDelta>> }
  | { readonly from: number; readonly drop: number; readonly add: readonly unknown[] }
  | Readonly<Record<string, never>>;

/** A delta that does not belong to the value that it is applied to. */
export class DeltaMismatchError extends RangeError {}

/**
 * The difference between two plain JSON values (records, lists, primitives; no cycles; a field that is undefined is
 * absent). Of equal values, it changes nothing.
 */
export function deltaOf(previous: unknown, current: unknown): StructuralDelta {
  return (
    differenceOf(previous, current) ??
    (Array.isArray(current) ? { at: {} } : isRecord(current) ? { of: {} } : { to: current })
  );
}

/** As {@link deltaOf}; undefined when the values are equal. */
export function differenceOf(previous: unknown, current: unknown): StructuralDelta | undefined {
  if (Object.is(previous, current)) {
    return undefined;
  }
  if (isRecord(previous) && isRecord(current)) {
    return differenceOfRecords(previous, current);
  }
  if (Array.isArray(previous) && Array.isArray(current)) {
    return differenceOfLists(previous, current);
  }
  return { to: current };
}

function differenceOfRecords(previous: UnknownRecord, current: UnknownRecord): StructuralDelta | undefined {
  const fields: [string, StructuralDelta][] = [];
  for (const key of Object.keys(current)) {
    const value = current[key];
    if (value === undefined) {
      continue;
    }
    const difference = Object.hasOwn(previous, key) ? differenceOf(previous[key], value) : { to: value };
    if (difference !== undefined) {
      fields.push([key, difference]);
    }
  }
  for (const key of Object.keys(previous)) {
    if (previous[key] !== undefined && (!Object.hasOwn(current, key) || current[key] === undefined)) {
      fields.push([key, {}]);
    }
  }
  // Not assignments: a key may be `__proto__`.
  return fields.length === 0 ? undefined : { of: Object.fromEntries(fields) };
}

function differenceOfLists(previous: readonly unknown[], current: readonly unknown[]): StructuralDelta | undefined {
  if (previous.length === current.length) {
    const items = current.flatMap((value, index): [string, StructuralDelta][] => {
      const difference = differenceOf(previous[index], value);
      return difference === undefined ? [] : [[String(index), difference]];
    });
    if (items.length === 0) {
      return undefined;
    }
    // When most items differ, items have moved.
    if (items.length * 2 <= current.length || items.length === 1) {
      return { at: Object.fromEntries(items) };
    }
  }
  const least = Math.min(previous.length, current.length);
  let from = 0;
  while (from < least && structurallyEqual(previous[from], current[from])) {
    from += 1;
  }
  let same = 0;
  while (same < least - from && structurallyEqual(previous.at(-1 - same), current.at(-1 - same))) {
    same += 1;
  }
  return { from, drop: previous.length - same - from, add: current.slice(from, current.length - same) };
}

/**
 * The value that a delta leads to. Never changes `previous`.
 *
 * @param delta untrusted input.
 * @throws DeltaMismatchError when it is not a delta of this value.
 */
export function applyDelta(previous: unknown, delta: unknown): unknown {
  if (!isRecord(delta)) {
    throw new DeltaMismatchError('a delta is not an object');
  }
  if ('to' in delta) {
    return delta.to;
  }
  if ('of' in delta) {
    return applyFields(previous, delta.of);
  }
  if ('at' in delta) {
    return applyItems(previous, delta.at);
  }
  if ('from' in delta) {
    return replacePart(previous, delta);
  }
  throw new DeltaMismatchError('a delta has none of the fields to, of, at and from');
}

function applyFields(previous: unknown, fields: unknown): UnknownRecord {
  if (!isRecord(previous) || !isRecord(fields)) {
    throw new DeltaMismatchError('a delta of fields belongs to no record');
  }
  const kept = Object.entries(previous).filter(([key]) => !Object.hasOwn(fields, key));
  const changed = Object.entries(fields)
    .filter(([, delta]) => !isRecord(delta) || Object.keys(delta).length > 0)
    .map(([key, delta]): [string, unknown] => [
      key,
      applyDelta(Object.hasOwn(previous, key) ? previous[key] : undefined, delta),
    ]);
  // Not assignments: a key may be `__proto__`.
  return Object.fromEntries([...kept, ...changed]);
}

function applyItems(previous: unknown, items: unknown): readonly unknown[] {
  if (!Array.isArray(previous) || !isRecord(items)) {
    throw new DeltaMismatchError('a delta of items belongs to no list');
  }
  const next = [...previous];
  for (const [text, delta] of Object.entries(items)) {
    const index = Number(text);
    if (!Number.isInteger(index) || index < 0 || index >= previous.length) {
      throw new DeltaMismatchError(`a delta changes item ${text} of a list with ${previous.length}`);
    }
    next[index] = applyDelta(previous[index], delta);
  }
  return next;
}

function replacePart(previous: unknown, { from, drop, add }: UnknownRecord): readonly unknown[] {
  if (!Array.isArray(previous) || !isCount(from) || !isCount(drop) || !Array.isArray(add)) {
    throw new DeltaMismatchError('a delta replaces a part of what is no list');
  }
  if (from + drop > previous.length) {
    throw new DeltaMismatchError(`a delta replaces items up to ${from + drop} of a list with ${previous.length}`);
  }
  return [...previous.slice(0, from), ...add, ...previous.slice(from + drop)];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
