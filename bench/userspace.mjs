#!/usr/bin/env node
// The userspace proxy beside haproxy, in turns, on loopback: npm run bench:userspace [-- --variants kernel,loop,2].
// A number of variants is one of processes that share the listening sockets. Without haproxy, itself only.
import { fork, spawn, spawnSync } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sendToParent } from './lib/child-processes.mjs';
import { install } from './lib/cluster.mjs';
import { memoryOf, wait } from './lib/process-usage.mjs';
import { formatQuantity, Report } from './lib/report.mjs';
import { median, percentile } from './lib/statistics.mjs';

/**
 * @typedef {import('node:net').Socket} Socket
 * @typedef {import('./lib/report.mjs').Unit} Unit
 * @typedef {Partial<ConstructorParameters<typeof import('../packages/userspace/dist/index.js').UserspaceDataplane>[0]>} Settings
 *
 * @typedef {object} Subject a proxy that is measured
 * @property {string} name
 * @property {number} port that it listens on
 * @property {import('node:child_process').ChildProcess} child
 * @property {readonly number[]} pids its processes
 */

const SELF = fileURLToPath(import.meta.url);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    variants: { type: 'string', default: 'kernel' },
  },
  allowPositionals: true,
});
const ROUNDS = Number(values.rounds);
const SECONDS = Number(values.seconds);
const IDLE = 2000;
const role = process.argv[2];

/** Endpoint: a client that begins with "s" is sent bytes for ever, any other gets back what it sends. */
function runEndpoint() {
  const chunk = Buffer.alloc(256 * 1024);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', (first) => {
      if (first[0] !== 0x73) {
        socket.write(first);
        socket.pipe(socket);
        return;
      }
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once('drain', more);
      };
      more();
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => sendToParent(portOf(server)));
}

/**
 * The proxy, as a process of its own, or as several that share what they listen on.
 *
 * @param {number} port of the endpoint
 * @param {number} nodePort
 * @param {string} variant
 */
async function runProxy(port, nodePort, variant) {
  const processes = Number(variant);
  if (!(processes > 0)) {
    await serve(port, nodePort, variant === 'loop' ? { bulkAfter: Number.POSITIVE_INFINITY } : {});
    sendToParent([process.pid]);
    return;
  }
  if (cluster.isWorker) {
    // The proxy's own are exclusive.
    const listen = /** @type {(this: Server, options: object, ready?: () => void) => Server} */ (
      Server.prototype.listen
    );
    Server.prototype.listen = /** @type {typeof Server.prototype.listen} */ (
      /**
       * @this {Server}
       * @param {object} options
       * @param {() => void} [ready]
       */
      function shared(options, ready) {
        return listen.call(this, { ...options, exclusive: false }, ready);
      }
    );
    await serve(port, nodePort, {});
    sendToParent('ready');
    return;
  }
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = Array.from({ length: processes }, () => cluster.fork().process);
  process.on('disconnect', () => process.exit());
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  sendToParent(workers.map(({ pid }) => pid));
}

/**
 * @param {number} port of the endpoint
 * @param {number} nodePort
 * @param {Settings} settings
 */
async function serve(port, nodePort, settings) {
  const core = await import('../packages/core/dist/index.js');
  const { UserspaceDataplane } = await import('../packages/userspace/dist/index.js');
  const reader = new core.ObjectReader(undefined, { allowLoopbackEndpoints: true });
  const options = { ...core.DEFAULT_PROXIER_OPTIONS, nodeName: 'bench' };
  const resolver = new core.ProxyStateResolver({ family: 'IPv4', options, reader, since: 0 });
  resolver.updateService(undefined, {
    metadata: { name: 'bench', namespace: 'default' },
    spec: { type: 'NodePort', clusterIP: '10.96.0.1', ports: [{ port: 80, protocol: 'TCP', nodePort }] },
  });
  resolver.updateEndpointSlice(undefined, {
    metadata: { name: 'bench', namespace: 'default', labels: { 'kubernetes.io/service-name': 'bench' } },
    addressType: 'IPv4',
    ports: [{ name: '', port, protocol: 'TCP' }],
    endpoints: [{ addresses: ['127.0.0.1'] }],
  });
  const { state } = resolver.applyPending();
  const dataplane = new UserspaceDataplane({
    family: 'IPv4',
    localAddresses: async () => ['127.0.0.1'],
    ...settings,
  });
  await install(dataplane, state);
}

