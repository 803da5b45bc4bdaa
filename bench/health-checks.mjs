#!/usr/bin/env node
// The cost of health checks: npm run bench:health-checks (as root). 10,000 endpoints, each checked every 5 s by TCP.
// The process that checks and the program with the endpoints are in network namespaces of their own, joined by a veth
// pair, and each has a processor. Each end of the pair has a thread of the kernel for the packets that it receives
// (threaded NAPI, with ethtool): that of the checks is counted with the process, that of the endpoints is not. With
// `--loopback`, the endpoints are addresses of the loopback interface instead, and both sides are counted.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { silentLogger } from '../packages/core/dist/index.js';
import { HealthCheckedSource, HealthChecks } from '../packages/health-checks/dist/index.js';
import { prepare } from '../scripts/prepare.mjs';
import { bringLoopbackUp, runInNewNetwork, sendToParent } from './lib/child-processes.mjs';
import { memoryOf, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

/**
 * @typedef {import('../packages/core/dist/index.js').SourceHandler} SourceHandler
 * @typedef {{user: number, system: number, receiving: number, checks: number, late: number, changes: number, memory: number}} Result in
 *   percent of a processor, per second, and MB
 */

const { values, positionals } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '10000' },
    interval: { type: 'string', default: '5s' },
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
    loopback: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const ENDPOINTS = Number(values.endpoints);
const SECONDS = Number(values.seconds);
const INTERVAL = Number.parseFloat(values.interval) * (values.interval.endsWith('ms') ? 1 : 1000);
/** Endpoints of one EndpointSlice, and slices of one Service. */
const SLICE = 100;
const SLICES = 10;
/** The aim, of one processor. */
const AIM = 5;
const PORT = 8080;
/** The processors of the process that checks, and of the endpoints. */
const [CHECKING, SERVING] = [0, 1];
/** The ends of the veth pair. The threads of the kernel are named after them. */
const [HERE, THERE] = [`c${process.pid}`, `e${process.pid}`];
/** The interface with the endpoint addresses. */
const NETWORK = values.loopback ? '127' : '10';

/** Listens on a port of all addresses. */
function runServer() {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen({ port: PORT, host: '0.0.0.0', backlog: 4096 }, () => sendToParent('up'));
}

/**
 * Starts the program with the endpoints.
 *
 * @returns {Promise<() => void>} ends it
 */
async function startEndpoints() {
  const run = values.loopback ? [] : ['unshare', '--net', 'taskset', '-c', String(SERVING)];
  const [command = '', ...args] = [...run, process.execPath, SELF, 'server'];
  const server = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(server, 'message');
  if (!values.loopback) {
    const there = ['nsenter', `--net=/proc/${server.pid}/ns/net`];
    const run = (/** @type {string[]} */ ...[command = '', ...args]) => execFileSync(command, args);
    run('ip', 'link', 'add', HERE, 'type', 'veth', 'peer', 'name', THERE, 'netns', String(server.pid));
    run('ip', 'address', 'add', '192.0.2.1/30', 'dev', HERE);
    run(...there, 'ip', 'address', 'add', '192.0.2.2/30', 'dev', THERE);
    run('ip', 'link', 'set', HERE, 'up');
    run(...there, 'ip', 'link', 'set', THERE, 'up');
    run(...there, 'ip', 'link', 'set', 'lo', 'up');
    run(...there, 'ip', 'route', 'add', 'local', '10.0.0.0/8', 'dev', 'lo');
    // By way of a router: 10,000 neighbours would not fit into the table.
    run('ip', 'route', 'add', '10.0.0.0/8', 'via', '192.0.2.2');
    for (const [prefix, link, processor] of /** @type {const} */ ([
      [[], HERE, CHECKING],
      [there, THERE, SERVING],
    ])) {
      // With segmentation by the device, veth hands packets over without these threads.
      run(...prefix, 'ethtool', '-K', link, 'gro', 'on', 'tso', 'off');
      // A sysfs shows the links of the network namespace that it was mounted in.
      const directory = `/sys/class/net/${link}`;
      // The side of the endpoints polls: a network card is not woken by the processor that sends to it either.
      const deferred = link === THERE ? ' && echo 100000 >gro_flush_timeout && echo 1000000 >napi_defer_hard_irqs' : '';
      const program = `mount -t sysfs none /sys && cd ${directory} && echo 1 >threaded${deferred}`;
      run(...prefix, 'unshare', '--mount', 'sh', '-c', program);
      run('taskset', '-p', '-c', String(processor), String(receiverOf(link)));
    }
  }
  return () => server.kill('SIGKILL');
}

/**
 * The thread of the kernel that receives packets for a link.
 *
 * @param {string} link
 */
function receiverOf(link) {
  const found = readdirSync('/proc').find((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith(`napi/${link}-`);
    } catch {
      return false;
    }
  });
  if (found === undefined) {
    throw new Error(`${link} has no thread of the kernel`);
  }
  return Number(found);
}

/**
 * CPU seconds of a thread, as the scheduler counts them.
 *
 * @param {number} pid
 */
function secondsOf(pid) {
  const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e9;
}

