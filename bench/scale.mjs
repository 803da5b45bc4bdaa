#!/usr/bin/env node
// The cost of a node by the number of Services: npm run bench:scale (as root). The whole command in each mode, with the
// fake API server of this repository, each number in a separate network namespace: from the start to rules in the
// kernel, a change from the API to the kernel, 100 changes a second, memory, and for how long the event loop is held.
// `--default-period` measures the sync periods that the agent chooses, instead of a sync for each change.
// `--services 1000`, `--of nftables` (both more than once) measure less. `--peer PATH` measures a kube-proxy beside it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedSlice, freshAddress } from './lib/api-objects.mjs';
import { bringLoopbackUp, runInNewNetwork } from './lib/child-processes.mjs';
import { startFilledFake } from './lib/filled-api-server.mjs';
import { installedRules, leaveIptablesHint, removeRules } from './lib/installed-rules.mjs';
import { linkIptables } from './lib/iptables-path.mjs';
import { lagsOf, MeasuredProxy } from './lib/measured-proxy.mjs';
import { wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, percentile } from './lib/statistics.mjs';

/**
 * @typedef {object} Measured by a process, all times in milliseconds and memory in MB
 * @property {number} load
 * @property {number} loadCpu seconds
 * @property {number} loadHold
 * @property {number} loadBusy
 * @property {number} change
 * @property {number} change99
 * @property {number} changeHold
 * @property {number} changeBusy
 * @property {number} lag
 * @property {number} lag99
 * @property {number} cpu seconds, of the changes each second
 * @property {number} resident
 * @property {number} peak
 */

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', multiple: true, default: ['100', '1000', '5000', '10000', '50000'] },
    of: { type: 'string', multiple: true, default: ['nftables', 'iptables-nft', 'iptables-legacy', 'ipvs'] },
    endpoints: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    'default-period': { type: 'boolean', default: false },
    peer: { type: 'string' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const ENDPOINTS = Number(values.endpoints);
/** Milliseconds after the first sync in which memory settles. */
const SETTLE = 15_000;
/** A cluster of usual size: memory for each further Service is compared with it. */
const USUAL = 10_000;
/** KB of memory for each further Service of 2 endpoints, at most. */
const MEMORY_OF_SERVICE = 3;
/** For a process whose event loop cannot be measured. */
const NO_HOLD = { longest: Number.NaN, busiest: Number.NaN };
/** Number of changes that are made one after another, and of those before, in which code is compiled. */
const CHANGES = { counted: 31, before: 10 };

/** @param {string} subject @param {number} services */
async function inside(subject, services) {
  bringLoopbackUp();
  const server = await startFilledFake(services, ENDPOINTS);

  const [mode = '', variant] = subject.split('-');
  leaveIptablesHint(subject);
  const directory = mkdtempSync(join(tmpdir(), 'bench-scale-'));
  const path = variant === undefined ? undefined : linkIptables(directory, variant);
  const { peer } = values;
  // Looking at the clock each 2 ms takes CPU time of the agent.
  const measuresHold = peer === undefined && !values['default-period'];
  const start = () =>
    new MeasuredProxy({
      ...{
        peer,
        mode,
        kubeconfig: server.kubeconfig,
        measuresHold,
        flags: values['default-period'] ? [] : [`--${mode === 'ipvs' ? 'ipvs' : 'iptables'}-min-sync-period=0s`],
      },
      ...(path !== undefined && peer !== undefined ? { path } : {}),
    });

  /** @type {Omit<Measured, 'change' | 'change99' | 'changeHold' | 'changeBusy' | 'lag' | 'lag99' | 'cpu'>[]} */
  const loads = [];
  let proxy = start();
  try {
    for (;;) {
      const load = await proxy.firstSync();
      const loadCpu = proxy.cpu;
      const { longest: loadHold, busiest: loadBusy } = measuresHold ? await proxy.eventLoopHold() : NO_HOLD;
      await wait(SETTLE);
      loads.push({ load, loadCpu, loadHold, loadBusy, ...proxy.memory });
      if (loads.length === Number(values.rounds)) {
        break;
      }
      await proxy.stop();
      removeRules(subject);
      proxy = start();
    }
    if (measuresHold) {
      await proxy.eventLoopHold();
    }

    let made = 0;
    const makeChange = () => {
      made += 1;
      server.replaceSlice(changedSlice((made * 7919) % services, ENDPOINTS, made));
    };
    const times = [];
    for (let round = 0; round < CHANGES.before + CHANGES.counted; round += 1) {
      const before = proxy.syncs.length;
      const begin = performance.now();
      makeChange();
      await proxy.until(() => proxy.syncs.length > before);
      times.push((proxy.syncs[before]?.at ?? Number.NaN) - begin);
      await wait(20);
    }
    times.splice(0, CHANGES.before);
    const { longest: changeHold, busiest: changeBusy } = measuresHold ? await proxy.eventLoopHold() : NO_HOLD;
    if (!installedRules(subject).includes(freshAddress(made))) {
      throw new Error(`${freshAddress(made)} is in the log of the proxy, but not in the kernel`);
    }

    // Each change is of another Service, as long as there are as many: the log counts service ports.
    const total = Number(values.seconds) * 100;
    /** @type {number[]} */
    const at = [];
    proxy.syncs = [];
    const cpu = proxy.cpu;
    const begin = performance.now();
    while (at.length < total) {
      while (at.length < total && begin + at.length * 10 <= performance.now()) {
        at.push(performance.now());
        makeChange();
      }
      await wait(2);
    }
    await proxy.until(() => lagsOf(at, proxy.syncs).length === total);
    const lags = lagsOf(at, proxy.syncs);
    if (!installedRules(subject).includes(freshAddress(made))) {
      throw new Error(`${freshAddress(made)} is in the log of the proxy, but not in the kernel`);
    }
    const measured = {
      load: median(loads.map((one) => one.load)),
      loadCpu: median(loads.map((one) => one.loadCpu)),
      loadHold: median(loads.map((one) => one.loadHold)),
      loadBusy: median(loads.map((one) => one.loadBusy)),
      resident: median(loads.map((one) => one.resident)),
      peak: median(loads.map((one) => one.peak)),
      change: median(times),
      change99: percentile(times, 0.99),
      changeHold,
      changeBusy,
      lag: median(lags),
      lag99: percentile(lags, 0.99),
      cpu: proxy.cpu - cpu,
    };
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    await proxy.stop();
    await server.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Why a mode cannot be measured on this machine; undefined when it can. */
function whyNot(/** @type {string} */ subject) {
  if (subject === 'ipvs') {
    spawnSync('modprobe', ['ip_vs'], { stdio: 'ignore' });
    return existsSync('/proc/net/ip_vs') ? undefined : 'this kernel has no ip_vs';
  }
  return undefined;
}

function main() {
  const report = new Report(
    values['default-period'] ? 'scale-default-period' : 'scale',
    `the whole command and the fake API server, Services of ${ENDPOINTS} endpoints, ${values.rounds === '1' ? 'one start' : `medians of ${values.rounds} starts`}`,
  );
  let failed = false;
  for (const subject of values.of) {
    const reason = whyNot(subject);
    if (reason !== undefined) {
      console.log(`${subject}: skipped, ${reason}`);
      continue;
    }
    for (const peer of values.peer === undefined ? [undefined] : [undefined, values.peer]) {
      const series = peer === undefined ? subject : `kube-proxy ${subject}`;
      /** @type {Map<number, number>} */
      const resident = new Map();
      for (const count of values.services) {
        const options = ['endpoints', 'rounds', 'seconds'].flatMap((name) => [
          `--${name}`,
          String(values[/** @type {'endpoints' | 'rounds' | 'seconds'} */ (name)]),
        ]);
        const { status, stdout } = runInNewNetwork(
          SELF,
          [
            subject,
            count,
            ...options,
            ...(values['default-period'] ? ['--default-period'] : []),
            ...(peer === undefined ? [] : ['--peer', peer]),
          ],
          'pipe',
        );
        if (status !== 0) {
          console.error(`${series}, ${count} Services: failed`);
          failed = true;
          continue;
        }
        console.log(`${series}, ${count} Services: ${stdout.trim()}`);
        const measured = /** @type {Measured} */ (JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
        resident.set(Number(count), measured.resident);
        add(report, series, Number(count), measured);
      }
      addMemoryOfServices(report, series, resident, peer === undefined);
    }
  }
  report.finish();
  if (failed) {
    process.exitCode = 1;
  }
}

/**
 * @param {Report} report
 * @param {string} series
 * @param {number} services
 * @param {Measured} measured
 */
function add(report, series, services, measured) {
  const name = `${series}, ${services.toLocaleString('en')} Services`;
  /** @param {string} plot The plots show what a sync of each change takes, not the wait for it. */
  const at = (plot) => (values['default-period'] ? {} : { point: { plot, series, services } });
  report.add(`${name}: start to rules in the kernel`, measured.load, 'ms', at('load'));
  report.add(`${name}: start: CPU`, measured.loadCpu, 's');
  report.add(`${name}: one endpoint changed, API to kernel, p50`, measured.change, 'ms', at('change'));
  report.add(`${name}: one endpoint changed, API to kernel, p99`, measured.change99, 'ms');
  report.add(`${name}: 100 changes/s for ${values.seconds} s: lag, p50`, measured.lag, 'ms', at('lag'));
  const isLimited = values['default-period'] && services === 10_000;
  report.add(
    `${name}: 100 changes/s for ${values.seconds} s: lag, p99`,
    measured.lag99,
    'ms',
    isLimited ? { atMost: 100 } : {},
  );
  report.add(
    `${name}: 100 changes/s for ${values.seconds} s: CPU`,
    measured.cpu,
    's',
    isLimited ? { atMost: (3 * Number(values.seconds)) / 20 } : {},
  );
  report.add(`${name}: resident when it has settled`, measured.resident, 'MB', at('memory'));
  report.add(`${name}: peak resident`, measured.peak, 'MB');
  if (Number.isFinite(measured.loadHold)) {
    report.add(`${name}: start: event loop blocked, longest block`, measured.loadHold, 'ms', at('blocked'));
    report.add(`${name}: start: CPU time of one block`, measured.loadBusy, 'ms');
    report.add(`${name}: changes: event loop blocked, longest block`, measured.changeHold, 'ms');
    report.add(`${name}: changes: CPU time of one block`, measured.changeBusy, 'ms');
  }
}

/**
 * @param {Report} report
 * @param {string} series
 * @param {ReadonlyMap<number, number>} resident MB by the number of Services
 * @param {boolean} isLimited
 */
function addMemoryOfServices(report, series, resident, isLimited) {
  const usual = resident.get(USUAL) ?? Number.NaN;
  const large = Math.max(...resident.keys());
  if (large > USUAL && Number.isFinite(usual)) {
    const memory = (1024 * ((resident.get(large) ?? Number.NaN) - usual)) / (large - USUAL);
    const what = `${series}: memory of each Service from ${USUAL.toLocaleString('en')} to ${large.toLocaleString('en')}`;
    report.add(what, memory, 'KB', isLimited && ENDPOINTS === 2 ? { atMost: MEMORY_OF_SERVICE } : {});
  }
}

const [role, subject = '', count] = positionals;
if (role === 'inside') {
  await inside(subject, Number(count));
} else {
  main();
}