/**
 * @param {number} port
 * @returns {Promise<Socket>}
 */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/**
 * @param {number} port
 * @param {number} connections
 * @returns {Promise<number>} Gbit/s
 */
async function throughput(port, connections) {
  let bytes = 0;
  const buffer = Buffer.alloc(256 * 1024);
  const sockets = Array.from({ length: connections }, () => {
    const callback = (/** @type {number} */ size) => {
      bytes += size;
      return true;
    };
    const onread = { buffer, callback };
    const socket = connect({ port, host: '127.0.0.1', onread });
    socket.on('error', () => {});
    socket.write('s');
    return socket;
  });
  while (bytes === 0) {
    await new Promise(setImmediate);
  }
  bytes = 0;
  const begin = performance.now();
  await wait(SECONDS * 1000);
  const result = (bytes * 8) / ((performance.now() - begin) / 1000) / 1e9;
  for (const socket of sockets) {
    socket.destroy();
  }
  return result;
}

/** @param {number} port */
async function connectionRate(port) {
  let count = 0;
  const end = performance.now() + SECONDS * 1000;
  const one = async () => {
    while (performance.now() < end) {
      const socket = await open(port);
      socket.write('x');
      await once(socket, 'data');
      socket.destroy();
      count++;
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  return count / SECONDS;
}

/**
 * 1,000 connections that all send and wait, one question at a time each.
 *
 * @param {number} port
 * @returns {Promise<number>} milliseconds, p99
 */
async function latency(port) {
  const sockets = [];
  for (let first = 0; first < 1000; first += 100) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(port)))));
  }
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(
    sockets.map(async (socket) => {
      while (performance.now() < end) {
        const begin = performance.now();
        socket.write('x');
        await once(socket, 'data');
        times.push(performance.now() - begin);
      }
      socket.destroy();
    }),
  );
  return percentile(times, 0.99);
}

/**
 * @param {number} port
 * @param {readonly number[]} pids
 * @returns {Promise<number>} KB
 */
async function memoryPerConnection(port, pids) {
  const resident = () => pids.reduce((sum, pid) => sum + 1024 * memoryOf(pid).resident, 0);
  const before = resident();
  const sockets = [];
  for (let first = 0; first < IDLE; first += 100) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => open(port)));
    sockets.push(...batch);
    await Promise.all(
      batch.map((socket) => {
        socket.write('x');
        return once(socket, 'data');
      }),
    );
  }
  const result = (resident() - before) / IDLE;
  for (const socket of sockets) {
    socket.destroy();
  }
  return result;
}

/** @param {Server} server that listens on a port */
function portOf(server) {
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server listens on no port');
  }
  return address.port;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** @param {number} port */
