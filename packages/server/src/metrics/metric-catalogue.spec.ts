import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { METRIC_CATALOGUE } from './metric-catalogue.js';
import { registerMetric, registerMetrics } from './register-metrics.js';

describe('the catalogue of metrics', () => {
  test('has each name once', () => {
    const names = METRIC_CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(METRIC_CATALOGUE.map((metric) => [metric.name, metric] as const))(
    '%s follows the conventions',
    (_, metric) => {
      const { type, name, help, labels, buckets } = metric;
      expect(name).toMatch(/^(kubeproxy|kube_proxier)_[a-z_]+$/);
      expect(type !== 'counter' || name.endsWith('_total')).toBe(true);
      expect(type === 'histogram').toBe(buckets !== undefined);
      expect([...(buckets ?? [])]).toEqual([...(buckets ?? [])].sort((a, b) => a - b));
      expect(help).toMatch(/^[A-Za-z1].*[^.]$/);
      expect(labels.every((label) => /^[a-z_]+$/.test(label))).toBe(true);
    },
  );
});

describe('registerMetric', () => {
  test('creates the described metric', async () => {
    const registry = new Registry();
    const { hits, level, seconds } = registerMetrics(registry, {
      hits: { type: 'counter', name: 'hits_total', help: 'Hits', labels: ['code'] },
      level: { type: 'gauge', name: 'level', help: 'Level', labels: [] },
      seconds: { type: 'histogram', name: 'seconds', help: 'Seconds', labels: [], buckets: [1, 2] },
    });
    hits.inc({ code: '200' }, 3);
    level.set(7);
    seconds.observe(1.5);
    const text = await registry.metrics();
    expect(text).toContain('# HELP hits_total Hits\n# TYPE hits_total counter\nhits_total{code="200"} 3');
    expect(text).toContain('level 7');
    expect(text).toContain('seconds_bucket{le="1"} 0\nseconds_bucket{le="2"} 1');
  });

  test('collects at each scrape', async () => {
    const registry = new Registry();
    let scrapes = 0;
    registerMetric(registry, { type: 'gauge', name: 'scrapes', help: 'Scrapes', labels: [] }, (metric) => {
      scrapes += 1;
      metric.set(scrapes);
    });
    await registry.metrics();
    expect(await registry.metrics()).toContain('scrapes 2');
  });
});
