import { expect, test } from '@jest/globals';
import { isTooOld } from './nft-version.js';

test.each([
  ['0.9.8', true],
  ['1.0.2', true],
  ['1.0.5', true],
  ['1.0', true],
  ['1.0.6', false],
  ['1.0.6.1', false],
  ['1.0.10', false],
  ['1.1.3', false],
  ['2.0', false],
])('nft %s is too old: %s', (version, expected) => {
  expect(isTooOld(version)).toBe(expected);
});