async function waitFor(port) {
  for (const end = performance.now() + 5000; performance.now() < end; ) {
    try {
      (await open(port)).destroy();
      return;
    } catch {
      await wait(20);
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}

/**
 * What is measured in turns. `atLeast` and `atMost` bound the ratio of ours to haproxy's.
 *
 * @type {{what: string, unit: Unit, measure: (subject: Subject) => Promise<number>, atLeast?: number, atMost?: number}[]}
 */
const MEASURES = [
  {
    what: 'throughput, 1 connection',
    unit: 'Gbit/s',
    measure: ({ port }) => throughput(port, 1),
    atLeast: 0.9,
  },
  {
    what: 'throughput, 8 connections',
    unit: 'Gbit/s',
    measure: ({ port }) => throughput(port, 8),
    atLeast: 0.9,
  },
  { what: 'new connections', unit: '/s', measure: ({ port }) => connectionRate(port), atLeast: 0.7 },
  { what: 'p99 of 1,000 connections', unit: 'ms', measure: ({ port }) => latency(port), atMost: 1.5 },
];

/**
 * @param {number} port of the endpoint
 * @param {string} directory
 * @returns {Promise<Subject>}
 */
async function startHaproxy(port, directory) {
  const front = await freePort();
  const config = join(directory, 'haproxy.cfg');
  writeFileSync(
    config,
    `global\n  maxconn 4000\n  nbthread 1\ndefaults\n  mode tcp\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n  option splice-auto\nlisten bench\n  bind 127.0.0.1:${front}\n  server one 127.0.0.1:${port}\n`,
  );
  const child = spawn('haproxy', ['-db', '-f', config], { stdio: 'ignore' });
  await waitFor(front);
  return { name: 'haproxy, 1 thread', port: front, child, pids: [Number(child.pid)] };
}

/**
 * One of our proxies.
 *
 * @param {number} port of the endpoint
 * @param {string} variant `kernel`, `loop` (nothing is handed to the kernel), or a number of processes
 * @returns {Promise<Subject>}
 */
async function startOurs(port, variant) {
  const nodePort = await freePort();
  const child = fork(SELF, ['proxy', String(port), String(nodePort), variant]);
  const [pids] = /** @type {[number[]]} */ (await once(child, 'message'));
  /** @type {Record<string, string>} */
  const names = { kernel: 'userspace', loop: 'userspace, event loop only' };
  return { name: names[variant] ?? `userspace, ${variant} processes`, port: nodePort, child, pids };
}

async function main() {
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  const directory = mkdtempSync(join(tmpdir(), 'bench-userspace-'));
  try {
    const endpoint = fork(SELF, ['endpoint']);
    children.push(endpoint);
    const [port] = /** @type {[number]} */ (await once(endpoint, 'message'));
    /** @type {Subject[]} */
    const ours = [];
    for (const variant of values.variants.split(',')) {
      const subject = await startOurs(port, variant);
      ours.push(subject);
      children.push(subject.child);
    }
    const haproxy = spawnSync('haproxy', ['-v']).status === 0 ? await startHaproxy(port, directory) : undefined;
    if (haproxy === undefined) {
      console.log('haproxy is not installed, so there is nothing to compare with (apt-get install haproxy)\n');
    } else {
      children.push(haproxy.child);
    }
    const results = await measureInTurns(haproxy === undefined ? ours : [...ours, haproxy]);
    const report = new Report('userspace', `on loopback, ${ROUNDS} rounds in turns, medians`);
    const theirs = haproxy && results.get(haproxy);
    for (const subject of ours) {
      const mine = results.get(subject);
      if (mine !== undefined) {
        addFigures(report, subject.name, mine, theirs);
      }
    }
    report.finish();
  } finally {
    for (const child of children) {
      child.kill('SIGKILL');
    }
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * @typedef {object} Results of one subject
 * @property {number} memory KB for an idle connection
 * @property {readonly (readonly number[])[]} rounds what was measured, for each of MEASURES
 */

/**
 * @param {readonly Subject[]} subjects
 * @returns {Promise<ReadonlyMap<Subject, Results>>}
 */
async function measureInTurns(subjects) {
  /** @type {Map<Subject, {memory: number, rounds: number[][]}>} */
  const results = new Map();
  // First of all, as memory that was used once stays.
  for (const subject of subjects) {
    const memory = await memoryPerConnection(subject.port, subject.pids);
    results.set(subject, { memory, rounds: MEASURES.map(() => []) });
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [which, { measure }] of MEASURES.entries()) {
      for (const [subject, { rounds }] of round % 2 === 0 ? results : [...results].reverse()) {
        const value = await measure(subject);
        // The first round warms up.
        if (round > 0) {
          rounds[which]?.push(value);
        }
      }
    }
  }
  return results;
}

/**
 * @param {Report} report
 * @param {string} name
 * @param {Results} mine
 * @param {Results | undefined} theirs of haproxy, if it was measured
 */
function addFigures(report, name, mine, theirs) {
  for (const [which, { what, unit, atLeast, atMost }] of MEASURES.entries()) {
    const own = mine.rounds[which] ?? [];
    const others = theirs?.rounds[which];
    const columns = others === undefined ? {} : { haproxy: formatQuantity(median(others), unit) };
    report.add(`${name}: ${what}`, median(own), unit, { columns });
    if (others !== undefined) {
      const ratio = median(own.map((value, round) => value / (others[round] ?? Number.NaN)));
      report.add(`${name}: ${what}, by haproxy's`, ratio, '', { atLeast, atMost });
    }
  }
  const columns = theirs === undefined ? {} : { haproxy: formatQuantity(theirs.memory, 'KB') };
  report.add(`${name}: memory, idle connection`, mine.memory, 'KB', { columns });
}

if (role === 'endpoint') {
  runEndpoint();
} else if (role === 'proxy') {
  const [port, nodePort, variant = ''] = process.argv.slice(3);
  await runProxy(Number(port), Number(nodePort), variant);
} else {
  await main();
}
