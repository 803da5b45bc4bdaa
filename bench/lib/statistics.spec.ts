import { describe, expect, test } from '@jest/globals';
import { median, medianInterval, percentile } from './statistics.mjs';

const HUNDRED = Array.from({ length: 101 }, (_, index) => 100 - index);

describe('statistics of the benchmarks', () => {
  test('the median is the number in the middle, and input stays as it is', () => {
    const numbers = Object.freeze([9, 1, 5]);
    expect(median(numbers)).toBe(5);
    expect(numbers).toEqual([9, 1, 5]);
  });

  test('numbers are compared as numbers', () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  test('percentiles', () => {
    expect([0, 0.5, 0.99, 1].map((part) => percentile(HUNDRED, part))).toEqual([0, 50, 99, 100]);
  });

  test('nothing measured is no number', () => {
    expect(median([])).toBeNaN();
  });

  test('the interval encloses the median, and is narrower with more numbers', () => {
    expect(medianInterval(HUNDRED)).toEqual([40, 61]);
    expect(medianInterval([3])).toEqual([3, 3]);
  });
});
