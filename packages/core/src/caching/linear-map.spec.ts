import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LinearMap } from './linear-map.js';

test('does what a Map does, with few keys and with many', () => {
  const keys = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }).map(String), fc.integer()), { maxLength: 80 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 0, max: 40 }), (entries, given) => {
      const map = new Map(entries.slice(0, given));
      const linear = new LinearMap(entries.slice(0, given));
      for (const [key, value] of entries.slice(given)) {
        expect(linear.get(key)).toBe(map.get(key));
        expect(linear.has(key)).toBe(map.has(key));
        map.set(key, value);
        linear.set(key, value);
      }
      expect([...linear.keys]).toEqual([...map.keys()]);
      expect([...linear.values]).toEqual([...map.values()]);
      expect(linear.size).toBe(map.size);
    }),
  );
});
