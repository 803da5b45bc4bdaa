#!/usr/bin/env node
// Verification of 10,000 Services in the background: npm run bench:verify. Needs root. The kernel is read in a separate
// network namespace; in mode nftables also while a Service changes every 100 ms. `--quick` takes 1,000 Services.
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_PROXIER_OPTIONS, systemClock } from '../packages/core/dist/index.js';
import { createIptablesBackend, IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createCommandRunner, createIptables, createNetlinkNft } from '../packages/linux/dist/index.js';
import { becomeNode } from '../packages/linux/dist/testing/index.js';
import { createNftablesBackend, NftablesDataplane } from '../packages/nftables/dist/index.js';
import { verifyNode } from '../packages/server/dist/index.js';
import { applyChanges, BenchCluster, install } from './lib/cluster.mjs';
import { cpuSeconds, timed, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/** @typedef {import('../packages/core/dist/index.js').BackendModule} BackendModule */
/** @typedef {import('../packages/core/dist/index.js').ProxyState} ProxyState */

const SERVICES = 10_000;
const NODE_ADDRESS = '192.168.1.10';
const quick = process.argv.includes('--quick');
const services = quick ? 1000 : SERVICES;
const report = new Report('verify', 'one IP family');

/** Milliseconds between two changes. */
const PAUSE = 100;
/** Changes before those that are measured alone: they compile the code. */
const WARM_UP = 50;
const ALONE = 50;

/**
 * @param {BackendModule} backend
 * @param {() => ProxyState} current
 * @param {string} [how]
 */
async function measure(backend, current, how = '') {
  const state = current();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = cpuSeconds();
  const begin = performance.now();
  const { verdict, families } = await verifyNode({
    backend,
    options: DEFAULT_PROXIER_OPTIONS,
    states: () => new Map([[state.family, current()]]),
    clock: systemClock,
  });
  const elapsed = performance.now() - begin;
  delay.disable();
  const [family] = families;
  if (verdict !== 'verified' || family === undefined) {
    throw new Error(`${backend.mode}: ${verdict}: ${family?.findings[0]?.message}`);
  }
  const what = `${services} Services × 2, ${backend.mode}${how}`;
  report.add(`${what}: verified`, elapsed, 'ms', { atMost: 10_000, columns: { classes: family.classes } });
  report.add(`${what}: CPU of this process`, cpuSeconds() - cpu, 's');
  report.add(`${what}: longest wait of other work`, delay.max / 1e6, 'ms');
}

/**
 * @param {BackendModule} backend
 * @param {NftablesDataplane} dataplane
 * @param {BenchCluster} cluster
 */
async function measureWhileChanging(backend, dataplane, cluster) {
  let { state } = cluster.resolve();
  let round = 0;
  const change = async () => {
    round += 1;
    cluster.replaceEndpoint((round * 7919) % services);
    const resolved = cluster.resolve();
    await applyChanges(dataplane, resolved);
    ({ state } = resolved);
  };
  /** @type {number[]} */
  const alone = [];
  /** @type {number[]} */
  const beside = [];
  for (let index = 0; index < WARM_UP + ALONE; index += 1) {
    const took = await timed(change);
    if (index >= WARM_UP) {
      alone.push(took);
    }
    await wait(PAUSE);
  }
  let isOver = false;
  const changing = (async () => {
    while (!isOver) {
      beside.push(await timed(change));
      await wait(PAUSE);
    }
  })();
  const how = `, a change every ${PAUSE} ms`;
  await measure(backend, () => state, how);
  isOver = true;
  await changing;
  const what = `${services} Services × 2, ${backend.mode}${how}`;
  report.add(`${what}: one change, p50, without a verification`, median(alone), 'ms');
  report.add(`${what}: one change, p50, during the verification`, median(beside), 'ms', {
    columns: { changes: beside.length },
  });
}

const cluster = new BenchCluster(services, 2, {
  nodeAddresses: [NODE_ADDRESS],
  localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
});
const { state } = cluster.resolve();
// In mode nftables, the cluster changes in the end.
for (const mode of ['iptables', 'nftables']) {
  const namespace = `kpx-bench-${process.pid}-${mode}`;
  execFileSync('ip', ['netns', 'add', namespace]);
  try {
    const networkNamespace = `/run/netns/${namespace}`;
    const runner = createCommandRunner({ prefix: ['nsenter', `--net=${networkNamespace}`], networkNamespace });
    await becomeNode(runner, [NODE_ADDRESS]);
    if (mode === 'nftables') {
      const dataplane = new NftablesDataplane({
        family: 'IPv4',
        nft: createNetlinkNft({ namespace: networkNamespace }),
      });
      await install(dataplane, state);
      const backend = createNftablesBackend({ runner });
      await measure(backend, () => state);
      await measureWhileChanging(backend, dataplane, cluster);
      dataplane.close();
    } else {
      const iptables = createIptables({ family: 'IPv4', runner, variant: 'nft' });
      await install(new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables }), state);
      iptables.close();
      await measure(createIptablesBackend({ runner }), () => state);
    }
  } finally {
    execFileSync('ip', ['netns', 'delete', namespace]);
  }
}

report.finish();
