import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { BackendMetric } from '@kube-proxier/core';
import { iptablesBackend } from '@kube-proxier/iptables';
import { ipvsBackend } from '@kube-proxier/ipvs';
import { nftablesBackend } from '@kube-proxier/nftables';
import { KERNEL_COUNTERS_AGE, ProxyMetrics } from '@kube-proxier/server';
import { userspaceBackend } from '@kube-proxier/userspace';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';

const DASHBOARDS = fileURLToPath(new URL('../docs/dashboards', import.meta.url));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const dashboard = JSON.parse(readFileSync(`${DASHBOARDS}/kube-proxier.json`, 'utf8')) as Dashboard;
const { groups } = parse(readFileSync(`${DASHBOARDS}/alerts.yaml`, 'utf8')) as {
  groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};

/** What Prometheus adds to every series, and on its own. */
const OF_PROMETHEUS = { labels: ['job', 'instance'], metrics: ['up'] };

/** Labels of every series that is exported, by its name. */
const exported = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  const metrics = new ProxyMetrics();
  for (const { metrics: measurements = [], syncMetrics = {} } of [
    iptablesBackend,
    nftablesBackend,
    ipvsBackend,
    userspaceBackend,
  ]) {
    const own: readonly BackendMetric[] = [
      ...measurements.flatMap((measurement) => measurement.metrics),
      ...Object.values(syncMetrics),
    ];
    for (const { name, labels } of [...own, KERNEL_COUNTERS_AGE]) {
      exported.set(name, new Set([...labels, ...OF_PROMETHEUS.labels]));
    }
  }
  for (const metric of metrics.registry.getMetricsAsArray()) {
    // prom-client keeps them, and does not say so.
    const { labelNames } = metric as unknown as { readonly labelNames: readonly string[] };
    const { type } = await metrics.registry.getSingleMetric(metric.name)!.get();
    const labels = new Set([...labelNames, ...OF_PROMETHEUS.labels]);
    if (String(type) === 'histogram') {
      exported.set(`${metric.name}_bucket`, new Set([...labels, 'le']));
      exported.set(`${metric.name}_sum`, labels).set(`${metric.name}_count`, labels);
    } else {
      exported.set(metric.name, labels);
    }
  }
  for (const name of OF_PROMETHEUS.metrics) {
    exported.set(name, new Set(OF_PROMETHEUS.labels));
  }
});

/** What is wrong with a query: it cannot be parsed, or it names a metric that is not exported. */
function problems(query: string): readonly string[] {
  // Grafana puts these in before Prometheus sees them.
  const text = query.replaceAll('$__rate_interval', '5m');
  const found: string[] = [];
  const metrics: string[] = [];
  const labels: string[] = [];
  const produced: string[] = [];
  parser.parse(text).iterate({
    enter: ({ name, from, to, node, type }) => {
      const word = text.slice(from, to);
      if (type.isError) {
        found.push(`cannot be parsed at ${from}: ${text.slice(from, from + 20)}`);
      } else if (name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        metrics.push(word);
      } else if (name === 'LabelName') {
        labels.push(word);
      } else if (name === 'FunctionCall' && word.startsWith('label_replace')) {
        produced.push(/,\s*"(\w+)"/.exec(word)?.[1] ?? '');
      }
    },
  });
  const known = new Set([...metrics.flatMap((metric) => [...(exported.get(metric) ?? [])]), ...produced]);
  return [
    ...found,
    ...metrics.filter((metric) => !exported.has(metric)).map((metric) => `${metric} is not exported`),
    ...labels.filter((label) => !known.has(label)).map((label) => `none of its metrics has the label ${label}`),
    ...(metrics.length === 0 ? ['queries no metric'] : []),
  ];
}

describe('a query', () => {
  test.each([
    ['rate(kubeproxy_no_such_total[5m])', ['kubeproxy_no_such_total is not exported']],
    ['sum by (table) (kube_proxier_service_ports)', ['none of its metrics has the label table']],
    ['kubeproxy_sync_proxy_rules_duration_seconds', ['kubeproxy_sync_proxy_rules_duration_seconds is not exported']],
    ['sum(kube_proxier_service_ports', ['cannot be parsed at 30: ']],
  ])('%s is wrong', (query, expected) => {
    expect(problems(query)).toEqual(expected);
  });
});

describe('docs/dashboards', () => {
  test('every panel queries exported metrics', () => {
    const asked = dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, problems: problems(expr) })),
    );
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((one) => one.problems.length > 0)).toEqual([]);
  });

  test('legends name labels that there are', () => {
    const all = new Set([...exported.values()].flatMap((labels) => [...labels]));
    const named = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ legendFormat }) => [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label)),
    );
    expect(named.filter((label) => !all.has(label ?? ''))).toEqual([]);
  });

  test('variables are there before they are used, and panels do not overlap', () => {
    const names = dashboard.templating.list.map(({ name }) => name);
    const used = JSON.stringify(dashboard).match(/\$\{?(?:datasource|job|instance)\b/g) ?? [];
    expect([...new Set(used.map((one) => one.replace(/\W/g, '')))].sort()).toEqual([...names].sort());
    for (const { definition } of dashboard.templating.list) {
      const query = /^label_values\((.*), \w+\)$/.exec(definition ?? '')?.[1];
      expect(query === undefined ? [] : problems(query)).toEqual([]);
    }
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const overlapping = panels.flatMap(({ id, gridPos: a }) =>
      panels
        .filter(
          ({ id: other, gridPos: b }) =>
            other > id && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
        )
        .map(({ id: other }) => `${id} and ${other}`),
    );
    expect(overlapping).toEqual([]);
  });

  test('every alert queries exported metrics, and says what it means', () => {
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    expect(rules.map(({ alert, expr }) => ({ alert, problems: problems(expr) }))).toEqual(
      rules.map(({ alert }) => ({ alert, problems: [] })),
    );
    for (const { labels, annotations } of rules) {
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
    }
  });
});
