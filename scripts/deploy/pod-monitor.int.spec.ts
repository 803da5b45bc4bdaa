import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { ProxyMetrics, ScrapeServer } from '@kube-proxier/server';
import { MetricsAccessReviewer } from '@kube-proxier/source-kubernetes';
import { FakeApiServer } from '@kube-proxier/source-kubernetes/testing';
import { parse, stringify } from 'yaml';
import { renderChart } from './render-chart.mjs';

interface PodMonitor {
  readonly spec: {
    readonly jobLabel: string;
    readonly podMetricsEndpoints: readonly [
      {
        readonly path: string;
        readonly scheme: string;
        readonly tlsConfig: { readonly insecureSkipVerify: boolean };
        readonly relabelings: readonly Readonly<Record<string, unknown>>[];
      },
    ];
  };
}

interface Targets {
  readonly data: {
    readonly activeTargets: readonly {
      /** Name of the job in the configuration. */
      readonly scrapePool: string;
      readonly scrapeUrl: string;
      readonly health: 'up' | 'down' | 'unknown';
      readonly lastError: string;
      readonly labels: Readonly<Record<string, string>>;
    }[];
    readonly droppedTargets: readonly unknown[];
  };
}

/** What Prometheus discovers of a pod without declared ports: one target for each container. */
const CONTAINERS = ['set-up-host', 'kube-proxier'].map((container) => ({
  targets: ['127.0.0.1'],
  labels: {
    __meta_kubernetes_pod_ip: '127.0.0.1',
    __meta_kubernetes_pod_name: 'kube-proxier-x7x2p',
    __meta_kubernetes_pod_container_name: container,
    __meta_kubernetes_pod_node_name: 'worker-1',
    __meta_kubernetes_pod_label_app_kubernetes_io_name: 'kube-proxier',
  },
}));

const NO_TARGETS: Targets['data'] = { activeTargets: [], droppedTargets: [] };

let directory: string;
let api: FakeApiServer;
let server: ScrapeServer;
let prometheus: ChildProcess;
let url: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kube-proxier-scrape-'));
  api = await FakeApiServer.start();
  api.users.set('reader-token', { username: 'system:serviceaccount:kube-system:kube-proxier-metrics-reader' });
  api.permissions.set('system:serviceaccount:kube-system:kube-proxier-metrics-reader', new Set(['get /metrics']));
  const metrics = new ProxyMetrics();
  server = new ScrapeServer({
    ...{ host: '127.0.0.1', port: 0, metrics: metrics.registry, hostName: 'worker-1' },
    access: new MetricsAccessReviewer({ master: api.url }),
  });
  await server.start();
});

afterEach(async () => {
  prometheus.kill('SIGKILL');
  await once(prometheus, 'exit');
  await server.stop();
  await api.stop();
  rmSync(directory, { recursive: true });
});

/** Starts a Prometheus, configured as its operator does it for the PodMonitor of the chart, with each of these tokens. */
async function startPrometheus(...tokens: readonly string[]): Promise<void> {
  const rendered = renderChart({
    apiServer: { host: 'a' },
    config: { clusterCIDR: '10.244.0.0/16' },
    metrics: { enabled: true, port: server.address?.port ?? 0 },
    podMonitor: { enabled: true, interval: '1s' },
  });
  const { spec } = parse(rendered.get('pod-monitor.yaml') ?? '') as PodMonitor;
  const [{ path, scheme, tlsConfig, relabelings }] = spec.podMetricsEndpoints;
  const label = `__meta_kubernetes_pod_label_${spec.jobLabel.replace(/\W/g, '_')}`;
  const own = [
    { source_labels: ['__meta_kubernetes_pod_container_name'], target_label: 'container' },
    { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' },
    { source_labels: [label], regex: '(.+)', target_label: 'job' },
  ];
  const renamed = relabelings.map((relabeling) =>
    Object.fromEntries(Object.entries(relabeling).map(([name, value]) => [snakeCase(name), value])),
  );
  const scrapes = tokens.map((token) => ({
    job_name: token,
    scrape_interval: '1s',
    scrape_timeout: '1s',
    metrics_path: path,
    scheme,
    tls_config: { insecure_skip_verify: tlsConfig.insecureSkipVerify },
    authorization: { credentials: token },
    file_sd_configs: [{ files: [join(directory, 'targets.json')] }],
    relabel_configs: [...own, ...renamed],
  }));
  writeFileSync(join(directory, 'targets.json'), JSON.stringify(CONTAINERS));
  writeFileSync(join(directory, 'prometheus.yml'), stringify({ scrape_configs: scrapes }));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  prometheus = spawn(
    'prometheus',
    [
      ...[`--config.file=${join(directory, 'prometheus.yml')}`, `--storage.tsdb.path=${join(directory, 'data')}`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'],
    ],
    { stdio: 'ignore' },
  );
}

async function targets(token: string): Promise<Targets['data']> {
  const answer = await fetch(`${url}/api/v1/targets`).catch(() => undefined);
  const { activeTargets, droppedTargets } = answer?.ok ? ((await answer.json()) as Targets).data : NO_TARGETS;
  return { activeTargets: activeTargets.filter(({ scrapePool }) => scrapePool === token), droppedTargets };
}

describe('the PodMonitor of the chart, as a real Prometheus takes it', () => {
  test('finds the agent of a node, once, and scrapes it with the token that has permission only', async () => {
    await startPrometheus('reader-token', 'another-token');
    await until(async () => (await targets('reader-token')).activeTargets[0]?.health === 'up');
    const { activeTargets, droppedTargets } = await targets('reader-token');
    expect(activeTargets).toHaveLength(1);
    // The init container, of each job.
    expect(droppedTargets).toHaveLength(2);
    expect(activeTargets[0]?.scrapeUrl).toBe(`https://127.0.0.1:${server.address?.port}/metrics`);
    // The alerts select job kube-proxier, and name the node as the instance.
    expect(activeTargets[0]?.labels).toEqual({ job: 'kube-proxier', instance: 'worker-1' });

    await until(async () => (await targets('another-token')).activeTargets[0]?.health === 'down');
    expect((await targets('another-token')).activeTargets[0]?.lastError).toMatch(/401/);
  });
});

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function freePort(): Promise<number> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  await new Promise((resolve) => holder.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
