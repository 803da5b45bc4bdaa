#!/usr/bin/env node
// The nftables backend against a real kernel, in a network namespace of its own, by netlink and by the program nft, side by
// side: npm run bench:nftables. Needs root. Medians of one run; the machine is named. `--quick` leaves out what takes
// longest; `--access=netlink` or `--access=nft` runs one of the two.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SyncRunner, systemClock } from '../packages/core/dist/index.js';
import { AdaptiveInterval } from '../packages/core/dist/sync/adaptive-interval.js';
import { createCommandRunner, createNetlinkNft, createNft } from '../packages/linux/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { applyChanges, BenchCluster, install, podsOf, verifyInstalled } from './lib/cluster.mjs';
import { cpuSeconds, memoryOf, resetPeakMemory, returnMemory, timed, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, percentile } from './lib/statistics.mjs';

/** @typedef {import('../packages/linux/dist/index.js').Nft} Nft */

/** @typedef {import('../packages/linux/dist/index.js').NftAccess} NftAccess */

/** Only what `loadLargest` measures. */
const LARGEST = '--largest';
const isLargest = process.argv.includes(LARGEST);
const quick = process.argv.includes('--quick');
const only = process.argv.find((argument) => argument.startsWith('--access='))?.slice('--access='.length);
/** @type {readonly NftAccess[]} */
const WAYS = /** @type {const} */ (['netlink', 'nft']).filter((access) => only === undefined || access === only);
const namespace = `kpx-bench-${process.pid}`;
const LOCAL_TRAFFIC = /** @type {const} */ ({
  localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
});
const report = new Report('nftables', 'one IP family');

/** @param {Nft} nft */
async function counts(nft) {
  const table = await nft.list('ip', 'kube-proxier');
  if (table === undefined) {
    throw new Error('no table was installed');
  }
  const rules = [...table.chains.values()].reduce((sum, chain) => sum + chain.rules.length, 0);
  const elements = [...table.containers.values()].reduce((sum, container) => sum + container.elements.size, 0);
  return { chains: table.chains.size, rules, elements };
}

/** @param {NftAccess} access */
function open(access) {
  const path = `/run/netns/${namespace}`;
  return access === 'netlink'
    ? createNetlinkNft({ namespace: path })
    : createNft({ runner: createCommandRunner({ prefix: ['nsenter', `--net=${path}`] }) });
}

/**
 * @param {NftAccess} access
 * @param {number} services
 * @param {number} endpoints of each
 * @param {{ readonly isOwned?: boolean }} [options]
 */
async function load(access, services, endpoints, { isOwned = false } = {}) {
  const nft = open(access);
  const dataplane = new NftablesDataplane({
    ...{ family: 'IPv4', nft },
    ...(isOwned ? { tableFlags: async () => /** @type {const} */ (['owner']) } : {}),
  });
  await dataplane.cleanup();
  const cluster = new BenchCluster(services, endpoints, LOCAL_TRAFFIC);
  const { state } = cluster.resolve();
  return { nft, dataplane, cluster, state, elapsed: await timed(() => install(dataplane, state)) };
}

/**
 * The median of several loads.
 *
 * @param {Parameters<typeof load>} arguments_
 */
async function loads(...arguments_) {
  const all = [];
  let last = await load(...arguments_);
  for (all.push(last.elapsed); all.length < 3; all.push(last.elapsed)) {
    // The owner of a table deletes it.
    await last.dataplane.cleanup();
    last = await load(...arguments_);
  }
  return { last, elapsed: median(all) };
}

/**
 * Changes at regular times, and the syncs that they request, which the agent's own runner spaces.
 *
 * @param {Awaited<ReturnType<typeof load>>} loaded
 * @param {number | 'adaptive'} minSyncPeriod milliseconds, or as long as the last sync requires: the agent's default
 * @param {number} total changes
 * @param {{ readonly interval?: number, readonly isBare?: boolean }} [options] milliseconds between two changes; `isBare`: the same
 *   timers, without a change and without work in a sync
 */
