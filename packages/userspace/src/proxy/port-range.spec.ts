import { expect, test } from '@jest/globals';
import { type PortRange, parsePortRange, portsOf } from './port-range.js';

test.each<[string, PortRange | undefined | 'invalid']>([
  ['', undefined],
  ['0', undefined],
  ['30000-32767', { first: 30_000, last: 32_767 }],
  ['30000+100', { first: 30_000, last: 30_100 }],
  [' 8080 ', { first: 8080, last: 8080 }],
  ['10-5', 'invalid'],
  ['60000+9999', 'invalid'],
  ['a-b', 'invalid'],
])('port range %j', (text, expected) => {
  expect(parsePortRange(text)).toEqual(expected);
});

test('every port of a range comes up once', () => {
  const ports = [...portsOf({ first: 10, last: 19 }, () => 0.55)];
  expect(ports[0]).toBe(15);
  expect([...ports].sort()).toEqual(Array.from({ length: 10 }, (_, index) => 10 + index));
});
