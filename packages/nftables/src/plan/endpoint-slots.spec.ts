import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '@kube-proxier/core';
import { type Balancing, endpointSlots, slotCount } from './endpoint-slots.js';
import { ANNOTATIONS, readServiceOptions } from './service-options.js';

function endpoint(number: number, nodeName = 'n1'): Endpoint {
  const address = `10.244.${number >> 8}.${number & 255}`;
  const conditions = { ready: true, serving: true, terminating: false, zoneHints: [], nodeHints: [] };
  return { key: `${address}:80`, address, port: 80, isLocal: false, nodeName, ...conditions };
}

const endpoints = (count: number) => Array.from({ length: count }, (_, index) => endpoint(index + 1));
const MAGLEV: Balancing = { loadBalancing: 'maglev', weightOf: undefined };

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
    const weightOf = ({ address }: Endpoint) => ({ '10.244.0.1': 30, '10.244.0.2': 10 })[address] ?? 20;
    const options: Balancing = { loadBalancing: 'random', weightOf };
    expect([...shares(endpointSlots(endpoints(3), options)).values()]).toEqual([3, 1, 2]);
    expect(endpointSlots(endpoints(1), options)).toHaveLength(1);
    expect(endpointSlots([], options)).toEqual([]);
  });

  test.each([0, 1, 2, 3, 12, 13, 50, 204, 205, 5000])(
    'the number of slots equals the counted number: %d endpoints',
    (count) => {
      for (const weightOf of [undefined, ({ port }: Endpoint) => (port % 7) + 1]) {
        for (const loadBalancing of ['random', 'maglev'] as const) {
          const options = { loadBalancing, weightOf };
          expect(endpointSlots(endpoints(count), options)).toHaveLength(slotCount(endpoints(count), options));
        }
      }
    },
  );
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
    const options: Balancing = {
      loadBalancing: 'maglev',
      weightOf: ({ address }) => (address.endsWith('.1') ? 3 : 1),
    };
    const counts = shares(endpointSlots(endpoints(3), options));
    const heavy = counts.get('10.244.0.1:80') ?? 0;
    expect(heavy / 251).toBeCloseTo(0.6, 1);
  });
});

describe('annotations', () => {
  const read = (endpointWeights: string) => readServiceOptions({ [ANNOTATIONS.endpointWeights]: endpointWeights });

  test('the first weight that fits an endpoint counts', () => {
    const { options, problems } = read(' 10.244.0.7 = 9, 10.244.0.0/24=2,node/big=100 ,2001:db8::/64=3,');
    expect(problems).toEqual([]);
    const weights = [endpoint(7), endpoint(8), endpoint(300, 'big'), endpoint(301)].map((one) =>
      options.weightOf?.(one),
    );
    expect(weights).toEqual([9, 2, 100, 1]);
  });

  test.each([
    '10.0.0.1',
    '10.0.0.1=0',
    '10.0.0.1=101',
    '10.0.0.1=1.5',
    '10.0.0=1',
    'node/=1',
    'node/A B=1',
    'x=1',
    '=1',
    '{"a":1}',
  ])('what is no weight is named and left out: %s', (text) => {
    const { options, problems } = read(`${text},10.244.0.1=4`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(JSON.stringify(text));
    expect(options.weightOf?.(endpoint(1))).toBe(4);
  });

  test('an unknown load-balancing method is reported, and selection is random', () => {
    const { options, problems } = readServiceOptions({ [ANNOTATIONS.loadBalancing]: 'fastest\n' });
    expect(options.loadBalancing).toBe('random');
    expect(problems).toEqual([expect.stringContaining('"fastest\\n" is not one of random, maglev')]);
  });
});
