import { expect, test } from '@jest/globals';
import { settleDelay } from './settle-policy.js';

const TIMES = { settleTime: 100, removalSettleTime: 500, maxSettleTime: 5000 };

test.each([
  ['read', 0, 0, 100],
  ['read', 60, 60, 40],
  ['read', 100, 100, 0],
  ['read', 1000, 1000, 0],
  ['remove', 100, 100, 400],
  ['remove', 500, 500, 0],
  ['read', 0, 4999, 100],
  ['read', 0, 5000, 0],
  ['remove', 0, 5000, 0],
] as const)(
  'to %s waits, %d ms after the last change and %d ms after the first, for %d ms',
  (effect, last, first, delay) => {
    const now = 10_000;
    expect(settleDelay({ changedAt: now - last, pendingSince: now - first }, now, TIMES, effect)).toBe(delay);
  },
);

test('a removal waits at least as long as a read', () => {
  const times = { ...TIMES, settleTime: 800 };
  expect(settleDelay({ changedAt: 0, pendingSince: 0 }, 0, times, 'remove')).toBe(800);
});
