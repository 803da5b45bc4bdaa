import { describe, expect, test } from '@jest/globals';
import { formatQuantity, meetsAim, Report } from './report.mjs';

describe('report of a benchmark', () => {
  test.each([
    [0.1234, 'ms', '0.12 ms'],
    [12.6, 'ms', '13 ms'],
    [1234, 'ms', '1.23 s'],
    [75.04, 's', '75.0 s'],
    [1.2345, '', '1.234'],
    [812.4, '/s', '812/s'],
  ] as const)('%d in %j is printed as %s', (value, unit, text) => {
    expect(formatQuantity(value, unit)).toBe(text);
  });

  test('a figure without an aim neither meets nor misses it', () => {
    expect(meetsAim({ what: 'x', value: 1, unit: 's' })).toBeUndefined();
  });

  test('an aim is a bound above or below', () => {
    expect(meetsAim({ what: 'x', value: 1, unit: 's', atMost: 1 })).toBe(true);
    expect(meetsAim({ what: 'x', value: 1, unit: 's', atLeast: 2 })).toBe(false);
  });

  test('what was not measured misses its aim', () => {
    expect(meetsAim({ what: 'x', value: Number.NaN, unit: 's', atMost: 1 })).toBe(false);
  });

  test('rows have the figure, the aim and further columns', () => {
    const report = new Report('test', 'nothing');
    report.add('load', 1500, 'ms', { atMost: 1000, columns: { 'kube-proxy': '2 s' } });
    report.add('lag', 3, 'ms');
    expect(report.rows()).toEqual([
      { what: 'load', measured: '1.50 s', aim: '<= 1.00 s', ok: 'NO', 'kube-proxy': '2 s' },
      { what: 'lag', measured: '3.00 ms', aim: '', ok: '' },
    ]);
  });
});
