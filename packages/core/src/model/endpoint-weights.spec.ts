import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Endpoint } from './endpoint.js';
import { proportionalParts, selectionWeights } from './endpoint-weights.js';

function endpoint(weight: number, slowStart?: number): Endpoint {
  const conditions = { ready: true, serving: true, terminating: false, zoneHints: [], nodeHints: [] };
  return {
    ...{ key: '10.0.0.1:80', address: '10.0.0.1', port: 80, isLocal: false, nodeName: undefined, ...conditions },
    weight,
    ...(slowStart === undefined ? {} : { slowStart }),
  };
}

describe('selectionWeights', () => {
  test.each<[string, Endpoint[], readonly number[] | undefined]>([
    ['no endpoint', [], undefined],
    ['equal weights', [endpoint(7), endpoint(7)], undefined],
    ['weights without a common divisor', [endpoint(2), endpoint(3)], [2, 3]],
    ['weights with a common divisor', [endpoint(30), endpoint(10)], [3, 1]],
    ['slow start of one', [endpoint(1), endpoint(1, 1)], [10, 1]],
    ['slow start of one that weighs more', [endpoint(1), endpoint(4, 5)], [1, 2]],
    ['slow start of all, alike', [endpoint(5, 3), endpoint(5, 3)], undefined],
    ['slow start that makes unequal weights equal', [endpoint(1), endpoint(2, 5)], undefined],
    ['the largest weights in slow start', [endpoint(65_535), endpoint(1, 1)], [65_535, 1]],
  ])('%s', (_title, endpoints, expected) => {
    expect(selectionWeights(endpoints)).toEqual(expected);
  });

  test('shares are those of the weights, within the largest weight', () => {
    const any = fc.record({
      weight: fc.integer({ min: 1, max: 65_535 }),
      slowStart: fc.option(fc.integer({ min: 1, max: 9 })),
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 2, maxLength: 20 }), (parts) => {
        const weights = selectionWeights(
          parts.map(({ weight, slowStart }) => endpoint(weight, slowStart ?? undefined)),
        );
        const exact = parts.map(({ weight, slowStart }) => weight * (slowStart ?? 10));
        for (const [index, weight] of (weights ?? parts.map(() => 1)).entries()) {
          expect(Number.isInteger(weight) && weight >= 1 && weight <= 65_535).toBe(true);
          const most = Math.max(...exact);
          const share = (weight * most) / Math.max(...(weights ?? [1]));
          // One step of the scale.
          expect(Math.abs(share - (exact[index] ?? 0))).toBeLessThanOrEqual(most / 65_535 + 1e-9 * most);
        }
      }),
    );
  });
});

test('proportionalParts has the sum of the limit, gives each a part, and rounds by less than one where parts are large', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 65_535 }), { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 50, max: 2000 }),
      (weights, limit) => {
        const parts = proportionalParts(weights, limit);
        const sum = weights.reduce((total, weight) => total + weight, 0);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(1);
        expect(parts.reduce((total, part) => total + part, 0)).toBe(Math.min(sum, limit));
        const exact = weights.map((weight) => (weight / sum) * limit);
        if (exact.every((part) => part >= 1)) {
          expect(parts.every((part, index) => sum <= limit || Math.abs(part - (exact[index] ?? 0)) < 1)).toBe(true);
        }
      },
    ),
  );
});
