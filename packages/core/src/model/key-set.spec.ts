import { expect, test } from '@jest/globals';
import { KeySet } from './key-set.js';

test('the keys of a map read as a set', () => {
  const expected = new Set(['10.96.0.1', '10.96.0.2', '10.96.0.3']);
  const keys = new KeySet(new Map([...expected].map((key) => [key, 1])));
  expect(keys.size).toBe(3);
  expect(new Set(keys)).toEqual(expected);
  expect(new Set(keys.values())).toEqual(expected);
  expect(new Map(keys.entries())).toEqual(new Map([...expected].map((key) => [key, key])));
  const seen: string[] = [];
  keys.forEach((key, same, set) => {
    expect(same).toBe(key);
    expect(set).toBe(keys);
    seen.push(key);
  });
  expect(seen.sort()).toEqual([...expected]);
  expect(keys.has('10.96.0.2')).toBe(true);
  expect(keys.has('10.96.0.4')).toBe(false);
});
