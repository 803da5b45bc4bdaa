#!/usr/bin/env node
// What it takes to learn a large cluster from an API server: npm run bench:source-kubernetes. The server runs in a
// process of its own; numbers are medians of five runs, each in a fresh process. The machine is named.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const SERVICES = 10_000;
const ENDPOINTS = 2;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SELF = fileURLToPath(import.meta.url);

const megabytes = (bytes) => bytes / 2 ** 20;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const address = (first, index) => `10.${first + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;

/** As large as real ones: an API server sends more than a proxy reads. */
function managedFields(fields) {
  return [
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-11-20T22:03:43Z',
      fieldsType: 'FieldsV1',
      fieldsV1: Object.fromEntries(fields.map((field) => [`f:${field}`, { '.': {}, 'f:kubernetes.io/name': {} }])),
    },
  ];
}

function service(index, port = 80) {
  const clusterIP = address(96, index);
  return {
    metadata: {
      name: `svc-${index}`,
      namespace: `team-${index % 50}`,
      labels: { app: `svc-${index}`, 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': `svc-${index}` },
      managedFields: managedFields(['spec', 'ports', 'selector', 'type', 'sessionAffinity', 'internalTrafficPolicy']),
    },
    spec: {
      type: 'ClusterIP',
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      selector: { app: `svc-${index}` },
      ports: [{ name: 'http', port, protocol: 'TCP', targetPort: 8080 }],
    },
    status: { loadBalancer: {} },
  };
}

function slice(index) {
  return {
    metadata: {
      name: `svc-${index}-x7k2p`,
      generateName: `svc-${index}-`,
      namespace: `team-${index % 50}`,
      labels: {
        'kubernetes.io/service-name': `svc-${index}`,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        app: `svc-${index}`,
      },
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-11-20T22:03:43Z' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: `svc-${index}`, controller: true }],
      managedFields: managedFields(['addressType', 'endpoints', 'metadata', 'ports']),
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: ENDPOINTS }, (_, offset) => ({
      addresses: [address(200, index * ENDPOINTS + offset)],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: `node${index % 100}`,
      zone: `zone-${index % 3}`,
      targetRef: { kind: 'Pod', namespace: `team-${index % 50}`, name: `svc-${index}-7d9c5b8f6d-x${offset}`, uid: 'u' },
    })),
  };
}

async function serve() {
  const { FakeApiServer, TestCertificateAuthority } = await import(
    '../packages/source-kubernetes/dist/testing/index.js'
  );
  const authority = new TestCertificateAuthority();
  const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
  const server = await FakeApiServer.start({ tls: { certificate, key } });
  for (let index = 0; index < SERVICES; index += 1) {
    server.store.put('services', service(index));
    server.store.put('endpointslices', slice(index));
  }
  server.store.put('nodes', { metadata: { name: 'node1' } });
  let port = 1000;
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    if (message === 'stop') {
      process.exit(0);
    }
    // One change; its time is reported with it.
    port += 1;
    const at = performance.timeOrigin + performance.now();
    server.store.put('services', service(message.index, port));
    process.send({ port, at });
  });
  process.send({ url: server.url, ca: authority.certificate });
}

async function client({ url, ca, interpret }) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const kubeconfig = join(directory, 'kubeconfig');
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k' } }],
      clusters: [{ name: 'k', cluster }],
    }),
  );
  const before = process.memoryUsage().rss;
  const begin = performance.now();
  const { KubernetesSource } = await import('../packages/source-kubernetes/dist/index.js');
  const core = interpret ? await import('../packages/core/dist/index.js') : undefined;
  const resolver = core
    ? new core.ProxyStateResolver({
        family: 'IPv4',
        options: { ...core.DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
        reader: new core.ObjectReader(),
        since: 0,
      })
    : undefined;
  let objects = 0;
  let unsynced = 2;
  let done = () => {};
  const synced = new Promise((resolve) => {
    done = resolve;
  });
  const oneLess = () => {
    unsynced -= 1;
    if (unsynced === 0) {
      done();
    }
  };
  let changed = () => {};
  const source = new KubernetesSource({ kubeconfig });
  let stall = 0;
  let last = performance.now();
  const ticker = setInterval(() => {
    const now = performance.now();
    stall = Math.max(stall, now - last - 1);
    last = now;
  }, 1);
  await source.start(
    {
      onServiceUpdate(previous, current) {
        objects += 1;
        resolver?.updateService(previous, current);
        changed(current);
      },
      onEndpointsUpdate(previous, current) {
        objects += 1;
        resolver?.updateEndpointSlice(previous, current);
      },
      onServicesSynced: oneLess,
      onEndpointsSynced: oneLess,
      onNodeUpdate() {},
      onServiceCIDRsUpdate() {},
    },
    { nodeName: 'node1' },
  );
  await synced;
  resolver?.applyPending();
  const wall = performance.now() - begin;
  clearInterval(ticker);
  const peak = process.resourceUsage().maxRSS * 1024;
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  const told = objects;
  const latencies = [];
  for (let round = 0; !interpret && round < 100; round += 1) {
    const arrived = new Promise((resolve) => {
      changed = (current) => resolve([performance.timeOrigin + performance.now(), current.spec.ports[0].port]);
    });
    const answer = once(process, 'message');
    process.send({ change: { index: (round * 7919) % SERVICES } });
    const [[at, port], [sent]] = await Promise.all([arrived, answer]);
    if (port === sent.port) {
      latencies.push(at - sent.at);
    }
  }
  rmSync(directory, { recursive: true });
  process.send({ wall, stall, peak, heapUsed, rss, before, objects: told, latency: median(latencies) });
  await source.stop();
  process.disconnect();
}

async function main() {
  const server = fork(SELF, ['serve']);
  const [{ url, ca }] = await once(server, 'message');
  const run = async (interpret) => {
    const child = fork(SELF, ['client', JSON.stringify({ url, ca, interpret })]);
    const relay = async ({ change }) => {
      server.send(change);
      const [answer] = await once(server, 'message');
      child.send(answer);
    };
    return new Promise((resolve) => {
      child.on('message', (message) => (message.change ? void relay(message) : resolve(message)));
    });
  };
  const rows = [];
  const report = (what, number, unit, limit) => {
    const text = `${number.toFixed(number < 10 ? 1 : 0)} ${unit}`;
    // Figures without a limit are reported to follow them over time.
    const bound =
      limit === undefined
        ? { 'at most': '', ok: 'yes' }
        : { 'at most': `${limit} ${unit}`, ok: number <= limit ? 'yes' : 'NO' };
    rows.push({ what, measured: text, ...bound });
  };
  const alone = [];
  const whole = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await run(false));
    whole.push(await run(true));
  }
  const of = (runs, field) => median(runs.map((one) => one[field]));
  if (of(alone, 'objects') !== 2 * SERVICES) {
    throw new Error(`${of(alone, 'objects')} objects came`);
  }
  report('loading the package to synced', of(alone, 'wall'), 'ms', 2000);
  report('the longest stall of the event loop', of(alone, 'stall'), 'ms', 100);
  report('heap kept, all of the process', megabytes(of(alone, 'heapUsed')), 'MB', 40);
  report('peak resident, all of the process', megabytes(of(alone, 'peak')), 'MB', 160);
  report('a change in the API to the handler, p50', of(alone, 'latency'), 'ms', 5);
  report('with core resolving: to the first full state', of(whole, 'wall'), 'ms', 2000);
  report('with core resolving: heap kept', megabytes(of(whole, 'heapUsed')), 'MB', 80);
  report('with core resolving: resident afterwards', megabytes(of(whole, 'rss')), 'MB');
  report('with core resolving: peak resident', megabytes(of(whole, 'peak')), 'MB');
  server.send('stop');
  process.stdout.write(
    `source-kubernetes, ${SERVICES} Services and as many slices of ${ENDPOINTS}, TLS, node ${process.version}, ` +
      `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB\n`,
  );
  console.table(rows);
  process.exitCode = rows.every(({ ok }) => ok === 'yes') ? 0 : 1;
}

const [role, options] = process.argv.slice(2);
if (role === 'serve') {
  await serve();
} else if (role === 'client') {
  await client(JSON.parse(options));
} else {
  await main();
}
