#!/usr/bin/env node
// What counting connections costs: npm run bench:counters [-- --services N --rounds N]. Needs root; sets of namespaces of its own, in
// turns: without counters, with them, and without them again, which says how small a difference is significant. Of each round the best of
// many batches counts. Beside it the CPU time of a reading, which the agent makes every 10 s at most.
import { parseArgs } from 'node:util';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createIptables, createNft } from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/network-sandbox/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { clusterIP, install, podsOf } from './lib/cluster.mjs';
import { cpuSeconds } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, medianInterval } from './lib/statistics.mjs';

const { values } = parseArgs({
  options: { services: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '30' } },
});
const SERVICES = Number(values.services);
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 200;
const BATCHES = 10;
const READINGS = 5;
/** Seconds between two readings of the agent, at least; and how many times the duration of a reading that is. */
const PAUSE = 10;
const PAUSE_RATIO = 20;

/** @param {readonly string[]} pods of Service 1; others lead nowhere */
function stateOf(pods) {
  const services = [];
  const slices = [];
  for (let index = 1; index <= SERVICES; index += 1) {
    const address = clusterIP(index);
    const ports = [{ port: 80 }];
    services.push(makeService(`bench/s${index}`, { clusterIP: address, clusterIPs: [address], ports }));
    const endpoints = index === 1 ? pods : podsOf(index, 2).map((pod) => pod.address);
    slices.push(makeSlice(`bench/s${index}`, endpoints, { ports: [{ port: 8080 }] }));
  }
  const [cidr = ''] = SANDBOX_NETWORK.clusterCIDRs;
  return resolveObjects({ services, slices }, { localTrafficDetection: { kind: 'source-cidr', cidr } });
}

/**
 * @param {'nftables' | 'iptables'} mode
 * @param {boolean} countConnections
 */
async function makeWorld(mode, countConnections) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  await Promise.all(pods.map((pod) => pod.serve({ port: 8080 })));
  const { runner } = sandbox.node;
  const state = stateOf(pods.map(({ ipv4 }) => ipv4));
  const family = 'IPv4';
  const dataplane =
    mode === 'nftables'
      ? new NftablesDataplane({ family, nft: createNft({ runner }), countConnections })
      : new IptablesDataplane({
          ...{ family, countConnections },
          iptables: async () => createIptables({ family, runner, variant: 'nft' }),
        });
  if (mode === 'nftables') {
    await install(/** @type {NftablesDataplane} */ (dataplane), state);
  } else {
    await install(/** @type {IptablesDataplane} */ (dataplane), state);
  }
  let made = 0;
  return {
    async connectionsPerSecond() {
      const rates = [];
      while (rates.length < BATCHES) {
        const begin = performance.now();
        const { answeredBy } = await sandbox.pod(3).connectMany({ to: clusterIP(1), port: 80 }, CONNECTIONS, 1);
        const answered = Object.values(answeredBy).reduce((sum, count) => sum + count, 0);
        if (answered !== CONNECTIONS) {
          throw new Error(`${answered} of ${CONNECTIONS} connections were answered`);
        }
        made += answered;
        rates.push(CONNECTIONS / ((performance.now() - begin) / 1000));
      }
      return Math.max(...rates);
    },
    /** CPU seconds of a reading, with those of its tools, and its duration in seconds. */
    async read() {
      const [cpuBegin, begin] = [cpuSeconds(), performance.now()];
      const counts = await dataplane.connections();
      const [cpu, took] = [cpuSeconds() - cpuBegin, (performance.now() - begin) / 1000];
      const counted = counts.reduce((sum, count) => sum + ('endpoint' in count ? 0 : (count.connections ?? 0)), 0);
      if (counted !== made) {
        throw new Error(`${counted} of ${made} connections were counted`);
      }
      return { cpu, took };
    },
    async close() {
      dataplane.close();
      await sandbox.close();
    },
  };
}

const report = new Report('counters', `${SERVICES} Services × 2, ${ROUNDS} rounds in turns`);
for (const mode of /** @type {const} */ (['nftables', 'iptables'])) {
  /** @type {Awaited<ReturnType<typeof makeWorld>>[]} */
  const worlds = [];
  try {
    for (const counts of [false, true, false]) {
      worlds.push(await makeWorld(mode, counts));
    }
    const results = worlds.map(() => /** @type {number[]} */ ([]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      // There and back: what drifts, drifts for all.
      const inTurn = [...worlds.entries()];
      for (const [index, world] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
        const rate = await world.connectionsPerSecond();
        // The first round warms up.
        if (round > 0) {
          results[index]?.push(rate);
        }
      }
    }
    const [off = [], on = [], again = []] = results;
    /** @param {readonly number[]} those */
    const lost = (those) => those.map((rate, round) => (1 - rate / (off[round] ?? Number.NaN)) * 100);
    /** @param {readonly number[]} those */
    const interval = (those) =>
      medianInterval(lost(those))
        .map((value) => value.toFixed(1))
        .join(' to ');
    report.add(`${mode}: new connections without counters, one after another`, median(off), '/s');
    report.add(`${mode}: new connections lost to counters`, median(lost(on)), '%', {
      atMost: 3,
      columns: {
        '95 %': interval(on),
        'control: without again': `${median(lost(again)).toFixed(2)} (${interval(again)})`,
      },
    });
    const readings = [];
    while (readings.length < READINGS) {
      readings.push((await worlds[1]?.read()) ?? { cpu: Number.NaN, took: Number.NaN });
    }
    const shares = readings.map(({ cpu, took }) => cpu / (took + Math.max(PAUSE, took * PAUSE_RATIO)));
    report.add(`${mode}: CPU of a reading`, median(readings.map(({ cpu }) => cpu)) * 1000, 'ms');
    report.add(`${mode}: CPU of readings, while metrics are scraped`, median(shares) * 100, '%');
  } finally {
    await Promise.allSettled(worlds.map((world) => world.close()));
  }
}
report.finish();
process.exit();