async function churn({ dataplane, cluster }, minSyncPeriod, total, { interval = 10, isBare = false } = {}) {
  /** @type {number[]} */
  const lags = [];
  /** @type {number[]} */
  let waiting = [];
  let syncs = 0;
  /** @type {unknown} */
  let failure;
  let written = () => {};
  /** @type {Promise<void>} */
  const isWritten = new Promise((resolve) => {
    written = resolve;
  });
  // The timers of the runner do not keep this process alive.
  const alive = setInterval(() => {}, 60_000);
  const adaptive = new AdaptiveInterval();
  const runner = new SyncRunner({
    clock: systemClock,
    run: async () => {
      const batch = waiting;
      waiting = [];
      try {
        if (!isBare) {
          await applyChanges(dataplane, cluster.resolve());
        }
      } catch (error) {
        failure ??= error;
      }
      syncs += 1;
      const done = performance.now();
      lags.push(...batch.map((at) => done - at));
      if (lags.length === total) {
        written();
      }
      return true;
    },
    minInterval: minSyncPeriod === 'adaptive' ? (duration) => adaptive.after(duration) : minSyncPeriod,
    maxInterval: 300_000,
    retryInterval: () => 1000,
  });
  const end = new AbortController();
  const cpu = cpuSeconds();
  const begin = performance.now();
  const running = runner.loop(end.signal);
  for (let made = 0; made < total; ) {
    for (; made < total && begin + made * interval <= performance.now(); made += 1) {
      if (!isBare) {
        cluster.replaceEndpoint((made * 7919) % 10_000);
      }
      waiting.push(begin + made * interval);
      runner.request();
    }
    await wait(Math.max(1, begin + made * interval - performance.now()));
  }
  await isWritten;
  const used = cpuSeconds() - cpu;
  clearInterval(alive);
  end.abort();
  await running;
  if (failure !== undefined) {
    throw failure;
  }
  return { cpu: used, lag: median(lags), syncs };
}

/**
 * @param {NftAccess} access
 * @returns the full loads of 10,000 Services, in milliseconds
 */
async function measure(access) {
  /** @param {string} what */
  const by = (what) => `${access}: ${what}`;
  const isNetlink = access === 'netlink';
  for (const services of quick ? [10, 1000] : [10, 1000, 10_000, 50_000]) {
    const { nft, elapsed } = await load(access, services, 2);
    report.add(by(`${services} Services × 2: full load`), elapsed, 'ms', { columns: await counts(nft) });
    nft.close();
  }

  // Without a figure: the first loads compile the code, which those after them have.
  const warm = await loads(access, 10_000, 2);
  warm.last.nft.close();
  const owned = await loads(access, 10_000, 2, { isOwned: true });
  report.add(by('10,000 Services × 2: full load of an owned table (median of 3)'), owned.elapsed, 'ms');
  await owned.last.dataplane.cleanup();
  const { last: loaded, elapsed } = await loads(access, 10_000, 2);
  report.add(by('10,000 Services × 2: full load (median of 3)'), elapsed, 'ms', { atMost: 1000 });

  const { dataplane, cluster, state } = loaded;
  const reads = [];
  for (let round = 0; round < 3; round += 1) {
    reads.push(await timed(() => verifyInstalled(dataplane, state)));
  }
  report.add(by('10,000 × 2: read back and compare, nothing to write'), median(reads), 'ms');

  // The first two thousand compile the code; an agent that runs has done so. Of nft, most of the time is that of the program.
  const warmUp = isNetlink ? 2000 : 200;
  const singles = [];
  for (let round = 1; round <= warmUp + 1000; round += 1) {
    singles.push(
      await timed(async () => {
        cluster.replaceEndpoint((round * 7919) % 10_000);
        await applyChanges(dataplane, cluster.resolve());
      }),
    );
  }
  singles.splice(0, warmUp);
  report.add(by('10,000 × 2: one endpoint changed, event to kernel, p50'), median(singles), 'ms', {
    atMost: isNetlink ? 0.3 : 15,
  });
  report.add(by('10,000 × 2: one endpoint changed, event to kernel, p99'), percentile(singles, 0.99), 'ms', {
    atMost: isNetlink ? 1.5 : undefined,
  });

  // The sync runner is compiled as well.
  await churn(loaded, 'adaptive', warmUp, { interval: 1 });
  for (const period of /** @type {const} */ (['adaptive', 50, 1000])) {
    const seconds = quick ? 5 : 20;
    // The generation of changes is not part of the agent.
    const bare = await churn(loaded, period, seconds * 100, { isBare: true });
    const { cpu, lag, syncs } = await churn(loaded, period, seconds * 100);
    const spacing = period === 'adaptive' ? 'syncs as the agent spaces them by default' : `a sync each ${period} ms`;
    const what = by(`10,000 × 2: 100 changes/s for ${seconds} s, ${spacing}`);
    const isDefault = isNetlink && period === 'adaptive';
    report.add(`${what}: CPU of the process`, cpu, 's');
    report.add(`${what}: CPU of the same timers without changes`, bare.cpu, 's');
    report.add(`${what}: CPU of changes and syncs`, cpu - bare.cpu, 's', {
      atMost: isDefault ? (0.7 * seconds) / 20 : period === 50 ? seconds / 10 : undefined,
      columns: { syncs },
    });
    report.add(`${what}: lag p50`, lag, 'ms', { atMost: period === 50 ? 50 : undefined });
  }

  /** @param {(round: number) => void} change */
  const changesOf = async (change) => {
    const all = [];
    for (let round = 1; round <= 1000; round += 1) {
      all.push(
        await timed(async () => {
          change(round);
          await applyChanges(dataplane, cluster.resolve());
        }),
      );
    }
    return median(all);
  };
  // The number of slots changes, and so the rule: the kernel then checks all elements that lead to rules for loops.
  const added = await changesOf((round) => cluster.addEndpoint((round * 7919) % 10_000));
  report.add(by('10,000 × 2: one endpoint added, event to kernel, p50'), added, 'ms');
  loaded.nft.close();

  if (!quick) {
    const { elapsed: large, nft } = await load(access, 50_000, 4);
    report.add(by('50,000 Services × 4: full load'), large, 'ms', { atMost: 5000 });
    nft.close();
    const big = await load(access, 10, 5000);
    const edits = {
      'one endpoint replaced (few slots move)': () => big.cluster.replaceEndpoint(3),
      'the first endpoint gone (few slots move)': () => big.cluster.setEndpoints(3, podsOf(3, 5000).slice(1)),
    };
    for (const [what, edit] of Object.entries(edits)) {
      const took = await timed(async () => {
        edit();
        await applyChanges(big.dataplane, big.cluster.resolve());
      });
      report.add(by(`10 Services × 5,000: ${what}`), took, 'ms');
    }
    big.nft.close();
  }
  return { plain: elapsed, owned: owned.elapsed };
}

