import { describe, expect, test } from '@jest/globals';
import { parseGoBool, parseGoDuration, parseGoInt } from './go-values.js';

describe('parseGoDuration', () => {
  test.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['100ms', 100],
    ['2us', 0.002],
    ['2µs', 0.002],
    ['0', 0],
    ['0s', 0],
    ['-1s', -1000],
    ['+1s', 1000],
    ['30', undefined],
    ['', undefined],
    ['s', undefined],
    ['1 s', undefined],
    ['1s\n', undefined],
    ['1d', undefined],
    ['.s', undefined],
    ['1e3s', undefined],
  ])('reads %j as %s ms', (text, expected) => {
    expect(parseGoDuration(text)).toBe(expected);
  });
});

describe('parseGoBool and parseGoInt', () => {
  test('parse what Go parses', () => {
    expect(['1', 't', 'TRUE', 'True'].map(parseGoBool)).toEqual([true, true, true, true]);
    expect(['0', 'F', 'false'].map(parseGoBool)).toEqual([false, false, false]);
    expect(['', 'yes', 'tRUE'].map(parseGoBool)).toEqual([undefined, undefined, undefined]);
    expect(['14', '-1', '+2', '0x0e'].map(parseGoInt)).toEqual([14, -1, 2, 14]);
    expect(['', '1.5', '1e3', ' 1', 'x'].map(parseGoInt)).toEqual(Array(5).fill(undefined));
  });
});
