import { describe, expect, test } from '@jest/globals';
import type { MetricSample } from '../contract/backend-metrics.js';
import { Random } from '../testing/random.js';
import { BoundedSeries } from './bounded-series.js';

const sample = (service: string, value: number, family = 'IPv4'): MetricSample => ({
  metric: 'connections_total',
  labels: { service, protocol: 'TCP', ip_family: family },
  value,
});
const valuesOf = (samples: readonly MetricSample[]) =>
  Object.fromEntries(samples.map(({ labels, value }) => [labels.service, value]));

describe('BoundedSeries', () => {
  test('passes on samples within the limit, zeros included', () => {
    const series = new BoundedSeries(3);
    const samples = [sample('a', 0), sample('b', 5), sample('c', 2)];
    expect(series.update(samples)).toEqual(samples);
    expect(series.update([sample('b', 6)])).toEqual([sample('b', 6)]);
  });

  test('lists the highest, and sums the rest by the other labels', () => {
    const series = new BoundedSeries(2);
    const all = [sample('a', 1), sample('b', 50), sample('c', 3, 'IPv6'), sample('d', 40), sample('e', 2)];
    const found = series.update(all);
    expect(found).toContainEqual(sample('b', 50));
    expect(found).toContainEqual(sample('d', 40));
    const rest = (value: number, family: string) => ({
      metric: 'connections_total',
      labels: { service: '', protocol: '', ip_family: family },
      value,
    });
    expect(found).toContainEqual(rest(3, 'IPv4'));
    expect(found).toContainEqual(rest(3, 'IPv6'));
    expect(found).toHaveLength(4);
  });

  test('a series with twice the count replaces a listed one, and earlier counts are not moved', () => {
    const series = new BoundedSeries(1);
    expect(valuesOf(series.update([sample('a', 10), sample('b', 5)]))).toEqual({ a: 10, '': 5 });
    expect(valuesOf(series.update([sample('a', 10), sample('b', 20)]))).toEqual({ a: 10, '': 20 });
    expect(valuesOf(series.update([sample('a', 10), sample('b', 21)]))).toEqual({ b: 1, '': 20 });
    expect(valuesOf(series.update([sample('a', 12), sample('b', 21)]))).toEqual({ b: 1, '': 22 });
    // It continues from its last value.
    expect(valuesOf(series.update([sample('a', 60), sample('b', 22)]))).toEqual({ a: 58, '': 23 });
  });

  test('a counter of the kernel that starts from 0 again', () => {
    const series = new BoundedSeries(1);
    series.update([sample('a', 10), sample('b', 5)]);
    expect(valuesOf(series.update([sample('a', 2), sample('b', 1)]))).toEqual({ a: 12, '': 6 });
  });

  test('samples with equal labels form one series', () => {
    expect(new BoundedSeries(5).update([sample('a', 10), sample('a', 5)])).toEqual([sample('a', 15)]);
  });

  test('over random changes no series goes backwards, the sum is exact, and the number is bounded', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const series = new BoundedSeries(5);
      const counters = new Map<string, number>();
      let counted = 0;
      let gone = 0;
      let last = new Map<string, number>();
      for (let step = 0; step < 200; step++) {
        for (let change = 0; change < 10; change++) {
          const name = `service-${random.below(20)}`;
          const added = random.below(random.chance(0.1) ? 1000 : 10);
          counters.set(name, (counters.get(name) ?? 0) + added);
          counted += added;
        }
        const removed = random.chance(0.1) ? `service-${random.below(20)}` : undefined;
        const found = new Map(
          series
            .update([...counters].map(([name, value]) => sample(name, value)))
            .map(({ labels, value }): [string, number] => [labels.service ?? '', value]),
        );
        expect(found.size).toBeLessThanOrEqual(6);
        for (const [name, value] of found) {
          expect(value).toBeGreaterThanOrEqual(last.get(name) ?? 0);
        }
        const evicted = new Map([...last].filter(([name]) => !found.has(name)));
        // Counts of an unlisted series from the time when it was listed are in no series until it is listed again.
        last = new Map([...evicted, ...found]);
        const sum = [...last.values()].reduce((all, value) => all + value, 0);
        expect(sum + gone).toBe(counted);
        if (removed !== undefined && counters.has(removed)) {
          counters.delete(removed);
          series.update([...counters].map(([name, value]) => sample(name, value)));
          gone += last.get(removed) ?? 0;
          last.delete(removed);
        }
      }
    }
  });
});
