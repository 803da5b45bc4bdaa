import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SmallMap } from './small-map.js';

const key = fc.constantFrom('', 'a', 'b', 'c');
const step = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key, value: fc.option(fc.integer(), { nil: undefined }) }),
  fc.record({ do: fc.constant('delete' as const), key }),
);

test('behaves like a Map', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const small = new SmallMap<string, number | undefined>();
      const map = new Map<string, number | undefined>();
      for (const one of steps) {
        if (one.do === 'set') {
          small.set(one.key, one.value);
          map.set(one.key, one.value);
        } else {
          small.delete(one.key);
          map.delete(one.key);
        }
        expect(small.size).toBe(map.size);
        expect([...small]).toEqual([...map]);
        expect([...small.keys()]).toEqual([...map.keys()]);
        expect([...small.values()]).toEqual([...map.values()]);
        for (const name of ['', 'a', 'b', 'c']) {
          expect([small.has(name), small.get(name)]).toEqual([map.has(name), map.get(name)]);
        }
      }
    }),
  );
});
