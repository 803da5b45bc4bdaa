import { describe, expect, test } from '@jest/globals';
import { finish } from '@kube-proxier/core';
import fc from 'fast-check';
import { matchSlots, NONE, rematchSlots, type SlotMatching } from './steady-slots.js';

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const ofSeeds = (seeds: readonly number[]) => finish(matchSlots(Uint32Array.from(seeds)));

/** The seed that has each slot. */
function seedsOfSlots({ seeds, holders }: SlotMatching): readonly (number | undefined)[] {
  return [...holders].map((index) => seeds[index]);
}

describe('a slot for each entry', () => {
  test('each entry has one slot', () => {
    fc.assert(
      fc.property(fc.array(seed, { maxLength: 300 }), (seeds) => {
        const { holders } = ofSeeds(seeds);
        expect(new Set(holders)).toEqual(new Set(seeds.keys()));
        expect(holders).toHaveLength(seeds.length);
      }),
    );
  });

  test('entries have the same slots in any order', () => {
    fc.assert(
      fc.property(fc.uniqueArray(seed, { maxLength: 300 }), (seeds) => {
        expect(seedsOfSlots(ofSeeds(seeds.toReversed()))).toEqual(seedsOfSlots(ofSeeds(seeds)));
      }),
    );
  });

  test('equal seeds have a slot each', () => {
    expect(new Set(ofSeeds([7, 7, 7, 7, 7]).holders).size).toBe(5);
  });

  test('a sequence of changes leads to the same result as the final entries alone', () => {
    // Some seeds twice, as keys may have one hash.
    const values = fc.oneof({ weight: 20, arbitrary: seed }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }) });
    const change = fc.record({
      remove: fc.array(fc.nat(), { maxLength: 20 }),
      add: fc.array(fc.tuple(fc.nat(), values), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(fc.array(values, { maxLength: 200 }), fc.array(change, { maxLength: 8 }), (first, changes) => {
        let seeds = first;
        let matching = ofSeeds(seeds);
        for (const { remove, add } of changes) {
          let entries = seeds.map((value, index) => ({ value, before: index }));
          for (const place of remove) {
            entries = entries.filter((_, index) => index !== place % Math.max(1, entries.length));
          }
          for (const [place, value] of add) {
            entries.splice(place % (entries.length + 1), 0, { value, before: NONE });
          }
          seeds = entries.map(({ value }) => value);
          const before = Int32Array.from(entries, (entry) => entry.before);
          matching = finish(rematchSlots(matching, Uint32Array.from(seeds), before));
          expect(matching).toEqual(ofSeeds(seeds));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('replacing one of 5,000 moves at most a few dozen others', () => {
    const seeds = Array.from({ length: 5000 }, (_, index) => Math.imul(index + 1, 2_654_435_761) >>> 0);
    const slots = seedsOfSlots(ofSeeds(seeds));
    for (const place of [0, 1700, 3300, 4999]) {
      const after = seedsOfSlots(ofSeeds(seeds.with(place, 12_345)));
      const moved = slots.filter((value, slot) => after[slot] !== value).length;
      expect(moved).toBeGreaterThan(0);
      expect(moved).toBeLessThan(50);
    }
  });
});
