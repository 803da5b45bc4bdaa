import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PersistentMap } from './persistent-map.js';

/** Keys with the same hash. */
const COLLIDING = [
  ['key-207002', 'key-2378205', 'key-4620779'],
  ['key-207003', 'key-2378204', 'key-4620778'],
].flat();

const keys = fc.oneof(fc.constantFrom(...COLLIDING), fc.nat(400).map(String));
const changes = fc.array(fc.tuple(keys, fc.option(fc.nat(3), { nil: undefined })), { maxLength: 300 });

function change(
  map: PersistentMap<string, number>,
  expected: Map<string, number>,
  of: readonly (readonly [key: string, value: number | undefined])[],
) {
  const draft = map.draft();
  for (const [key, value] of of) {
    if (value === undefined) {
      draft.delete(key);
      expected.delete(key);
    } else {
      draft.set(key, value);
      expected.set(key, value);
    }
    expect([draft.size, draft.get(key), draft.has(key)]).toEqual([expected.size, value, value !== undefined]);
  }
  return draft;
}

function sorted(map: ReadonlyMap<string, number>) {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

test('maps have the entries of a Map with the same changes, and former versions keep theirs', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 8 }), (rounds) => {
      let map = PersistentMap.empty<string, number>();
      const expected = new Map<string, number>();
      const versions: [PersistentMap<string, number>, [string, number][]][] = [];
      for (const round of rounds) {
        map = change(map, expected, round).finish();
        versions.push([map, sorted(expected)]);
      }
      for (const [version, entries] of versions) {
        expect(sorted(version)).toEqual(entries);
        expect(version.size).toBe(entries.length);
        expect([...version.keys()].sort()).toEqual(entries.map(([key]) => key).sort());
        expect([...version.values()].sort()).toEqual(entries.map(([, value]) => value).sort());
        expect(entries.every(([key, value]) => version.get(key) === value && version.has(key))).toBe(true);
      }
    }),
  );
});

test('equal maps are iterated in the same order, however they came about', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(2000).map(String)), fc.array(fc.nat(2000).map(String)), (wanted, initial) => {
      const draft = PersistentMap.of(initial.map((key) => [key, key] as const)).draft();
      for (const key of wanted) {
        draft.set(key, key);
      }
      for (const key of initial.filter((name) => !wanted.includes(name))) {
        draft.delete(key);
      }
      expect([...draft.finish()]).toEqual([...PersistentMap.of(wanted.map((key) => [key, key] as const))]);
    }),
  );
});

test('a draft does not change its origin, nor the maps that it finished', () => {
  const origin = PersistentMap.of<string, number>(COLLIDING.map((key) => [key, 0]));
  const draft = origin.draft();
  for (const key of COLLIDING) {
    draft.set(key, 1);
  }
  const first = draft.finish();
  draft.set('key-207002', 2).set('more', 2);
  draft.delete('key-207003');
  expect(new Set(origin.values())).toEqual(new Set([0]));
  expect([new Set(first.values()), first.size]).toEqual([new Set([1]), COLLIDING.length]);
  expect(draft.finish().get('key-207002')).toBe(2);
});

test('a draft without changes finishes as its origin', () => {
  const origin = PersistentMap.of<string, number>([['a', 1]]);
  expect(origin.draft().set('a', 1).delete('b').finish()).toBe(origin);
  expect([...PersistentMap.empty()]).toEqual([]);
});

test('many entries can be added and deleted', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `team-${index % 97}/svc-${index}`);
  const map = PersistentMap.of(names.map((name, index) => [name, index] as const));
  expect(map.size).toBe(names.length);
  expect(names.every((name, index) => map.get(name) === index)).toBe(true);
  const draft = map.draft();
  for (const name of names) {
    draft.delete(name);
  }
  expect([draft.size, [...draft.finish()]]).toEqual([0, []]);
});
