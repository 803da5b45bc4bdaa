import { describe, expect, test } from '@jest/globals';
import {
  type BackendMeasurement,
  type BackendModule,
  diffStates,
  type MetricSample,
  type ProxyState,
  type SyncSuccess,
} from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, until, VirtualClock } from '@kube-proxier/core/testing';
import { IPTABLES_SYNC_METRICS } from '@kube-proxier/linux';
import { ProxyMetrics } from './proxy-metrics.js';

/** Of every mode (spec H-60). Those of one mode are its backend's. */
const NAMES = [
  'kubeproxy_sync_proxy_rules_duration_seconds',
  'kubeproxy_sync_full_proxy_rules_duration_seconds',
  'kubeproxy_sync_partial_proxy_rules_duration_seconds',
  'kubeproxy_sync_proxy_rules_last_timestamp_seconds',
  'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds',
  'kubeproxy_network_programming_duration_seconds',
  'kubeproxy_sync_proxy_rules_endpoint_changes_pending',
  'kubeproxy_sync_proxy_rules_endpoint_changes_total',
  'kubeproxy_sync_proxy_rules_service_changes_pending',
  'kubeproxy_sync_proxy_rules_service_changes_total',
  'kubeproxy_sync_proxy_rules_no_local_endpoints_total',
  'kubeproxy_conntrack_reconciler_sync_duration_seconds',
  'kubeproxy_conntrack_reconciler_deleted_entries_total',
  'kubeproxy_proxy_healthz_total',
  'kubeproxy_proxy_livez_total',
];

/** The context of a mode in force. */
const selection = (backend: Pick<BackendModule, 'metrics' | 'syncMetrics'>) => ({
  mode: 'acme',
  requested: 'ipvs',
  backend: { mode: 'acme', ...backend } as BackendModule,
});

const counter = (name: string, ...labels: readonly string[]) => ({ type: 'counter', name, help: 'x', labels }) as const;

const kernelMeasurement = (name: string, read: () => Promise<readonly MetricSample[]>): BackendMeasurement => ({
  name,
  source: 'kernel',
  metrics: [counter('hits_total', 'service'), counter('misses_total')],
  read,
});

const success = (state: ProxyState, previous?: ProxyState, rest: Partial<SyncSuccess> = {}): SyncSuccess => ({
  family: state.family,
  state,
  changes: diffStates(previous, state),
  full: previous === undefined,
  duration: 20,
  triggerTimes: [],
  ...rest,
});

