#!/usr/bin/env node
// How long the command takes to start: npm run bench:start (as root). From the start of the process to rules in the kernel, and
// after a crash to a healthy proxy that has caught up. With KUBE_APISERVER and ETCD (paths of kube-apiserver and etcd) against a
// real API server, else against the fake one of this repository. `--peer PATH` measures a kube-proxy beside it, in turns.
// `--services 100000 --endpoints 5` is the size of the large cluster, `--of nftables` measures one mode, and `--flag=--v=4` is a flag for
// the agent.
// Mode ipvs starts in a slow kernel of one processor, User-Mode Linux, with two Services from the fake API server.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runInIpvsKernel, whyNoIpvsKernel } from '../scripts/run-in-ipvs-kernel.mjs';
import { changedSlice, freshAddress } from './lib/api-objects.mjs';
import { bringLoopbackUp, runInNewNetwork } from './lib/child-processes.mjs';
import { podAddress } from './lib/cluster.mjs';
import { startFilledApiServer, startFilledFake } from './lib/filled-api-server.mjs';
import { leaveIptablesHint, removeRules, requireInstalled } from './lib/installed-rules.mjs';
import { linkIptables } from './lib/iptables-path.mjs';
import { MeasuredProxy } from './lib/measured-proxy.mjs';
import { timed, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/** @typedef {import('./lib/filled-api-server.mjs').FilledApiServer} FilledApiServer */

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', default: '10000' },
    endpoints: { type: 'string', default: '2' },
    of: { type: 'string', multiple: true, default: ['nftables', 'iptables-nft', 'iptables-legacy', 'ipvs'] },
    rounds: { type: 'string', default: '3' },
    flag: { type: 'string', multiple: true, default: [] },
    peer: { type: 'string' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const AGENT = fileURLToPath(new URL('../packages/agent/bin/kube-proxier.js', import.meta.url));
const ROUNDS = Number(values.rounds);
const SMALL = 200;
/** Services in the kernel of {@link isInOwnKernel}. */
const FEW = 2;
const ENDPOINTS = Number(values.endpoints);
/** Milliseconds from the start of the process to rules in the kernel with the large cluster, at most, by mode and size. */
const LIMITS = new Map([
  ['nftables, 10000 × 2', 2000],
  ['iptables-nft, 10000 × 2', 3000],
  ['iptables-legacy, 10000 × 2', 3000],
  ['nftables, 100000 × 5', 15_000],
]);
/** Seconds until a kernel of its own is considered hung. */
const KERNEL_TIMEOUT = 900;
/** Runs of short commands. */
const RUNS = 15;

/**
 * Milliseconds that a command takes, the median.
 *
 * @param {readonly string[]} args of Node
 */
async function runTime(args) {
  const times = [];
  for (let run = 0; run < RUNS; run += 1) {
    times.push(await timed(() => spawnSync(process.execPath, args)));
  }
  return median(times);
}

/** Milliseconds from now until the health endpoint answers that the proxy is healthy. */
async function untilHealthy() {
  const begin = performance.now();
  while (!(await isHealthy())) {
    await wait(5);
  }
  return performance.now() - begin;
}

/** @returns {Promise<boolean>} */
function isHealthy() {
  return new Promise((resolve) => {
    get('http://127.0.0.1:10256/healthz', { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

/**
 * Starts of one proxy.
 *
 * @param {object} options
 * @param {string} options.subject
 * @param {FilledApiServer} options.server
 * @param {string | undefined} options.peer
 * @param {string | undefined} options.path
 */
function starter({ subject, server, peer, path }) {
  const [mode = ''] = subject.split('-');
  return () =>
    new MeasuredProxy({
      ...{ peer, mode, kubeconfig: server.kubeconfig, measuresHold: false },
      ...(peer === undefined ? { flags: values.flag } : {}),
      ...(path !== undefined && peer !== undefined ? { path } : {}),
    });
}

/** Whether a mode is measured in a kernel that has what it needs, as the one of this machine may not. */
function isInOwnKernel(/** @type {string} */ subject) {
  return subject === 'ipvs';
}

/** @param {string} subject */
const servicesOf = (subject) => (isInOwnKernel(subject) ? FEW : Number(values.services));

/**
 * What is measured of one mode, and how.
 *
 * @typedef {object} Measuring
 * @property {string} subject
 * @property {string | undefined} path
 * @property {readonly (string | undefined)[]} proxies ours, and the peer
 * @property {(peer: string | undefined, row: string, value: number) => void} note
 */

/**
 * The whole of a mode: prints medians of all rows.
 *
 * @param {string} subject
 */
async function inside(subject) {
  bringLoopbackUp();
  // The kernel of mode ipvs has no nf_tables.
  const variant = isInOwnKernel(subject) ? 'legacy' : subject.split('-')[1];
  const directory = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const path = variant === undefined ? undefined : linkIptables(directory, variant);
  /** @type {Record<string, number[]>} */
  const times = {};
  /** @type {Measuring} */
  const measuring = {
    ...{ subject, path, proxies: [undefined, ...(values.peer === undefined ? [] : [values.peer])] },
    note: (peer, name, value) => {
      const row = `${peer === undefined ? 'kube-proxier' : 'kube-proxy'}: ${name}`;
      times[row] = [...(times[row] ?? []), value];
    },
  };
  try {
    const server = await measureStarts(measuring);
    if (!isInOwnKernel(subject)) {
      await measureRestarts(measuring);
    }
    const medians = Object.fromEntries(Object.entries(times).map(([row, all]) => [row, median(all)]));
    process.stdout.write(`${JSON.stringify({ server, medians })}\n`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/**
 * Starts with a large cluster, in turns.
 *
 * @param {Measuring} measuring
 * @returns {Promise<string>} what the API server is
 */
async function measureStarts({ subject, path, proxies, note }) {
  const services = servicesOf(subject);
  const server = await (isInOwnKernel(subject) ? startFilledFake : startFilledApiServer)(services, ENDPOINTS);
  const addresses = Array.from({ length: services }, (_, index) => [
    server.clusterIP(index),
    ...Array.from({ length: ENDPOINTS }, (_pod, offset) => podAddress(index * ENDPOINTS + offset)),
  ]).flat();
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const peer of proxies) {
        leaveIptablesHint(subject);
        const proxy = starter({ subject, server, peer, path })();
        note(peer, 'load', await proxy.firstSync());
        note(peer, 'cpu', proxy.cpu);
        note(peer, 'peak', proxy.memory.peak);
        requireInstalled(subject, addresses, `after the first sync of ${peer ?? 'kube-proxier'}`);
        await proxy.stop();
        removeRules(subject);
      }
    }
  } finally {
    await server.stop();
  }
  return server.name;
}

/**
 * Starts with a small cluster after a crash, while an endpoint changed.
 *
 * @param {Measuring} measuring
 */
async function measureRestarts({ subject, path, proxies, note }) {
  const server = await startFilledApiServer(SMALL, ENDPOINTS);
  try {
    let made = 0;
    for (const peer of proxies) {
      leaveIptablesHint(subject);
      const start = starter({ subject, server, peer, path });
      let proxy = start();
      await proxy.firstSync();
      await untilHealthy();
      for (let round = 0; round < ROUNDS * 3; round += 1) {
        await proxy.kill();
        made += 1;
        await server.replaceSlice(changedSlice(made % SMALL, ENDPOINTS, made));
        const begin = performance.now();
        proxy = start();
        const [healthy, caughtUp] = await Promise.all([
          untilHealthy(),
          proxy.firstSync().then(() => performance.now() - begin),
        ]);
        note(peer, 'healthy', healthy);
        note(peer, 'both', Math.max(healthy, caughtUp));
        requireInstalled(subject, [freshAddress(made)], `after the restart of ${peer ?? 'kube-proxier'}`);
      }
      await proxy.stop();
      removeRules(subject);
    }
  } finally {
    await server.stop();
  }
}

/**
 * Measures a mode, in a network namespace or a kernel of its own.
 *
 * @param {string} subject
 * @returns {Promise<Result>}
 */
async function measure(subject) {
  const options = [
    ...['--services', values.services, '--endpoints', values.endpoints, '--rounds', values.rounds],
    ...values.flag.map((flag) => `--flag=${flag}`),
    ...(values.peer === undefined ? [] : ['--peer', values.peer]),
  ];
  const { status, stdout } = isInOwnKernel(subject)
    ? await runInKernel([subject, ...options])
    : runInNewNetwork(SELF, [subject, ...options], 'pipe');
  if (status !== 0) {
    throw new Error(`${subject}: failed`);
  }
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** @param {readonly string[]} args of this program */
async function runInKernel(args) {
  let output = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      output += chunk;
      done();
    },
  });
  const status = await runInIpvsKernel([process.execPath, SELF, 'inside', ...args], {
    timeout: KERNEL_TIMEOUT,
    stdout,
  });
  return { status, stdout: output };
}

/** Why a mode cannot be measured on this machine; undefined when it can. */
function whyNot(/** @type {string} */ subject) {
  return isInOwnKernel(subject) ? whyNoIpvsKernel() : undefined;
}

/**
 * @typedef {object} Result
 * @property {string} server what the API server is
 * @property {Record<string, number>} medians
 */

async function main() {
  /** @type {Map<string, Result>} */
  const results = new Map();
  for (const subject of values.of) {
    const reason = whyNot(subject);
    if (reason === undefined) {
      results.set(subject, await measure(subject));
    } else {
      console.log(`${subject}: skipped. ${reason}`);
    }
  }
  if (results.size === 0) {
    process.exitCode = 1;
    return;
  }
  const [first] = results.values();
  const report = new Report('start', `with ${first?.server}, Services of ${ENDPOINTS} endpoints`);
  const node = await runTime(['-e', '0']);
  const version = await runTime([AGENT, '--version']);
  report.add('node -e 0', node, 'ms');
  report.add('kube-proxier --version', version, 'ms', { atMost: 1.5 * node });
  for (const [subject, { medians }] of results) {
    const where = isInOwnKernel(subject) ? `${subject} in User-Mode Linux` : subject;
    const name = `${where}, ${servicesOf(subject).toLocaleString('en')} Services`;
    for (const proxy of ['kube-proxier', 'kube-proxy'].filter((one) => `${one}: load` in medians)) {
      const isOurs = proxy === 'kube-proxier';
      const get = (/** @type {string} */ row) => medians[`${proxy}: ${row}`] ?? Number.NaN;
      /** @param {string} row the same of the peer, where there is one */
      const peers = (row) => (isOurs ? medians[`kube-proxy: ${row}`] : undefined);
      const limit = LIMITS.get(`${subject}, ${servicesOf(subject)} × ${ENDPOINTS}`) ?? peers('load');
      report.add(`${name}: ${proxy}: start to rules in the kernel`, get('load'), 'ms', isOurs ? { atMost: limit } : {});
      report.add(`${name}: ${proxy}: the same: CPU`, get('cpu'), 's', { atMost: peers('cpu') });
      report.add(`${name}: ${proxy}: the same: peak resident`, get('peak'), 'MB');
      if (isInOwnKernel(subject)) {
        continue;
      }
      const small = `${subject}, ${SMALL} Services: ${proxy}: SIGKILL and start`;
      report.add(`${small}: healthy`, get('healthy'), 'ms');
      report.add(`${small}: healthy and caught up`, get('both'), 'ms', { atMost: peers('both') });
    }
  }
  report.finish();
}

const [role, subject = ''] = positionals;
if (role === 'inside') {
  await inside(subject);
} else {
  await main();
}
