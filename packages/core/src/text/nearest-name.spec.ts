import { describe, expect, test } from '@jest/globals';
import { nearestName } from './nearest-name.js';

describe('nearestName', () => {
  test.each([
    ['chekout', ['cart', 'checkout', 'catalog'], 'checkout'],
    ['proxy-mod', ['proxy-mode', 'proxy-mode-fallback'], 'proxy-mode'],
    ['gte', ['set-up', 'get', 'gt'], 'get'],
    ['STATUS', ['state', 'status'], 'status'],
    ['ba', ['ab'], undefined],
    ['abc', ['ca'], undefined],
    ['web', ['web-1', 'frontend'], undefined],
    ['unrelated', ['checkout'], undefined],
    ['', ['checkout'], undefined],
    ['x'.repeat(10_000), ['x'.repeat(9999)], undefined],
  ])('%s', (name, names, expected) => {
    expect(nearestName(name, names)).toBe(expected);
  });
});
