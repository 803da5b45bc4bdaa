import { describe, expect, test } from '@jest/globals';
import { diffStates, type ModeSelection, type ProxyState, type SyncSuccess } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects, VirtualClock } from '@kube-proxier/core/testing';
import type { ServiceConnectionsReport } from './kernel-counters.js';
import { ProxyMetrics } from './proxy-metrics.js';

/** Spec H-60; the two nfacct packet counters exist only where the kernel supports them. */
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
  'kubeproxy_sync_proxy_rules_iptables_total',
  'kubeproxy_sync_proxy_rules_iptables_last',
  'kubeproxy_sync_proxy_rules_iptables_restore_failures_total',
  'kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total',
  'kubeproxy_sync_proxy_rules_nftables_sync_failures_total',
  'kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total',
  'kubeproxy_conntrack_reconciler_sync_duration_seconds',
  'kubeproxy_conntrack_reconciler_deleted_entries_total',
  'kubeproxy_proxy_healthz_total',
  'kubeproxy_proxy_livez_total',
];

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

  test('rules are counted by table, and so are syncs that nft left objects behind in', async () => {
    const metrics = new ProxyMetrics();
    const state = resolveObjects({});
    metrics.synced(success(state, state, { report: { rules: { nat: { total: 40, written: 3 } } } }));
    const labels = { table: 'nat', ip_family: 'IPv4' };
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_total', labels)).toBe(40);
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_last', labels)).toBe(3);
    metrics.modeSelected({ mode: 'nftables', requested: 'nftables' } as ModeSelection);
    metrics.synced(success(state, state, { report: { leftovers: true } }));
    metrics.synced(success(state, state, { report: { leftovers: false } }));
    expect(await value(metrics, 'kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total')).toBe(1);
  });

  test('traffic of a proxying backend is collected at each scrape', async () => {
    const metrics = new ProxyMetrics();
    const web = { name: 'work/web', protocol: 'TCP', refused: 0, failedDials: 0, bytesToEndpoints: 10 };
    let reports = [{ ...web, active: 2, connections: 5, bytesToClients: 900 }];
    metrics.watchTraffic(() => reports);
    const labels = { service: 'work/web', protocol: 'TCP' };
    const read = (name: string) => value(metrics, `kube_proxier_userspace_${name}`, labels);
    expect([await read('active_connections'), await read('connections_total')]).toEqual([2, 5]);
    reports = [{ ...web, active: 1, connections: 6, bytesToClients: 950 }];
    expect([await read('active_connections'), await read('to_clients_bytes_total')]).toEqual([1, 950]);
    reports = [];
    expect(await read('active_connections')).toBeUndefined();
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

  test('Local policies with endpoints elsewhere only are counted, by policy; without any endpoint they are not', async () => {
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
    expect(await value(metrics, name, { traffic_policy: 'internal', ip_family: 'IPv4' })).toBe(1);
    expect(await value(metrics, name, { traffic_policy: 'external' })).toBe(1);
    const after = resolveObjects({
      services,
      slices: [makeSlice('a', [{ address: '10.0.0.1', node: 'node1' }]), makeSlice('b', ['10.0.0.2'])],
    });
    metrics.synced(success(after, before));
    expect(await value(metrics, name, { traffic_policy: 'internal' })).toBe(0);
  });

  test('failures count for the mode in force', async () => {
    const metrics = new ProxyMetrics();
    metrics.modeSelected({
      mode: 'iptables',
      requested: 'ipvs',
      defaulted: false,
      reason: 'x',
      detail: undefined,
      families: [],
      backend: {} as never,
    });
    metrics.failed({ family: 'IPv6', error: new Error('x'), full: false, duration: 1, failures: 1 });
    expect(
      await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_restore_failures_total', { ip_family: 'IPv6' }),
    ).toBe(1);
    expect(
      await value(metrics, 'kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total', { ip_family: 'IPv6' }),
    ).toBe(1);
    expect(await value(metrics, 'kube_proxier_proxy_mode_info', { mode: 'iptables', requested: 'ipvs' })).toBe(1);
    metrics.repaired({ family: 'IPv4', what: 'x' });
    expect(await value(metrics, 'kube_proxier_drift_repairs_total', { ip_family: 'IPv4' })).toBe(1);
  });

  test('packet counters are exported once the kernel has them, and absent otherwise', async () => {
    const state = resolveObjects({ services: [makeService('a')] });
    const metrics = new ProxyMetrics();
    let counted = 3;
    metrics.watchPacketCounts(async () => ({ invalidDropped: counted, localhostNodePorts: undefined }));
    const name = 'kubeproxy_iptables_ct_state_invalid_dropped_packets_total';
    expect(await metrics.registry.metrics()).not.toContain(name);
    metrics.synced(success(state));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await value(metrics, name, {})).toBe(3);
    counted = 5;
    metrics.synced(success(state));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await value(metrics, name, {})).toBe(5);
    expect(await metrics.registry.metrics()).not.toContain('localhost_nodeports_accepted');
  });

  test('a scrape does not wait for kernel counters, and reports their age', async () => {
    const clock = new VirtualClock();
    const metrics = new ProxyMetrics({ clock });
    const servicePort = { namespace: 'work', name: 'web', portName: 'http', protocol: 'TCP' } as const;
    const report: ServiceConnectionsReport = { servicePort, family: 'IPv4', connections: 4 };
    let reads = 0;
    metrics.watchConnections(() => {
      reads += 1;
      return new Promise(() => {});
    });
    for (let scrape = 0; scrape < 10; scrape++) {
      expect(await metrics.registry.metrics()).not.toContain('service_connections_total{');
      await clock.advance(30_000);
    }
    expect(reads).toBe(1);
    expect(await metrics.registry.metrics()).not.toContain('kube_proxier_kernel_counters_age_seconds{');

    const others = new ProxyMetrics({ clock });
    others.watchConnections(async () => [report]);
    await others.registry.metrics();
    await clock.advance(3000);
    const labels = { service: 'work/web:http', protocol: 'TCP', ip_family: 'IPv4' };
    expect(await value(others, 'kube_proxier_service_connections_total', labels)).toBe(4);
    expect(await value(others, 'kube_proxier_kernel_counters_age_seconds', { counters: 'connections' })).toBe(3);
  });
});
