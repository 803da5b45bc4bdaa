import { expect, test } from '@jest/globals';
import { countOf } from './count-of.js';

test('a noun is singular for one only', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'endpoint'))).toEqual(['0 endpoints', '1 endpoint', '2 endpoints']);
  expect([1, 2].map((count) => countOf(count, 'class', 'classes'))).toEqual(['1 class', '2 classes']);
});
