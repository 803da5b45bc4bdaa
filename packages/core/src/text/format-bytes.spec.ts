import { expect, test } from '@jest/globals';
import { formatBytes } from './format-bytes.js';

test.each([
  [0, '0B'],
  [1023, '1023B'],
  [1024, '1.0KiB'],
  [40_000, '39.1KiB'],
  [1_048_575, '1.0MiB'],
  [1_048_576, '1.0MiB'],
  [3 * 2 ** 30, '3.0GiB'],
  [2 ** 62, '4096.0PiB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
