import { describe, expect, test } from '@jest/globals';
import { placeLabels, renderPlot, ticksBetween } from './plot.mjs';

describe('marks of a logarithmic scale', () => {
  test.each([
    [3, 30_000, [1, 10, 100, 1000, 10_000, 100_000]],
    [100, 10_000, [100, 300, 1000, 3000, 10_000]],
    [85, 190, [70, 100, 150, 200]],
    [5, 5, [5]],
  ])('from %d to %d enclose the values', (low, high, ticks) => {
    expect(ticksBetween(low, high)).toEqual(ticks);
  });
});

test('labels do not cover each other, and keep the order of their lines', () => {
  const places = placeLabels([380, 100, 102, 101].map((y) => ({ x: 0, y })));
  const sorted = [...places].sort((a, b) => a - b);
  expect(sorted.slice(1).every((place, index) => place - (sorted[index] ?? 0) >= 17)).toBe(true);
  expect(places[1]).toBeLessThan(places[3] as number);
  expect(places[3]).toBeLessThan(places[2] as number);
  expect(Math.max(...places)).toBeLessThanOrEqual(380);
});

test('a plot has its title, units and every series, in the colours of each theme', () => {
  const plot = {
    ...{ title: 'A < B', yTitle: 'Time', format: (value: number) => `${value} ms` },
    series: [
      { label: 'one', colour: 'blue', points: [10, 100].map((x) => ({ x, y: x })) },
      { label: 'two', colour: 'green', isReference: true, points: [{ x: 10, y: 20 }] },
    ],
  } as const;
  const [light, dark] = [renderPlot(plot, 'light'), renderPlot(plot, 'dark')];
  for (const text of ['A &lt; B', 'Time', 'Services', '>one<', '>two<', '10 ms', '100 ms', 'stroke-dasharray']) {
    expect(light).toContain(text);
  }
  expect(light).not.toContain('NaN');
  expect(dark.replace(/#[0-9a-f]{6}/g, '')).toBe(light.replace(/#[0-9a-f]{6}/g, ''));
  expect(dark).not.toBe(light);
});