async function value(
  metrics: ProxyMetrics,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const { values } = (await metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.find((one) => Object.entries(labels).every(([key, text]) => String(one.labels[key as never]) === text))
    ?.value;
}

describe('ProxyMetrics (spec H-60)', () => {
  test('has the names of kube-proxy', async () => {
    const text = await new ProxyMetrics().registry.metrics();
    expect(NAMES.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    expect(text).toContain('# TYPE process_cpu_seconds_total counter');
  });

  test('sync durations use the buckets of kube-proxy, separately for full and partial syncs', async () => {
    const clock = new VirtualClock(100_000);
    const metrics = new ProxyMetrics({ clock });
    const state = resolveObjects({});
    metrics.queued('IPv4');
    metrics.synced(success(state));
    metrics.synced(success(state, state, { triggerTimes: [99_000] }));
    const text = await metrics.registry.metrics();
    expect(text).toContain('kubeproxy_sync_proxy_rules_duration_seconds_bucket{le="16.384",ip_family="IPv4"} 2');
    expect(text).toContain('kubeproxy_sync_proxy_rules_duration_seconds_bucket{le="0.016",ip_family="IPv4"} 0');
    expect(text).toContain('kubeproxy_sync_full_proxy_rules_duration_seconds_count{ip_family="IPv4"} 1');
    expect(text).toContain('kubeproxy_sync_partial_proxy_rules_duration_seconds_count{ip_family="IPv4"} 1');
    expect(text).toContain('kubeproxy_network_programming_duration_seconds_bucket{le="1",ip_family="IPv4"} 1');
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_last_timestamp_seconds')).toBe(100);
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds')).toBe(100);
  });

  test('rules, and syncs that left objects behind, are counted by table', async () => {
    const metrics = new ProxyMetrics();
    const leftovers = counter('leftovers_total', 'ip_family');
    metrics.modeSelected(selection({ syncMetrics: { ...IPTABLES_SYNC_METRICS, leftovers } }));
    const state = resolveObjects({});
    const report = { rules: { nat: { total: 40, written: 3 } }, leftovers: true };
    metrics.synced(success(state, state, { report }));
    metrics.synced(success(state, state, { report: { ...report, leftovers: false } }));
    const labels = { table: 'nat', ip_family: 'IPv4' };
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_total', labels)).toBe(40);
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_last', labels)).toBe(3);
    expect(await value(metrics, 'leftovers_total', { ip_family: 'IPv4' })).toBe(1);
  });

  test('metrics of another mode do not appear', async () => {
    const metrics = new ProxyMetrics();
    metrics.modeSelected(selection({}));
    const state = resolveObjects({});
    metrics.synced(success(state, state, { report: { leftovers: true } }));
    metrics.failed({ family: 'IPv4', error: new Error('x'), full: true, duration: 1, failures: 1 });
    expect(await metrics.registry.metrics()).not.toMatch(/iptables|nftables/);
  });

  test('values of the process are read once for each scrape', async () => {
    const metrics = new ProxyMetrics();
    const open = { type: 'gauge', name: 'open', help: 'x', labels: ['service'] } as const;
    const total = counter('opened_total', 'service');
    let reads = 0;
    let samples: readonly MetricSample[] = [
      { metric: 'open', labels: { service: 'work/web' }, value: 2 },
      { metric: 'opened_total', labels: { service: 'work/web' }, value: 5 },
    ];
    metrics.modeSelected(
      selection({
        metrics: [
          {
            name: 'traffic',
            source: 'process',
            metrics: [open, total],
            read: () => {
              reads += 1;
              return samples;
            },
          },
        ],
      }),
    );
    await metrics.registry.metrics();
    await metrics.registry.metrics();
    expect(reads).toBe(2);
    const read = (name: string) => value(metrics, name, { service: 'work/web' });
    expect([await read('open'), await read('opened_total')]).toEqual([2, 5]);
    samples = [{ metric: 'open', labels: { service: 'work/web' }, value: 1 }];
    expect([await read('open'), await read('opened_total')]).toEqual([1, undefined]);
  });

  test('stale flows are counted by reason', async () => {
    const metrics = new ProxyMetrics();
    const deleted = new Map([['endpoint-gone', 2] as const, ['frontend-gone', 1] as const]);
    metrics.conntrackCleaned({ family: 'IPv4', duration: 5, deleted });
    expect(await value(metrics, 'kubeproxy_conntrack_reconciler_deleted_entries_total')).toBe(3);
    const name = 'kube_proxier_stale_flows_deleted_total';
    expect(await value(metrics, name, { reason: 'endpoint-gone' })).toBe(2);
    expect(await value(metrics, name, { reason: 'frontend-gone' })).toBe(1);
  });

  test('changes are pending until a sync has applied them', async () => {
    const metrics = new ProxyMetrics();
    metrics.serviceEvent();
    metrics.endpointsEvent();
    metrics.endpointsEvent();
    const pending = 'kubeproxy_sync_proxy_rules_endpoint_changes_pending';
    expect(await value(metrics, pending)).toBe(2);
    metrics.synced(success(resolveObjects({})));
    expect(await value(metrics, pending)).toBe(0);
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_endpoint_changes_total')).toBe(2);
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_service_changes_total')).toBe(1);
  });

  test('an event that requests no sync is not pending, and a sync of one family does not complete the other', async () => {
    const metrics = new ProxyMetrics();
    const pending = () => value(metrics, 'kubeproxy_sync_proxy_rules_service_changes_pending');
    const state = resolveObjects({});
    metrics.queued('IPv4');
    metrics.synced(success(state));
    // An annotation was changed.
    metrics.serviceEvent();
    expect(await pending()).toBe(0);
    for (const family of ['IPv4', 'IPv6'] as const) {
      metrics.queued(family);
    }
    metrics.serviceEvent();
    expect(await pending()).toBe(1);
    metrics.synced(success(state));
    expect(await pending()).toBe(1);
    metrics.synced({ ...success(state), family: 'IPv6' });
    expect(await pending()).toBe(0);
  });

  test('Local policies with remote endpoints only are counted by policy; those without endpoints are not', async () => {
    const metrics = new ProxyMetrics();
    const services = [
      makeService('a', { clusterIP: '10.96.0.1', internalTrafficPolicy: 'Local' }),
      makeService('b', {
        clusterIP: '10.96.0.2',
        type: 'NodePort',
        externalTrafficPolicy: 'Local',
        ports: [{ port: 80, nodePort: 30080 }],
      }),
      makeService('c', { clusterIP: '10.96.0.3', internalTrafficPolicy: 'Local' }),
    ];
    const before = resolveObjects({ services, slices: [makeSlice('a', ['10.0.0.1']), makeSlice('b', ['10.0.0.2'])] });
    metrics.synced(success(before));
    const name = 'kubeproxy_sync_proxy_rules_no_local_endpoints_total';
    // States are counted in slices, so on a busy machine after a moment.
    const reaches = async (labels: Record<string, string>, expected: number) =>
      until(async () => (await value(metrics, name, labels)) === expected, `${expected} ${JSON.stringify(labels)}`);
    await reaches({ traffic_policy: 'internal', ip_family: 'IPv4' }, 1);
    await reaches({ traffic_policy: 'external' }, 1);
    const after = resolveObjects({
      services,
      slices: [makeSlice('a', [{ address: '10.0.0.1', node: 'node1' }]), makeSlice('b', ['10.0.0.2'])],
    });
    metrics.synced(success(after, before));
    await reaches({ traffic_policy: 'internal' }, 0);
  });

  test('failures count for the mode in force', async () => {
    const metrics = new ProxyMetrics();
    metrics.modeSelected(selection({ syncMetrics: IPTABLES_SYNC_METRICS }));
    metrics.failed({ family: 'IPv6', error: new Error('x'), full: false, duration: 1, failures: 1 });
    expect(
      await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_restore_failures_total', { ip_family: 'IPv6' }),
    ).toBe(1);
    expect(
      await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total', { ip_family: 'IPv6' }),
    ).toBe(1);
    expect(await value(metrics, 'kube_proxier_proxy_mode_info', { mode: 'acme', requested: 'ipvs' })).toBe(1);
    metrics.repaired({ family: 'IPv4', what: 'x' });
    expect(await value(metrics, 'kube_proxier_drift_repairs_total', { ip_family: 'IPv4' })).toBe(1);
  });

  test('counters of the kernel are exported once the kernel has them, and absent otherwise', async () => {
    const state = resolveObjects({ services: [makeService('a')] });
    const metrics = new ProxyMetrics();
    let hits = 3;
    const read = async () => [{ metric: 'hits_total', labels: { service: 'a' }, value: hits }];
    metrics.modeSelected(selection({ metrics: [kernelMeasurement('packets', read)] }));
    metrics.synced(success(state));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await value(metrics, 'hits_total', { service: 'a' })).toBe(3);
    hits = 5;
    metrics.synced(success(state));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await value(metrics, 'hits_total', { service: 'a' })).toBe(5);
    expect(await metrics.registry.metrics()).not.toContain('misses_total');
  });

  test('a scrape does not wait for counters of the kernel, and reports their age', async () => {
    const clock = new VirtualClock();
    const metrics = new ProxyMetrics({ clock });
    let reads = 0;
    const hang = () => {
      reads += 1;
      return new Promise<never>(() => {});
    };
    metrics.modeSelected(selection({ metrics: [kernelMeasurement('connections', hang)] }));
    for (let scrape = 0; scrape < 10; scrape++) {
      expect(await metrics.registry.metrics()).not.toContain('hits_total{');
      await clock.advance(30_000);
    }
    expect(reads).toBe(1);
    expect(await metrics.registry.metrics()).not.toContain('kube_proxier_kernel_counters_age_seconds{');

    const others = new ProxyMetrics({ clock });
    const read = async () => [{ metric: 'hits_total', labels: { service: 'work/web:http' }, value: 4 }];
    others.modeSelected(selection({ metrics: [kernelMeasurement('connections', read)] }));
    await others.registry.metrics();
    await clock.advance(3000);
    expect(await value(others, 'hits_total', { service: 'work/web:http' })).toBe(4);
    expect(await value(others, 'kube_proxier_kernel_counters_age_seconds', { counters: 'connections' })).toBe(3);
  });

  test('a failed read keeps the last values, and their age grows', async () => {
    const clock = new VirtualClock();
    const metrics = new ProxyMetrics({ clock });
    let fails = false;
    const read = async () => {
      if (fails) {
        throw new Error('the kernel does not answer');
      }
      return [{ metric: 'hits_total', labels: { service: 'a' }, value: 4 }];
    };
    metrics.modeSelected(selection({ metrics: [kernelMeasurement('packets', read)] }));
    await metrics.registry.metrics();
    await clock.advance(1000);
    fails = true;
    for (let scrape = 0; scrape < 4; scrape++) {
      await metrics.registry.metrics();
      await clock.advance(30_000);
    }
    expect(await value(metrics, 'hits_total', { service: 'a' })).toBe(4);
    const age = await value(metrics, 'kube_proxier_kernel_counters_age_seconds', { counters: 'packets' });
    expect(age).toBeGreaterThan(100);
  });

  test('counts of service ports and endpoints come from the metrics that count them, of the process and of the kernel', async () => {
    const metrics = new ProxyMetrics({ clock: new VirtualClock() });
    expect(metrics.counts()).toBeUndefined();
    const counted = { ...counter('connections_total', 'service', 'protocol'), counts: 'connections' } as const;
    const sample = (family: 'IPv4' | 'IPv6', amount: number): MetricSample => ({
      ...{ metric: 'connections_total', labels: { service: 'work/web', protocol: 'TCP' }, value: amount },
      family,
    });
    const hits: MetricSample = { metric: 'hits_total', labels: { service: 'work/web', protocol: 'TCP' }, value: 99 };
    const bytes = {
      ...counter('bytes_total', 'service', 'protocol', 'endpoint', 'direction'),
      counts: 'bytes',
    } as const;
    const sent = (direction: string, amount: number): MetricSample => ({
      ...{ metric: 'bytes_total', value: amount, family: 'IPv6' },
      labels: { service: 'work/web', protocol: 'TCP', endpoint: '[fd00::1]:80', direction },
    });
    const kernel = {
      ...kernelMeasurement('hits', async () => [
        ...[sample('IPv6', 3), hits],
        ...[sent('to-endpoints', 40), sent('to-clients', 5)],
      ]),
      metrics: [counted, bytes, counter('hits_total')],
    };
    metrics.modeSelected(
      selection({
        metrics: [{ name: 'sockets', source: 'process', metrics: [counted], read: () => [sample('IPv4', 2)] }, kernel],
      }),
    );
    const name = { namespace: 'work', name: 'web', portName: '', protocol: 'TCP' } as const;
    // The first request triggers a read of the kernel, without waiting for it.
    expect([metrics.counts()?.of(name, 'IPv4'), metrics.counts()?.of(name, 'IPv6')]).toEqual([{ connections: 2 }, {}]);
    await until(() => metrics.counts()?.of(name, 'IPv6').connections === 3, 'the kernel was read');
    expect(metrics.counts()?.of(name, 'IPv6')).toEqual({ connections: 3 });
    expect(metrics.counts()?.of(name, 'IPv6', '[fd00::1]:80')).toEqual({ bytes: { toEndpoints: 40, toClients: 5 } });
    expect(metrics.counts()?.of({ ...name, protocol: 'UDP' }, 'IPv4')).toEqual({});
  });
});
