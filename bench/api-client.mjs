#!/usr/bin/env node
// The load of a node on an API server at a start, a restart, and after expired watches: npm run bench:api-client. Bytes
// on the wire, requests by what answers them, and the CPU time of both sides. Beside it an informer that lists the same
// as JSON, and what kube-proxy 1.36 receives: watches with initial events, in protobuf, whose size is that of the
// encoded objects. The server is FakeApiServer, in a separate process; numbers are medians of five rounds, each in a
// fresh process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { apiService, apiSlice } from './lib/api-objects.mjs';
import { sendToParent } from './lib/child-processes.mjs';
import { toMegabytes, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/**
 * @typedef {'lists' | 'json' | 'watches' | 'informer'} Client the default; with `encoding: 'json'`; with `watchList: 'all'`; lists as JSON, not compressed
 *
 * @typedef {object} Counters of the server
 * @property {number} bytes that it sent
 * @property {number} cached lists that its watch cache answered
 * @property {number} etcd lists that read etcd
 * @property {number} watches
 * @property {number} cpu milliseconds
 *
 * @typedef {object} Phase of a client
 * @property {number} wall milliseconds
 * @property {number} cpu milliseconds
 * @property {number} stall the longest time that this process held its event loop, in milliseconds
 *
 * @typedef {Phase & {server: Counters}} Measured
 */

const SERVICES = Number(process.env.SERVICES ?? 10_000);
const ENDPOINTS = 2;
/** Services, EndpointSlices, the Node and ServiceCIDRs. */
const KINDS = 4;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const SELF = fileURLToPath(import.meta.url);

/** CPU time of this process in milliseconds. */
const cpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function serve() {
  const { FakeApiServer } = await import('../packages/source-kubernetes/dist/testing/index.js');
  const { encodeMessage } = await import('../packages/source-kubernetes/dist/testing/api-encoding.js');
  const server = await FakeApiServer.start();
  for (let index = 0; index < SERVICES; index += 1) {
    server.store.put('services', apiService(index));
    server.store.put('endpointslices', apiSlice(index, ENDPOINTS));
  }
  server.store.put('nodes', { metadata: { name: 'node1' } });
  let port = 1000;
  /** @type {(holds: (verb: string, readsEtcd: boolean) => boolean) => number} */
  const count = (holds) => server.requests.filter(({ verb, readsEtcd }) => holds(verb, readsEtcd)).length;
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message) => {
    if (message === 'expire') {
      // As after an outage longer than the history of the watch cache.
      port += 1;
      server.store.freezeCache();
      for (let index = 0; index < 10; index += 1) {
        server.store.put('services', apiService(index, port));
      }
      server.store.compact();
      server.disturbWatches('gone');
      server.store.thawCache();
      sendToParent({ port });
      return;
    }
    sendToParent({
      bytes: server.bytesSent,
      cached: count((verb, readsEtcd) => verb === 'list' && !readsEtcd),
      etcd: count((_verb, readsEtcd) => readsEtcd),
      watches: count((verb) => verb === 'watch'),
      cpu: cpuTime(),
    });
  });
  const objects = ['services', 'endpointslices'].flatMap((resource) => server.store.list(resource));
  // Without the envelope of events.
  const protobuf = objects.reduce(
    (sum, object) => sum + encodeMessage('addressType' in object ? 'EndpointSlice' : 'Service', object).length,
    0,
  );
  sendToParent({ url: server.url, protobuf });
}

/**
 * Measures the wall time, CPU time and longest stall until it is read. What other processes take of the processors is no stall.
 */
function meter() {
  const begin = performance.now();
  const cpu = cpuTime();
  let stall = 0;
  let last = { time: begin, cpu };
  const tick = () => {
    const next = { time: performance.now(), cpu: cpuTime() };
    stall = Math.max(stall, Math.min(next.time - last.time - 1, next.cpu - last.cpu));
    last = next;
  };
  const ticker = setInterval(tick, 1);
  return () => {
    tick();
    clearInterval(ticker);
    return { wall: last.time - begin, cpu: last.cpu - cpu, stall };
  };
}