/** @param {SourceHandler} handler */
function reportObjects(handler) {
  const annotations = {
    'kube-proxier.io/health-check': 'tcp',
    'kube-proxier.io/health-check-interval': values.interval,
  };
  const ports = [{ name: '', port: 80, protocol: 'TCP' }];
  for (let first = 0; first < ENDPOINTS; first += SLICE) {
    const name = `svc-${Math.floor(first / SLICE / SLICES)}`;
    if ((first / SLICE) % SLICES === 0) {
      handler.onServiceUpdate(undefined, {
        metadata: { name, namespace: 'default', annotations },
        spec: { clusterIP: '10.96.0.1', ports },
      });
    }
    const endpoints = Array.from({ length: Math.min(SLICE, ENDPOINTS - first) }, (_, offset) => ({
      addresses: [
        `${NETWORK}.${1 + ((first + offset) >> 16)}.${((first + offset) >> 8) & 255}.${(first + offset) & 255}`,
      ],
    }));
    handler.onEndpointsUpdate(undefined, {
      metadata: { name: `slice-${first}`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: PORT, protocol: 'TCP' }],
      endpoints,
    });
  }
  handler.onServicesSynced();
  handler.onEndpointsSynced();
}

/** Prints a {@link Result}. */
async function inside() {
  bringLoopbackUp();
  if (!values.loopback) {
    execFileSync('taskset', ['-a', '-p', '-c', String(CHECKING), String(process.pid)], { stdio: 'ignore' });
  }
  const stopEndpoints = await startEndpoints();
  let checks = 0;
  let failed = 0;
  let changes = 0;
  let late = 0;
  const health = new HealthChecks({
    logger: silentLogger,
    allowLoopbackEndpoints: true,
    observer: {
      checked(_kind, outcome) {
        checks += 1;
        failed += outcome === 'passed' ? 0 : 1;
      },
    },
  });
  const source = new HealthCheckedSource(
    { description: 'bench', start: async (handler) => reportObjects(handler), stop: async () => {} },
    health,
  );
  const synced = new Promise((resolve) => {
    void source.start(
      {
        onServiceUpdate() {},
        onEndpointsUpdate() {
          changes += 1;
        },
        onServicesSynced() {},
        onEndpointsSynced: () => resolve(undefined),
        onNodeUpdate() {},
        onServiceCIDRsUpdate() {},
      },
      { nodeName: 'bench' },
    );
  });
  await synced;
  await wait(2 * INTERVAL);
  const { up } = health.summary().endpoints;
  if (up !== ENDPOINTS) {
    throw new Error(`${up} of ${ENDPOINTS} endpoints are up: nothing was measured`);
  }
  checks = 0;
  // The first 10,000 were made at once, which the queues of a veth pair may not hold.
  failed = 0;
  changes = 0;
  const before = process.cpuUsage();
  const receiver = values.loopback ? undefined : receiverOf(HERE);
  const receivedBefore = receiver === undefined ? 0 : secondsOf(receiver);
  const begin = performance.now();
  for (let second = 0; second < SECONDS; second += 1) {
    await wait(1000);
    late = Math.max(late, health.summary().waiting);
  }
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(before);
  const percent = (/** @type {number} */ microseconds) => microseconds / 1e4 / seconds;
  const receiving = receiver === undefined ? 0 : ((secondsOf(receiver) - receivedBefore) / seconds) * 100;
  const memory = memoryOf(process.pid).resident;
  if (failed > 0) {
    throw new Error(`${failed} checks failed: nothing was measured`);
  }
  const cpu = { user: percent(user), system: percent(system), receiving };
  /** @type {Result} */
  const result = { ...cpu, checks: checks / seconds, late, changes, memory };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  stopEndpoints();
  await source.stop();
}

/** @param {Result} result */
function totalOf({ user, system, receiving }) {
  return user + system + receiving;
}

function main() {
  const isApart = !values.loopback && availableParallelism() > 1;
  if (!values.loopback && !isApart) {
    throw new Error('One processor cannot tell both sides apart: give --loopback, and both are counted.');
  }
  prepare({ threaded: isApart });
  const where = isApart ? 'over a veth pair' : 'on loopback';
  const report = new Report(
    `health-checks${isApart ? '' : '-loopback'}`,
    `${ENDPOINTS.toLocaleString('en')} endpoints, TCP checks every ${values.interval}, ${where}, for ${SECONDS} s, of one processor`,
  );
  const options = Object.entries({ endpoints: values.endpoints, interval: values.interval, seconds: values.seconds });
  const args = [...options.flatMap(([name, value]) => [`--${name}`, value]), ...(isApart ? [] : ['--loopback'])];
  /** @type {Result[]} */
  const results = [];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const { status, stdout } = runInNewNetwork(SELF, args, 'pipe');
    if (status !== 0) {
      process.exitCode = 1;
      return;
    }
    results.push(JSON.parse(stdout));
  }
  // The minimum: other load on this machine only adds to it.
  const [best] = results.sort((left, right) => totalOf(left) - totalOf(right));
  if (best) {
    const { user, system, receiving, checks, late, changes, memory } = best;
    report.add('CPU', totalOf(best), '%', { atMost: AIM });
    report.add('CPU of the process itself (user)', user, '%');
    report.add(`CPU of the kernel${isApart ? '' : ', with the side of the endpoints'} (system)`, system, '%');
    if (isApart) {
      report.add('CPU of the kernel for received packets', receiving, '%');
    }
    report.add('checks', checks, '/s', { atLeast: (0.97 * ENDPOINTS * 1000) / INTERVAL });
    report.add('checks that were late', late, '', { atMost: 0 });
    report.add('changes of EndpointSlices', changes, '', { atMost: 0 });
    report.add('memory of the process', memory, 'MB');
  }
  report.finish();
}

switch (positionals[0]) {
  case 'inside':
    await inside();
    break;
  case 'server':
    runServer();
    break;
  default:
    main();
}
