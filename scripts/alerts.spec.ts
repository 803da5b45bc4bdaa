import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = join(ROOT, 'docs/dashboards/alerts.yaml');

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** One alert that must fire: series of an affected node, and of a node that is well. */
interface Case {
  /** Values in the notation of promtool, one for each minute. */
  readonly series: Readonly<Record<string, string>>;
  /** Labels of the alert, without those that its rule adds. */
  readonly labels: Readonly<Record<string, string>>;
  /** What `{{ $value }}` is in annotations. */
  readonly value?: string;
}

const MINUTES = 90;
const BAD = 'node-bad';
const WELL = 'node-well';
const family = { ip_family: 'IPv4' };

const CASES: Readonly<Record<string, Case>> = {
  KubeProxierDown: {
    series: {
      [`up{job="kube-proxier",instance="${BAD}"}`]: '0x90',
      [`up{job="kube-proxier",instance="${WELL}"}`]: '1x90',
    },
    labels: { job: 'kube-proxier', instance: BAD },
  },
  KubeProxierSyncStuck: {
    series: {
      [`kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{instance="${BAD}",ip_family="IPv4"}`]: '100x90',
      [`kubeproxy_sync_proxy_rules_last_timestamp_seconds{instance="${BAD}",ip_family="IPv4"}`]: '50x90',
      [`kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds{instance="${WELL}",ip_family="IPv4"}`]: '100x90',
      [`kubeproxy_sync_proxy_rules_last_timestamp_seconds{instance="${WELL}",ip_family="IPv4"}`]: '101x90',
    },
    labels: { instance: BAD, ...family },
  },
  KubeProxierSyncFailing: {
    series: {
      [`kubeproxy_sync_proxy_rules_nftables_sync_failures_total{instance="${BAD}",ip_family="IPv4"}`]: '0+1x90',
      [`kubeproxy_sync_proxy_rules_nftables_sync_failures_total{instance="${WELL}",ip_family="IPv4"}`]: '3x90',
    },
    labels: { instance: BAD, ...family },
  },
  KubeProxierSlowProgramming: {
    series: Object.fromEntries(
      [BAD, WELL].flatMap((instance) => [
        [
          `kubeproxy_network_programming_duration_seconds_bucket{instance="${instance}",le="1"}`,
          instance === BAD ? '0x90' : '0+10x90',
        ],
        [`kubeproxy_network_programming_duration_seconds_bucket{instance="${instance}",le="60"}`, '0+10x90'],
        [`kubeproxy_network_programming_duration_seconds_bucket{instance="${instance}",le="+Inf"}`, '0+10x90'],
      ]),
    ),
    labels: { instance: BAD },
    value: '59.41',
  },
  KubeProxierDriftRepairs: {
    series: {
      [`kube_proxier_drift_repairs_total{instance="${BAD}",ip_family="IPv4"}`]: '0+1x90',
      [`kube_proxier_drift_repairs_total{instance="${WELL}",ip_family="IPv4"}`]: '2x90',
    },
    labels: { instance: BAD },
  },
  KubeProxierModeFallback: {
    series: {
      [`kube_proxier_proxy_mode_info{instance="${BAD}",mode="iptables",requested="ipvs"}`]: '1x90',
      [`kube_proxier_proxy_mode_info{instance="${WELL}",mode="ipvs",requested="ipvs"}`]: '1x90',
    },
    labels: { instance: BAD, mode: 'iptables', requested: 'ipvs' },
  },
  KubeProxierProbeFailing: {
    series: {
      [`kube_proxier_probe_success{instance="${BAD}",ip_family="IPv4"}`]: '0x90',
      [`kube_proxier_probe_success{instance="${WELL}",ip_family="IPv4"}`]: '1x90',
    },
    labels: { instance: BAD, ...family },
  },
  KubeProxierMissesChanges: {
    series: Object.fromEntries(
      [BAD, WELL, 'node-2', 'node-3'].map((instance) => [
        `kube_proxier_state_digest{instance="${instance}",ip_family="IPv4"}`,
        instance === BAD ? '7x90' : '1+1x90',
      ]),
    ),
    labels: { instance: BAD, ...family },
  },
  KubeProxierPartFailing: {
    series: {
      [`kube_proxier_failures_total{instance="${BAD}",part="stale-flows"}`]: '0+1x90',
      [`kube_proxier_failures_total{instance="${WELL}",part="stale-flows"}`]: '4x90',
    },
    labels: { instance: BAD, part: 'stale-flows' },
  },
  KubeProxierUnhealthy: {
    series: {
      [`kubeproxy_proxy_livez_total{instance="${BAD}",code="503"}`]: '0+6x90',
      [`kubeproxy_proxy_livez_total{instance="${WELL}",code="200"}`]: '0+6x90',
    },
    labels: { instance: BAD },
  },
  KubeProxierVerificationDifferent: {
    series: {
      [`kube_proxier_verification_findings{instance="${BAD}",ip_family="IPv4",result="different"}`]: '2x90',
      [`kube_proxier_verification_findings{instance="${WELL}",ip_family="IPv4",result="different"}`]: '0x90',
      [`kube_proxier_verification_findings{instance="${WELL}",ip_family="IPv4",result="unknown"}`]: '5x90',
    },
    labels: { instance: BAD, ...family },
  },
  KubeProxierVerificationStale: {
    series: {
      [`kube_proxier_verification_last_timestamp_seconds{instance="${BAD}",ip_family="IPv4"}`]: '0x90',
      [`kube_proxier_verification_last_timestamp_seconds{instance="${WELL}",ip_family="IPv4"}`]: '0+60x90',
    },
    labels: { instance: BAD, ...family },
  },
};

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kube-proxier-alerts-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function promtool(...args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}${error?.message ?? ''}` };
}

/** A test file of promtool in which the alert fires for the affected node, and for no other. */
function testFile(
  { alert, labels, annotations }: Rule,
  { series, labels: own, value }: Case,
  affected: boolean,
): string {
  const name = join(directory, `${alert}-${affected}.yaml`);
  const expanded = Object.entries(annotations).map(([key, text]) => [
    key,
    text
      .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_whole, label) => own[label] ?? '')
      .replace('{{ $value }}', value ?? ''),
  ]);
  const input = Object.entries(series).filter(([metric]) => affected || !metric.includes(BAD));
  const expected = { exp_labels: { ...labels, ...own }, exp_annotations: Object.fromEntries(expanded) };
  const content = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: input.map(([metric, values]) => ({ series: metric, values })),
        alert_rule_test: [{ eval_time: `${MINUTES}m`, alertname: alert, exp_alerts: affected ? [expected] : [] }],
      },
    ],
  };
  writeFileSync(name, stringify(content));
  return name;
}

describe('alerts', () => {
  test('the rules are valid', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
  });

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s fires for the affected node only', (alert, rule) => {
    const one = CASES[alert];
    if (one === undefined) {
      throw new Error(`add a case for ${alert}`);
    }
    expect(promtool('test', 'rules', testFile(rule, one, true))).toEqual({ status: 0, output: expect.anything() });
    expect(promtool('test', 'rules', testFile(rule, one, false))).toEqual({ status: 0, output: expect.anything() });
  });

  test('each alert has a section in docs/operating.md', () => {
    const sections = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8').matchAll(/^### (KubeProxier\w+)$/gm);
    expect([...sections].map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
  });
});
