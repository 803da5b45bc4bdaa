#!/usr/bin/env node
// What health checks cost: npm run bench:health-checks (as root). 10,000 endpoints, each checked every 5 s by TCP, in a network
// namespace of its own. The endpoints are addresses of the loopback interface, so both sides of each connection are counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { silentLogger } from '../packages/core/dist/index.js';
import { HealthCheckedSource, HealthChecks } from '../packages/health-checks/dist/index.js';
import { bringLoopbackUp, runInNewNetwork, sendToParent } from './lib/child-processes.mjs';
import { memoryOf, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

/**
 * @typedef {import('../packages/core/dist/index.js').SourceHandler} SourceHandler
 * @typedef {{user: number, system: number, checks: number, late: number, changes: number, memory: number}} Result in percent of a
 *   processor, per second, and MB
 */

const { values, positionals } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '10000' },
    interval: { type: 'string', default: '5s' },
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
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

/** Listens on a port of all addresses. */
function runServer() {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen({ port: 0, host: '0.0.0.0', backlog: 4096 }, () => {
    const address = server.address();
    sendToParent(address !== null && typeof address === 'object' ? address.port : 0);
  });
}

/**
 * @param {SourceHandler} handler
 * @param {number} port
 */
function reportObjects(handler, port) {
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
      addresses: [`127.${1 + ((first + offset) >> 16)}.${((first + offset) >> 8) & 255}.${(first + offset) & 255}`],
    }));
    handler.onEndpointsUpdate(undefined, {
      metadata: { name: `slice-${first}`, namespace: 'default', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port, protocol: 'TCP' }],
      endpoints,
    });
  }
  handler.onServicesSynced();
  handler.onEndpointsSynced();
}

/** Prints a {@link Result}. */
async function inside() {
  bringLoopbackUp();
  const server = fork(SELF, ['server']);
  const [port] = await once(server, 'message');
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
    { description: 'bench', start: async (handler) => reportObjects(handler, port), stop: async () => {} },
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
  if (up !== ENDPOINTS || failed > 0) {
    throw new Error(`${up} of ${ENDPOINTS} endpoints are up, and ${failed} checks failed: nothing was measured`);
  }
  checks = 0;
  changes = 0;
  const before = process.cpuUsage();
  const begin = performance.now();
  for (let second = 0; second < SECONDS; second += 1) {
    await wait(1000);
    late = Math.max(late, health.summary().waiting);
  }
  const seconds = (performance.now() - begin) / 1000;
  const { user, system } = process.cpuUsage(before);
  const percent = (/** @type {number} */ microseconds) => microseconds / 1e4 / seconds;
  const memory = memoryOf(process.pid).resident;
  if (failed > 0) {
    throw new Error(`${failed} checks failed: nothing was measured`);
  }
  /** @type {Result} */
  const result = { user: percent(user), system: percent(system), checks: checks / seconds, late, changes, memory };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  server.kill();
  await source.stop();
}

function main() {
  const report = new Report(
    'health-checks',
    `${ENDPOINTS.toLocaleString('en')} endpoints, TCP checks every ${values.interval}, on loopback, for ${SECONDS} s, of one processor`,
  );
  const options = Object.entries({ endpoints: values.endpoints, interval: values.interval, seconds: values.seconds });
  const args = options.flatMap(([name, value]) => [`--${name}`, value]);
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
  // The least: everything else on this machine only adds to it.
  const [best] = results.sort((left, right) => left.user + left.system - right.user - right.system);
  if (best) {
    const { user, system, checks, late, changes, memory } = best;
    report.add('CPU', user + system, '%', { atMost: AIM });
    report.add('CPU of the process itself (user)', user, '%');
    report.add('CPU of the kernel, with the side of the servers (system)', system, '%');
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
