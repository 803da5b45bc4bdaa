#!/usr/bin/env node
// Verification of 10,000 Services in the background: npm run bench:verify. Needs root. What the kernel does is read from a network
// namespace of its own. `--quick` takes 1,000 Services.
import { execFileSync } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DEFAULT_PROXIER_OPTIONS, systemClock } from '../packages/core/dist/index.js';
import { createIptablesBackend, IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createCommandRunner, createIptables, createNft } from '../packages/linux/dist/index.js';
import { becomeNode } from '../packages/linux/dist/testing/index.js';
import { createNftablesBackend, NftablesDataplane } from '../packages/nftables/dist/index.js';
import { verifyNode } from '../packages/server/dist/index.js';
import { BenchCluster, install } from './lib/cluster.mjs';
import { cpuSeconds } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

/** @typedef {import('../packages/core/dist/index.js').BackendModule} BackendModule */
/** @typedef {import('../packages/core/dist/index.js').ProxyState} ProxyState */

const SERVICES = 10_000;
const NODE_ADDRESS = '192.168.1.10';
const quick = process.argv.includes('--quick');
const services = quick ? 1000 : SERVICES;
const report = new Report('verify', 'one IP family');

/**
 * @param {BackendModule} backend
 * @param {ProxyState} state
 */
async function measure(backend, state) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = cpuSeconds();
  const begin = performance.now();
  const { verdict, families } = await verifyNode({
    backend,
    options: DEFAULT_PROXIER_OPTIONS,
    states: () => new Map([[state.family, state]]),
    clock: systemClock,
  });
  const elapsed = performance.now() - begin;
  delay.disable();
  const [family] = families;
  if (verdict !== 'verified' || family === undefined) {
    throw new Error(`${backend.mode}: ${verdict}: ${family?.findings[0]?.message}`);
  }
  const what = `${services} Services × 2, ${backend.mode}`;
  report.add(`${what}: verified`, elapsed, 'ms', { atMost: 10_000, columns: { classes: family.classes } });
  report.add(`${what}: CPU of this process`, cpuSeconds() - cpu, 's');
  report.add(`${what}: longest wait of other work`, delay.max / 1e6, 'ms');
}

const { state } = new BenchCluster(services, 2, {
  nodeAddresses: [NODE_ADDRESS],
  localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
}).resolve();
for (const mode of ['nftables', 'iptables']) {
  const namespace = `kpx-bench-${process.pid}-${mode}`;
  execFileSync('ip', ['netns', 'add', namespace]);
  try {
    const runner = createCommandRunner({ prefix: ['nsenter', `--net=/run/netns/${namespace}`] });
    await becomeNode(runner, [NODE_ADDRESS]);
    if (mode === 'nftables') {
      const nft = createNft({ runner });
      await install(new NftablesDataplane({ family: 'IPv4', nft }), state);
      nft.close();
      await measure(createNftablesBackend({ runner }), state);
    } else {
      const iptables = createIptables({ family: 'IPv4', runner, variant: 'nft' });
      await install(new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables }), state);
      iptables.close();
      await measure(createIptablesBackend({ runner }), state);
    }
  } finally {
    execFileSync('ip', ['netns', 'delete', namespace]);
  }
}

report.finish();
