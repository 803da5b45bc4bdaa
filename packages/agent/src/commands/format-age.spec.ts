import { expect, test } from '@jest/globals';
import { formatAge } from './format-age.js';

test.each([
  [0, '<unknown>'],
  [-119_000, '119s'],
  [-121_000, '2m1s'],
  [-3_600_000 * 2, '120m'],
  [-3_600_000 * 30, '30h'],
  [-86_400_000 * 9, '9d'],
  [-86_400_000 * 800, '2y'],
])('the age of an object created %d ms ago is %s', (offset, text) => {
  const now = 1_800_000_000_000;
  expect(formatAge(offset === 0 ? 0 : now + offset, now)).toBe(text);
});