/** @param {string} url */
async function informer(url) {
  const read = meter();
  const paths = ['/api/v1/services', '/apis/discovery.k8s.io/v1/endpointslices'];
  const lists = await Promise.all(
    paths.map(async (path) => {
      const headers = { 'Accept-Encoding': 'identity' };
      const response = await fetch(`${url}${path}?limit=500&resourceVersion=0`, { headers });
      return /** @type {{items: unknown[]}} */ (await response.json());
    }),
  );
  if (lists.some(({ items }) => items.length < SERVICES)) {
    throw new Error('objects are missing');
  }
  sendToParent(read());
  process.disconnect();
}

/**
 * @param {string} url
 * @param {'few' | 'all'} watchList
 * @param {'auto' | 'json'} encoding
 */
async function source(url, watchList, encoding) {
  const { KubernetesSource } = await import('../packages/source-kubernetes/dist/index.js');
  /** @type {Map<string, unknown>} */
  const objects = new Map();
  let unsynced = 2;
  /** @type {(value?: unknown) => void} */
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
  let changed = 0;
  let awaited = 0;
  /** @type {(value?: unknown) => void} */
  let arrived = () => {};
  const follower = new KubernetesSource({ master: url, watchList, encoding });
  const readStart = meter();
  await follower.start(
    {
      onServiceUpdate(_previous, current) {
        objects.set(`s ${current?.metadata?.namespace}/${current?.metadata?.name}`, current);
        const port = current?.spec?.ports?.[0]?.port ?? 0;
        changed = Math.max(changed, port);
        if (port === awaited) {
          arrived();
        }
      },
      onEndpointsUpdate(_previous, current) {
        objects.set(`e ${current?.metadata?.namespace}/${current?.metadata?.name}`, current);
      },
      onServicesSynced: oneLess,
      onEndpointsSynced: oneLess,
      onNodeUpdate() {},
      onServiceCIDRsUpdate() {},
    },
    { nodeName: 'node1' },
  );
  await synced;
  if (objects.size !== 2 * SERVICES) {
    throw new Error(`${objects.size} objects came`);
  }
  sendToParent(readStart());
  const [{ port }] = /** @type {[{port: number}]} */ (await once(process, 'message'));
  const readExpired = meter();
  const finished = once(process, 'message');
  await new Promise((resolve) => {
    awaited = port;
    arrived = resolve;
    if (changed >= port) {
      resolve(undefined);
    }
  });
  await finished;
  const stopped = once(process, 'message');
  sendToParent(readExpired());
  await stopped;
  await follower.stop();
  process.disconnect();
}