/**
 * A cluster ten times as large, by netlink, and the memory that its load needs beside the state. As in a start of the agent, nothing was
 * loaded before: a process of its own, which prints the figures.
 */
async function loadLargest() {
  const nft = open('netlink');
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft });
  await dataplane.cleanup();
  const cluster = new BenchCluster(100_000, 5, LOCAL_TRAFFIC);
  const { state } = cluster.resolve();
  await returnMemory();
  const before = memoryOf(process.pid).resident;
  resetPeakMemory();
  const elapsed = await timed(() => install(dataplane, state));
  const { peak } = memoryOf(process.pid);
  const columns = await counts(nft);
  // The input of the state is retained until here, as in an agent.
  cluster.replaceEndpoint(0);
  await applyChanges(dataplane, cluster.resolve());
  nft.close();
  process.stdout.write(JSON.stringify({ elapsed, memory: peak - before, columns }));
}

function reportLargest() {
  /** @type {{ elapsed: number, memory: number, columns: Record<string, number> }[]} */
  const runs = [];
  for (let round = 0; round < 3; round += 1) {
    const printed = execFileSync(process.execPath, [fileURLToPath(import.meta.url), LARGEST], { encoding: 'utf8' });
    runs.push(JSON.parse(printed));
  }
  const [{ columns = {} } = {}] = runs;
  const what = 'netlink: 100,000 Services × 5';
  const elapsed = median(runs.map((run) => run.elapsed));
  report.add(`${what}: full load (median of 3)`, elapsed, 'ms', { atMost: 4000, columns });
  report.add(`${what}: memory during the load, beside the state`, median(runs.map(({ memory }) => memory)), 'MB');
}

execFileSync('ip', ['netns', 'add', namespace]);
try {
  if (isLargest) {
    await loadLargest();
  } else {
    await main();
  }
} finally {
  execFileSync('ip', ['netns', 'delete', namespace]);
}

async function main() {
  /** @type {Partial<Record<NftAccess, Awaited<ReturnType<typeof measure>>>>} */
  const measured = {};
  for (const access of WAYS) {
    measured[access] = await measure(access);
  }
  const { netlink, nft } = measured;
  if (netlink !== undefined) {
    const what = 'netlink: 10,000 Services × 2: full load';
    report.add(`${what}, owned table against plain one`, netlink.owned / netlink.plain, '', { atMost: 1.2 });
    if (nft !== undefined) {
      report.add(`${what}, against nft`, netlink.plain / nft.plain, '', { atMost: 0.5 });
    }
    if (!quick) {
      reportLargest();
    }
  }
  report.finish();
}
