#!/usr/bin/env node
// The cost of reading a large cluster from an API server: npm run bench:source-kubernetes. The server runs in a
// separate process; numbers are medians of five runs, each in a fresh process. The machine is named.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiService, apiSlice } from './lib/api-objects.mjs';
import { sendToParent, writeKubeconfig } from './lib/child-processes.mjs';
import { toMegabytes, usedHeap } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/**
 * @typedef {object} Change one that the server is to make
 * @property {number} index of the Service
 *
 * @typedef {object} Changed the change as it was made
 * @property {number} port
 * @property {number} at when, in milliseconds of the epoch
 *
 * @typedef {object} Task of a client
 * @property {string} url
 * @property {string} ca
 * @property {boolean} interpret whether core resolves what comes
 *
 * @typedef {object} Measured by a client
 * @property {number} wall milliseconds
 * @property {number} stall milliseconds
 * @property {number} peak bytes
 * @property {number} heapUsed bytes
 * @property {number} rss bytes
 * @property {number} objects
 * @property {number} latency milliseconds
 */

const SERVICES = 10_000;
const ENDPOINTS = 2;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Encoding of requested objects: with `ENCODING=json`, JSON. */
const ENCODING = process.env.ENCODING === 'json' ? 'json' : 'auto';
const SELF = fileURLToPath(import.meta.url);

async function serve() {
  const { FakeApiServer, TestCertificateAuthority } = await import(
    '../packages/source-kubernetes/dist/testing/index.js'
  );
  const authority = new TestCertificateAuthority();
  const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
  const server = await FakeApiServer.start({ tls: { certificate, key } });
  for (let index = 0; index < SERVICES; index += 1) {
    server.store.put('services', apiService(index));
    server.store.put('endpointslices', apiSlice(index, ENDPOINTS));
  }
  server.store.put('nodes', { metadata: { name: 'node1' } });
  server.encodeAll();
  let port = 1000;
  process.on('disconnect', () => process.exit(0));
  process.on('message', (/** @type {Change | 'stop'} */ message) => {
    if (message === 'stop') {
      process.exit(0);
    }
    // One change; its time is reported with it.
    port += 1;
    const at = performance.timeOrigin + performance.now();
    server.store.put('services', apiService(message.index, port));
    sendToParent({ port, at });
  });
  sendToParent({ url: server.url, ca: authority.certificate });
}

/** @param {Task} task */
async function client({ url, ca, interpret }) {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const kubeconfig = writeKubeconfig(directory, { url, ca });
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
    done = () => resolve(undefined);
  });
  const oneLess = () => {
    unsynced -= 1;
    if (unsynced === 0) {
      done();
    }
  };
  /** @type {(port: number) => void} */
  let changed = () => {};
  const source = new KubernetesSource({ kubeconfig, encoding: ENCODING });
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
        changed(current?.spec?.ports?.[0]?.port ?? 0);
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
  const heapUsed = usedHeap();
  const { rss } = process.memoryUsage();
  const received = objects;
  const latencies = [];
  for (let round = 0; !interpret && round < 100; round += 1) {
    /** @type {Promise<Changed>} */
    const arrived = new Promise((resolve) => {
      changed = (port) => resolve({ port, at: performance.timeOrigin + performance.now() });
    });
    const answer = once(process, 'message');
    sendToParent({ index: (round * 7919) % SERVICES });
    const [{ port, at }, [sent]] = await Promise.all([arrived, /** @type {Promise<[Changed]>} */ (answer)]);
    if (port === sent.port) {
      latencies.push(at - sent.at);
    }
  }
  rmSync(directory, { recursive: true });
  sendToParent({ wall, stall, peak, heapUsed, rss, objects: received, latency: median(latencies) });
  await source.stop();
  process.disconnect();
}

async function main() {
  const server = fork(SELF, ['serve']);
  const [{ url, ca }] = /** @type {[{url: string, ca: string}]} */ (await once(server, 'message'));
  /**
   * @param {boolean} interpret
   * @returns {Promise<Measured>}
   */
  const run = async (interpret) => {
    const child = fork(SELF, ['client', JSON.stringify({ url, ca, interpret })]);
    for (;;) {
      const [message] = /** @type {[Change | Measured]} */ (await once(child, 'message'));
      if ('wall' in message) {
        return message;
      }
      server.send(message);
      const [answer] = await once(server, 'message');
      child.send(answer);
    }
  };
  const alone = [];
  const whole = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    alone.push(await run(false));
    whole.push(await run(true));
  }
  /**
   * @param {readonly Measured[]} runs
   * @param {keyof Measured} field
   */
  const of = (runs, field) => median(runs.map((one) => one[field]));
  if (of(alone, 'objects') !== 2 * SERVICES) {
    throw new Error(`${of(alone, 'objects')} objects came`);
  }
  const report = new Report(
    'source-kubernetes',
    `${SERVICES} Services and as many slices of ${ENDPOINTS}, TLS, encoding ${ENCODING}`,
  );
  report.add('loading the package to synced', of(alone, 'wall'), 'ms', { atMost: 2000 });
  report.add('the longest stall of the event loop', of(alone, 'stall'), 'ms', { atMost: 100 });
  report.add('heap kept, all of the process', toMegabytes(of(alone, 'heapUsed')), 'MB', { atMost: 40 });
  report.add('peak resident, all of the process', toMegabytes(of(alone, 'peak')), 'MB', { atMost: 160 });
  report.add('a change in the API to the handler, p50', of(alone, 'latency'), 'ms', { atMost: 5 });
  report.add('with core resolving: to the first full state', of(whole, 'wall'), 'ms', { atMost: 2000 });
  report.add('with core resolving: heap kept', toMegabytes(of(whole, 'heapUsed')), 'MB', { atMost: 80 });
  report.add('with core resolving: resident afterwards', toMegabytes(of(whole, 'rss')), 'MB');
  report.add('with core resolving: peak resident', toMegabytes(of(whole, 'peak')), 'MB');
  server.send('stop');
  report.finish();
}

const [role, options = ''] = process.argv.slice(2);
if (role === 'serve') {
  await serve();
} else if (role === 'client') {
  await client(/** @type {Task} */ (JSON.parse(options)));
} else {
  await main();
}