async function main() {
  const server = fork(SELF, ['serve']);
  const [{ url, protobuf }] = /** @type {[{url: string, protobuf: number}]} */ (await once(server, 'message'));
  /** @returns {Promise<Counters>} */
  const counters = async () => {
    server.send('count');
    return (await once(server, 'message'))[0];
  };
  /**
   * @param {Counters} before
   * @param {Counters} after
   * @returns {Counters}
   */
  const between = (before, after) => ({
    bytes: after.bytes - before.bytes,
    cached: after.cached - before.cached,
    etcd: after.etcd - before.etcd,
    watches: after.watches - before.watches,
    cpu: after.cpu - before.cpu,
  });
  /**
   * @param {Client} kind
   * @returns {Promise<{start: Measured, expired: Measured | undefined}>}
   */
  const run = async (kind) => {
    const before = await counters();
    const child = fork(SELF, [kind, url]);
    const [started] = /** @type {[Phase]} */ (await once(child, 'message'));
    const afterStart = await counters();
    const start = { ...started, server: between(before, afterStart) };
    if (kind === 'informer') {
      await once(child, 'exit');
      return { start, expired: undefined };
    }
    server.send('expire');
    child.send((await once(server, 'message'))[0]);
    // Each kind of object is watched again once its list is complete.
    let after = await counters();
    while (after.watches - afterStart.watches < KINDS) {
      await wait(20);
      after = await counters();
    }
    const ended = once(child, 'message');
    child.send('report');
    const [again] = /** @type {[Phase]} */ (await ended);
    const expired = { ...again, server: between(afterStart, after) };
    child.send('stop');
    await once(child, 'exit');
    return { start, expired };
  };
  /** @type {Record<Client, Awaited<ReturnType<typeof run>>[]>} */
  const runs = { lists: [], json: [], watches: [], informer: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of /** @type {const} */ (['lists', 'json', 'watches', 'informer'])) {
      runs[kind].push(await run(kind));
    }
  }
  server.send('stop');
  server.disconnect();

  /** @type {(kind: Client, of: (run: Measured) => number, phase?: 'start' | 'expired') => number} */
  const medianOf = (kind, of, phase = 'start') =>
    median(runs[kind].flatMap((one) => (one[phase] === undefined ? [] : [of(one[phase])])));
  const report = new Report(
    'api-client',
    `${SERVICES} Services and as many slices of ${ENDPOINTS}, FakeApiServer, HTTP`,
  );
  const bytes = medianOf('lists', (one) => one.server.bytes);
  report.add('start or restart: received', toMegabytes(bytes), 'MB');
  report.add('start or restart in JSON: received', toMegabytes(medianOf('json', (one) => one.server.bytes)), 'MB');
  report.add('with watches for all kinds: received', toMegabytes(medianOf('watches', (one) => one.server.bytes)), 'MB');
  report.add(
    'an informer with JSON, not compressed: received',
    toMegabytes(medianOf('informer', (one) => one.server.bytes)),
    'MB',
  );
  report.add('kube-proxy 1.36, watches in protobuf (the objects encoded)', toMegabytes(protobuf), 'MB');
  report.add('kube-proxy 1.36 (the objects encoded) / start or restart', protobuf / bytes, '', { atLeast: 3 });
  report.add(
    'start or restart: lists that read etcd',
    medianOf('lists', (one) => one.server.etcd),
    '',
    { atMost: 0 },
  );
  report.add(
    'start or restart: lists from the watch cache',
    medianOf('lists', (one) => one.server.cached),
    '',
  );
  report.add(
    'start or restart: to synced',
    medianOf('lists', (one) => one.wall),
    'ms',
    { atMost: 2000 },
  );
  report.add(
    'with watches for all kinds: to synced',
    medianOf('watches', (one) => one.wall),
    'ms',
  );
  report.add(
    'an informer with JSON: to the objects',
    medianOf('informer', (one) => one.wall),
    'ms',
  );
  report.add(
    'start or restart: CPU of the client',
    medianOf('lists', (one) => one.cpu),
    'ms',
  );
  report.add(
    'start or restart in JSON: CPU of the client',
    medianOf('json', (one) => one.cpu),
    'ms',
  );
  report.add(
    'start or restart in JSON: the longest stall',
    medianOf('json', (one) => one.stall),
    'ms',
  );
  report.add(
    'with watches for all kinds: CPU of the client',
    medianOf('watches', (one) => one.cpu),
    'ms',
  );
  report.add(
    'an informer with JSON: CPU of the client',
    medianOf('informer', (one) => one.cpu),
    'ms',
  );
  report.add(
    'start or restart: the longest stall',
    medianOf('lists', (one) => one.stall),
    'ms',
    { atMost: 20 },
  );
  report.add(
    'with watches for all kinds: the longest stall',
    medianOf('watches', (one) => one.stall),
    'ms',
  );
  report.add(
    'an informer with JSON: the longest stall',
    medianOf('informer', (one) => one.stall),
    'ms',
  );
  report.add(
    'start or restart: CPU of the server, as it is here',
    medianOf('lists', (one) => one.server.cpu),
    'ms',
  );
  report.add(
    'with watches: CPU of the server, as it is here',
    medianOf('watches', (one) => one.server.cpu),
    'ms',
  );
  report.add('expired watches: received', toMegabytes(medianOf('lists', (one) => one.server.bytes, 'expired')), 'MB');
  report.add(
    'expired watches: lists that read etcd',
    medianOf('lists', (one) => one.server.etcd, 'expired'),
    '',
    { atMost: 0 },
  );
  report.add(
    'expired watches: CPU of the client',
    medianOf('lists', (one) => one.cpu, 'expired'),
    'ms',
  );
  report.add(
    'expired watches: the longest stall',
    medianOf('lists', (one) => one.stall, 'expired'),
    'ms',
    { atMost: 20 },
  );
  report.finish();
}

const [role, url = ''] = process.argv.slice(2);
if (role === 'serve') {
  await serve();
} else if (role === 'informer') {
  await informer(url);
} else if (role === 'lists' || role === 'json' || role === 'watches') {
  await source(url, role === 'watches' ? 'all' : 'few', role === 'json' ? 'json' : 'auto');
} else {
  await main();
}
