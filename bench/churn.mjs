#!/usr/bin/env node
// Memory during a day of changes, in minutes: npm run bench:churn (as root). The whole command with 10,000 Services from the fake
// API server of this repository, in a network namespace of its own. Each change has an address and a Pod that no other had, each
// tenth replaces a Service by one with another name and cluster IP. Meanwhile watches are closed as often as in a day, metrics
// are scraped, and the recording keeps an hour of that day; rules are verified once, before. `--changes` and `--rate` (per second) make it
// shorter, `--of nftables` measures one mode.
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createCommandRunner } from '../packages/linux/dist/index.js';
import { becomeNode } from '../packages/linux/dist/testing/index.js';
import { apiService, apiSlice } from './lib/api-objects.mjs';
import { bringLoopbackUp, runInNewNetwork } from './lib/child-processes.mjs';
import { address } from './lib/cluster.mjs';
import { startFilledFake } from './lib/filled-api-server.mjs';
import { installedRules, leaveIptablesHint } from './lib/installed-rules.mjs';
import { MeasuredProxy } from './lib/measured-proxy.mjs';
import { proportionalMemoryOf, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/**
 * @typedef {import('./lib/used-heap.mjs').UsedHeap} UsedHeap
 *
 * @typedef {object} Measured memory in MB
 * @property {number[]} resident samples, one a second
 * @property {number[]} proportional
 * @property {number} peak
 * @property {UsedHeap} before
 * @property {UsedHeap} after
 */

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', default: '10000' },
    of: { type: 'string', multiple: true, default: ['nftables', 'iptables-nft'] },
    // Two a second for a day.
    changes: { type: 'string', default: '172800' },
    rate: { type: 'string', default: '800' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const ENDPOINTS = 2;
const NODE_ADDRESS = '192.168.1.10';
const RATE = Number(values.rate);
/** Milliseconds without changes, until the memory of a start is returned, a list is read, and a verification has ended. */
const SETTLE = 30_000;
/** One of so many changes replaces a Service. */
const REPLACES = 10;
/** Closes of watches a day: an API server closes each after 5 to 10 minutes. */
const CLOSES = 200;
/** How often a day the server forgets former versions, so that the agent reads all objects again. */
const RELISTS = 24;
/** Milliseconds between two scrapes: as many as in a day with one a minute. */
const SCRAPE = 150;
/** Series of samples that are compared. */
const PARTS = 5;
/** Growth in MB that is within what medians of equal parts differ by. */
const FLAT = 3;
/** An address that no other change, and no Pod of the start, has. */
const freshAddress = (/** @type {number} */ number) => address(204, number);

/** A cluster whose objects change all the time. */
class ChangingCluster {
  #store;
  /** Numbers of the Services that exist. */
  #services;
  #next;
  changes = 0;

  /**
   * @param {import('../packages/source-kubernetes/dist/testing/index.js').FakeApiServer} server
   * @param {number} services
   */
  constructor(server, services) {
    this.#store = server.store;
    this.#services = Array.from({ length: services }, (_, index) => index);
    this.#next = services;
  }

  change() {
    this.changes += 1;
    const at = (this.changes * 7919) % this.#services.length;
    if (this.changes % REPLACES === 0) {
      this.#delete('services', apiService(this.#services[at] ?? 0));
      this.#delete('endpointslices', apiSlice(this.#services[at] ?? 0, 0));
      this.#services[at] = this.#next;
      this.#next += 1;
      this.#store.put('services', apiService(this.#services[at] ?? 0));
    }
    const slice = apiSlice(this.#services[at] ?? 0, ENDPOINTS);
    const [first] = slice.endpoints;
    if (first) {
      first.addresses = [freshAddress(this.changes)];
      first.targetRef.name = `${first.targetRef.name}-${this.changes}`;
    }
    this.#store.put('endpointslices', slice);
  }

  /**
   * @param {string} resource
   * @param {{metadata: {name: string, namespace: string}}} object
   */
  #delete(resource, { metadata }) {
    this.#store.delete(resource, metadata.name, metadata.namespace);
  }
}

/** @returns {Promise<void>} when the answer was read */
function scrape() {
  return new Promise((resolve, reject) => {
    get('http://127.0.0.1:10249/metrics', (response) => {
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}

/**
 * Calls a function again and again, until it is stopped.
 *
 * @param {number} period milliseconds
 * @param {() => unknown} action
 * @returns {() => void} stops it
 */
function repeat(period, action) {
  const timer = setInterval(action, period);
  return () => clearInterval(timer);
}

/** @param {string} subject mode, and for iptables its variant */
async function inside(subject) {
  bringLoopbackUp();
  // Without routes, all classes of packets would differ in each verification.
  await becomeNode(createCommandRunner(), [NODE_ADDRESS]);
  leaveIptablesHint(subject);
  const services = Number(values.services);
  const total = Number(values.changes);
  const server = await startFilledFake(services, ENDPOINTS);
  const cluster = new ChangingCluster(server.fake, services);
  const [mode = ''] = subject.split('-');
  const day = (1000 * total) / RATE;
  const hour = day / 24;
  const proxy = new MeasuredProxy({
    ...{ peer: undefined, mode, kubeconfig: server.kubeconfig, measuresHeap: true },
    flags: ['--verify-period=10s', `--recording-age=${Math.ceil(hour)}ms`],
  });
  /** @type {(() => void)[]} */
  const stops = [];
  try {
    await proxy.firstSync();
    await wait(SETTLE);
    const make = async (/** @type {number} */ count) => {
      const begin = performance.now();
      for (let made = 0; made < count; await wait(2)) {
        for (; made < count && begin + (1000 * made) / RATE <= performance.now(); made += 1) {
          cluster.change();
        }
      }
    };
    /** @param {number} count changes */
    const churn = async (count) => {
      stops.push(
        repeat(SCRAPE, () => scrape()),
        repeat(day / CLOSES, () => server.fake.disturbWatches('close')),
        repeat(day / RELISTS, () => server.fake.store.compact()),
      );
      await make(count);
      for (const stop of stops.splice(0)) {
        stop();
      }
    };
    // Each Service is replaced once: code is compiled, caches and the recording fill, and hash tables, in which JavaScript keeps the
    // places of deleted entries for a while, have doubled.
    await churn(services * REPLACES);
    await wait(SETTLE);
    const before = await proxy.usedHeap();

    /** @type {number[]} */
    const resident = [];
    /** @type {number[]} */
    const proportional = [];
    stops.push(
      repeat(1000, () => {
        resident.push(proxy.memory.resident);
        proportional.push(proportionalMemoryOf(proxy.pid));
      }),
    );
    await churn(total);
    await untilInstalled(subject, cluster.changes);
    await wait(SETTLE);
    const after = await proxy.usedHeap();
    /** @type {Measured} */
    const measured = { resident, proportional, peak: proxy.memory.peak, before, after };
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    for (const stop of stops) {
      stop();
    }
    await proxy.stop();
    await server.stop();
  }
}

/**
 * Fails when the address of the last change does not come into the kernel.
 *
 * @param {string} subject
 * @param {number} number of the change
 */
async function untilInstalled(subject, number) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    if (installedRules(subject).includes(freshAddress(number))) {
      return;
    }
    await wait(500);
  }
  throw new Error(`${freshAddress(number)} is not in the kernel`);
}

/**
 * Medians of parts of equal length.
 *
 * @param {readonly number[]} samples
 */
function mediansOfParts(samples) {
  const length = Math.floor(samples.length / PARTS);
  return Array.from({ length: PARTS }, (_, part) => median(samples.slice(part * length, (part + 1) * length)));
}

function main() {
  const services = Number(values.services).toLocaleString('en');
  const changes = Number(values.changes).toLocaleString('en');
  const report = new Report('churn', `${services} Services × ${ENDPOINTS}, ${changes} changes at ${values.rate}/s`);
  let failed = false;
  for (const subject of values.of) {
    const options = [`--services=${values.services}`, `--changes=${values.changes}`, `--rate=${values.rate}`];
    const { status, stdout } = runInNewNetwork(SELF, [subject, ...options], 'pipe');
    if (status !== 0) {
      failed = true;
      continue;
    }
    const measured = /** @type {Measured} */ (JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
    const resident = mediansOfParts(measured.resident);
    for (const [part, value] of mediansOfParts(measured.proportional).entries()) {
      report.add(`${subject}: resident, median of part ${part + 1} of ${PARTS}`, resident[part] ?? Number.NaN, 'MB', {
        ...(part === PARTS - 1 ? { atMost: (resident[1] ?? Number.NaN) + FLAT } : {}),
        columns: { PSS: `${value.toFixed(1)} MB` },
      });
    }
    report.add(`${subject}: resident at most`, measured.peak, 'MB');
    report.add(`${subject}: heap in use after a collection, before the changes`, measured.before.heap, 'MB');
    report.add(`${subject}: the same, after the changes`, measured.after.heap, 'MB', {
      atMost: measured.before.heap + FLAT,
    });
    report.add(`${subject}: memory outside of the heap, before the changes`, measured.before.external, 'MB');
    report.add(`${subject}: the same, after the changes`, measured.after.external, 'MB', {
      atMost: measured.before.external + FLAT,
    });
  }
  report.finish();
  if (failed) {
    process.exitCode = 1;
  }
}

const [role, subject = ''] = positionals;
if (role === 'inside') {
  await inside(subject);
} else {
  main();
}
