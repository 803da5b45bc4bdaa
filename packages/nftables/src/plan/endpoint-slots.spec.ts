import { describe, expect, test } from '@jest/globals';
import { type Endpoint, finish } from '@kube-proxier/core';
import { arrangeSlotsInSlices, type Balancing, DRAWS, drawOf, endpointSlots, slotCount } from './endpoint-slots.js';
import { ANNOTATIONS, readServiceOptions } from './service-options.js';

function endpoint(number: number, weight = 1): Endpoint {
  const address = `10.244.${number >> 8}.${number & 255}`;
  const conditions = { ready: true, serving: true, terminating: false, weight, zoneHints: [], nodeHints: [] };
  return { key: `${address}:80`, address, port: 80, isLocal: false, nodeName: 'n1', ...conditions };
}

const endpoints = (count: number) => Array.from({ length: count }, (_, index) => endpoint(index + 1));
const RANDOM: Balancing = { loadBalancing: 'random' };
const MAGLEV: Balancing = { loadBalancing: 'maglev' };

function shares(slots: readonly Endpoint[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of slots) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

describe('slots', () => {
  test('without weights every endpoint has one slot', () => {
    const { options } = readServiceOptions({});
    expect(endpointSlots(endpoints(3), options)).toEqual(endpoints(3));
  });

  describe('of long lists', () => {
    const { options } = readServiceOptions({});
    const moved = (before: readonly Endpoint[], after: readonly Endpoint[]) =>
      before.filter(({ key }, slot) => after[slot]?.key !== key).length;

    test.each([64, 65, 100, 1000, 5000])('of %d, every endpoint has a slot, in any order', (count) => {
      const slots = endpointSlots(endpoints(count), options);
      expect(new Set(slots.map(({ key }) => key)).size).toBe(count);
      expect(slots).toHaveLength(count);
      expect(endpointSlots(endpoints(count).reverse(), options)).toEqual(slots);
    });

    describe('after a change, the result is independent of the previous list', () => {
      const all = endpoints(1000);
      const weighted = all.map((one, index) => ({ ...one, weight: (index % 3) + 1 }));
      const drained = all.map((one, index) => ({ ...one, weight: index % 2 === 0 ? 2 : 0 }));
      test.each<[string, readonly Endpoint[], readonly Endpoint[]]>([
        ['the same endpoints', all, [...all]],
        ['equal endpoints, other objects', all, endpoints(1000)],
        ['one is gone', all, all.toSpliced(500, 1)],
        ['300 in a row are gone', all, all.toSpliced(100, 300)],
        ['one comes first', all.slice(1), all],
        ['300 come', all.toSpliced(100, 300), all],
        ['one is replaced', all, all.with(500, endpoint(2000))],
        ['each second is gone', all, all.filter((_, index) => index % 2 === 0)],
        ['in another order', all, all.toReversed()],
        ['all are replaced', all, endpoints(2000).slice(1000)],
        ['they get weights', all, weighted],
        ['they lose weights', weighted, all],
        ['half of them is drained: as many slots as before', all, drained],
        ['half of them was drained', drained, all],
      ])('%s', (_, previous, list) => {
        endpointSlots(previous, options);
        finish(arrangeSlotsInSlices(list, () => options, previous));
        expect(endpointSlots(list, options)).toEqual(endpointSlots([...list], options));
      });
    });

    test.each([100, 1000, 3000])('of %d endpoints, a removed or replaced one moves few others', (count) => {
      const all = endpoints(count);
      const slots = endpointSlots(all, options);
      const moves = [0, 1, 2, 3].flatMap((part) => {
        const index = Math.floor((part * count) / 4);
        const replaced = all.map((one, at) => (at === index ? endpoint(60_000) : one));
        return [
          moved(slots, endpointSlots(all.toSpliced(index, 1), options)),
          moved(slots, endpointSlots(replaced, options)),
        ];
      });
      expect(Math.min(...moves)).toBeGreaterThan(0);
      expect(moves.reduce((sum, one) => sum + one, 0) / moves.length).toBeLessThan(count / 4);
    });
  });

  test('weights are relative shares, with the least number of slots', () => {
    const weighted = [endpoint(1, 30), endpoint(2, 10), endpoint(3, 20)];
    expect([...shares(endpointSlots(weighted, RANDOM)).values()]).toEqual([3, 1, 2]);
    expect(endpointSlots([endpoint(1, 30)], RANDOM)).toHaveLength(1);
    expect(endpointSlots([], RANDOM)).toEqual([]);
  });

  test('an endpoint in slow start has its part of the share', () => {
    const started = { ...endpoint(2, 4), slowStart: 1 };
    expect([...shares(endpointSlots([endpoint(1, 1), started], RANDOM)).values()]).toEqual([5, 2]);
  });

  test('the number of slots is bounded, and each endpoint has one', () => {
    const some = [endpoint(1, 65_535), endpoint(2, 1), endpoint(3, 32_768)];
    const counts = shares(endpointSlots(some, RANDOM));
    expect(counts.get('10.244.0.2:80')).toBe(1);
    expect((counts.get('10.244.0.1:80') ?? 0) / (counts.get('10.244.0.3:80') ?? 1)).toBeCloseTo(2, 2);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(1024);
  });

  test('a changed weight in a long list moves few other slots', () => {
    const all = endpoints(500).map((one, index) => ({ ...one, weight: (index % 3) + 1 }));
    const changed = all.map((one, index) => (index === 250 ? { ...one, weight: one.weight + 1 } : one));
    const [before, after] = [endpointSlots(all, RANDOM), endpointSlots(changed, RANDOM)];
    expect(after).toHaveLength(before.length + 1);
    expect(before.filter(({ key }, slot) => after[slot]?.key !== key).length).toBeLessThan(before.length / 4);
  });

  test.each([0, 1, 2, 3, 12, 13, 50, 204, 205, 5000])(
    'the number of slots equals the counted number: %d endpoints',
    (count) => {
      for (const weight of [1, 7]) {
        for (const loadBalancing of ['random', 'maglev'] as const) {
          const some = endpoints(count).map((one, index) => ({ ...one, weight: (index % weight) + 1 }));
          expect(endpointSlots(some, { loadBalancing })).toHaveLength(slotCount(some, { loadBalancing }));
        }
      }
    },
  );
});

describe('slots of unequal endpoints, with redraws', () => {
  const AGAIN: Balancing = { loadBalancing: 'random', drawsAgain: true };
  const weighted = (...weights: readonly number[]) => weights.map((weight, index) => endpoint(index + 1, weight));
  const moved = (before: readonly Endpoint[], after: readonly Endpoint[]) =>
    Array.from({ length: Math.max(before.length, after.length) }, (_, slot) => slot).filter(
      (slot) => before[slot]?.key !== after[slot]?.key,
    ).length;

  test('equal endpoints have one slot each, and every number has a slot', () => {
    for (const list of [endpoints(2), weighted(5, 5, 5), endpoints(100)]) {
      expect(drawOf(list, AGAIN)).toEqual({ count: list.length, isRepeated: false });
    }
  });

  test.each([
    [[1, 2]],
    [[1, 3]],
    [[7, 1, 1]],
    [[9, 10]],
    [[500, 499]],
    [[1, 2, 3, 4, 5, 6, 7]],
    [Array.from({ length: 100 }, (_, index) => index + 1)],
  ])('weights %j are exact, and more than half of the numbers have a slot', (weights) => {
    const list = weighted(...weights);
    const slots = endpointSlots(list, AGAIN);
    const { count, isRepeated } = drawOf(list, AGAIN);
    expect(isRepeated).toBe(true);
    expect(slots).toHaveLength(slotCount(list, AGAIN));
    expect(slots.length).toBeLessThanOrEqual(count);
    expect(slots.length).toBeGreaterThan(count / 2);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    for (const [key, part] of shares(slots)) {
      const weight = list.find((one) => one.key === key)?.weight ?? 0;
      expect(part / slots.length).toBeCloseTo(sum <= 1024 ? weight / sum : part / slots.length, 12);
    }
    // The remainder after all draws goes to the first slot.
    expect((1 - slots.length / count) ** DRAWS).toBeLessThan(1e-6);
  });

  test('a changed weight, and each step of a slow start, leaves the numbers as they are and moves few slots', () => {
    for (const [before, after] of [
      [weighted(1, 2), weighted(1, 3)],
      [weighted(3, 1, 1), weighted(9, 1, 1)],
      [weighted(1, 2, 2, 2, 2), weighted(1, 2, 3, 2, 2)],
    ] as const) {
      expect(drawOf(after, AGAIN)).toEqual(drawOf(before, AGAIN));
      expect(moved(endpointSlots(before, AGAIN), endpointSlots(after, AGAIN))).toBeLessThanOrEqual(64);
    }
    for (const count of [2, 3, 6, 10, 40, 90]) {
      const steps = Array.from({ length: 9 }, (_, step) => [
        ...endpoints(count - 1),
        { ...endpoint(count), slowStart: step + 1 },
      ]);
      const draws = new Set(steps.map((list) => drawOf(list, AGAIN).count));
      expect(draws.size).toBeLessThanOrEqual(2);
      for (const [index, list] of steps.entries()) {
        const slots = endpointSlots(list, AGAIN);
        expect((shares(slots).get(endpoint(count).key) ?? 0) / slots.length).toBeCloseTo(
          (index + 1) / ((count - 1) * 10 + index + 1),
          12,
        );
        // Of hundreds, where a common divisor of all weights would move most.
        const next = steps[index + 1];
        if (count >= 10 && next !== undefined && drawOf(next, AGAIN).count === drawOf(list, AGAIN).count) {
          expect(moved(slots, endpointSlots(next, AGAIN))).toBeLessThan(slots.length / 4);
        }
      }
    }
  });

  test('the cache distinguishes the two draw methods', () => {
    const list = [...endpoints(70), { ...endpoint(71), slowStart: 5 }];
    expect(endpointSlots(list, AGAIN)).toHaveLength(705);
    expect(endpointSlots(list, RANDOM)).toHaveLength(141);
    expect(slotCount(list, AGAIN)).toBe(705);
  });
});

describe('Maglev', () => {
  test.each([2, 3, 10, 50, 400])('%d endpoints have about the same share', (count) => {
    const slots = endpointSlots(endpoints(count), MAGLEV);
    const counts = [...shares(slots).values()];
    expect(counts).toHaveLength(count);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  test('does not depend on the order of endpoints, so all nodes agree', () => {
    const some = endpoints(20);
    expect(endpointSlots([...some].reverse(), MAGLEV)).toEqual(endpointSlots(some, MAGLEV));
  });

  test.each([3, 10, 50])('one of %d endpoints is removed: most clients of the others keep theirs', (count) => {
    const before = endpointSlots(endpoints(count), MAGLEV);
    for (const gone of [1, Math.ceil(count / 2), count]) {
      const left = endpoints(count).filter(({ key }) => key !== endpoint(gone).key);
      const after = endpointSlots(left, MAGLEV);
      expect(after).toHaveLength(before.length);
      const others = before
        .map((one, slot) => [one, after[slot]] as const)
        .filter(([one]) => left.includes(one) || left.some(({ key }) => key === one.key));
      const moved = others.filter(([one, other]) => one.key !== other?.key).length;
      // Modulo hashing would move (n-1)/n of them.
      expect(moved / others.length).toBeLessThan(0.25);
    }
  });

  test('weights are relative shares', () => {
    const counts = shares(endpointSlots([endpoint(1, 3), endpoint(2), endpoint(3)], MAGLEV));
    const heavy = counts.get('10.244.0.1:80') ?? 0;
    expect(heavy / 251).toBeCloseTo(0.6, 1);
  });
});

describe('annotations', () => {
  test('an unknown load-balancing method is reported, and selection is random', () => {
    const { options, problems } = readServiceOptions({ [ANNOTATIONS.loadBalancing]: 'fastest\n' });
    expect(options.loadBalancing).toBe('random');
    expect(problems).toEqual([expect.stringContaining('"fastest\\n" is not one of random, maglev')]);
  });
});
