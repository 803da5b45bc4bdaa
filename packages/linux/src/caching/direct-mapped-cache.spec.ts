import { expect, test } from '@jest/globals';
import { DirectMappedCache } from './direct-mapped-cache.js';

test('a key has its value until another key takes its slot, and never the value of another key', () => {
  const cache = new DirectMappedCache<number>(4);
  let found = 0;
  for (let index = 0; index < 100; index++) {
    cache.set(`10.0.0.${index}`, index);
    expect(cache.get(`10.0.0.${index}`)).toBe(index);
  }
  for (let index = 0; index < 100; index++) {
    const value = cache.get(`10.0.0.${index}`);
    expect(value === undefined || value === index).toBe(true);
    found += value === undefined ? 0 : 1;
  }
  expect(found).toBeGreaterThan(8);
  expect(found).toBeLessThanOrEqual(16);
});

test('a cleared cache has no values, also for keys that had the same slot', () => {
  const cache = new DirectMappedCache<string>(2);
  cache.set('a', 'before');
  cache.clear();
  expect(cache.get('a')).toBeUndefined();
  cache.set('a', 'after');
  expect(cache.get('a')).toBe('after');
});

test('addresses and elements of a large cluster are spread over the slots', () => {
  const cache = new DirectMappedCache<number>(12);
  const keys = Array.from({ length: 2000 }, (_, index) => `10.${index >> 8}.${index & 255}.7 . tcp . 80`);
  for (const [index, key] of keys.entries()) {
    cache.set(key, index);
  }
  // With ideal spreading, 79 % of them keep their slots.
  expect(keys.filter((key, index) => cache.get(key) === index).length).toBeGreaterThan(0.7 * keys.length);
});
