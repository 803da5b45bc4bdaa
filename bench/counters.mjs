#!/usr/bin/env node
// What counting costs: npm run bench:counters [-- --services N --rounds N]. Needs root; a set of namespaces of its own for each mode.
// In turns, in the same namespaces: no Service is counted, connections to all are, in mode nftables their packets, too, and none is
// again, which says how small a difference is significant. Of each turn the best of many batches counts. Beside it the CPU time of a reading, which the agent makes every 10 s at most.
import { parseArgs } from 'node:util';
import { COUNT_CONNECTIONS_ANNOTATION, COUNT_TRAFFIC_ANNOTATION, diffStates } from '../packages/core/dist/index.js';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { IptablesDataplane } from '../packages/iptables/dist/index.js';
import { createIptables, createNft } from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/network-sandbox/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { clusterIP, podsOf } from './lib/cluster.mjs';
import { cpuSeconds } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, medianInterval } from './lib/statistics.mjs';

/** @typedef {import('../packages/core/dist/index.js').ProxyState} ProxyState */

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

/** @typedef {'nothing' | 'connections' | 'traffic'} Counted */

/**
 * @param {readonly string[]} pods of Service 1; others lead nowhere
 * @param {Counted} counted of each Service
 */
function stateOf(pods, counted) {
  const annotations = {
    [COUNT_CONNECTIONS_ANNOTATION]: String(counted !== 'nothing'),
    [COUNT_TRAFFIC_ANNOTATION]: String(counted === 'traffic'),
  };
  const services = [];
  const slices = [];
  for (let index = 1; index <= SERVICES; index += 1) {
    const address = clusterIP(index);
    const ports = [{ port: 80 }];
    const service = makeService(`bench/s${index}`, { clusterIP: address, clusterIPs: [address], ports });
    services.push({ ...service, metadata: { ...service.metadata, annotations } });
    const endpoints = index === 1 ? pods : podsOf(index, 2).map((pod) => pod.address);
    slices.push(makeSlice(`bench/s${index}`, endpoints, { ports: [{ port: 8080 }] }));
  }
  const [cidr = ''] = SANDBOX_NETWORK.clusterCIDRs;
  return resolveObjects({ services, slices }, { localTrafficDetection: { kind: 'source-cidr', cidr } });
}

/** @param {'nftables' | 'iptables'} mode */
async function makeWorld(mode) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  await Promise.all(pods.map((pod) => pod.serve({ port: 8080 })));
  const { runner } = sandbox.node;
  const addresses = pods.map(({ ipv4 }) => ipv4);
  const states = {
    nothing: stateOf(addresses, 'nothing'),
    connections: stateOf(addresses, 'connections'),
    traffic: stateOf(addresses, 'traffic'),
  };
  const family = 'IPv4';
  const dataplane =
    mode === 'nftables'
      ? new NftablesDataplane({ family, nft: createNft({ runner }) })
      : new IptablesDataplane({ family, iptables: async () => createIptables({ family, runner, variant: 'nft' }) });
  /** @type {ProxyState | undefined} */
  let inForce;
  let made = 0;
  return {
    /** @param {Counted} counted */
    async count(counted) {
      const next = states[counted];
      const installed = inForce === undefined ? await dataplane.readBack() : undefined;
      const changes = diffStates(inForce, next);
      if (dataplane instanceof NftablesDataplane) {
        const transaction = dataplane.plan(next, changes, /** @type {any} */ (installed));
        await (transaction && dataplane.apply(transaction));
      } else {
        const transaction = dataplane.plan(next, changes, /** @type {any} */ (installed));
        await (transaction && dataplane.apply(transaction));
      }
      inForce = next;
      made = 0;
    },
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
      const counted = counts.reduce(
        (sum, count) => sum + (count.endpoint === undefined ? (count.connections ?? 0) : 0),
        0,
      );
      if (counted < made) {
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
  const world = await makeWorld(mode);
  try {
    /** @type {readonly Counted[]} */
    const turns = [
      'nothing',
      'connections',
      ...(mode === 'nftables' ? /** @type {const} */ (['traffic']) : []),
      'nothing',
    ];
    const results = turns.map(() => /** @type {number[]} */ ([]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      // There and back: what drifts, drifts for all.
      const inTurn = [...turns.entries()];
      for (const [index, counted] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
        await world.count(counted);
        const rate = await world.connectionsPerSecond();
        // The first round warms up.
        if (round > 0) {
          results[index]?.push(rate);
        }
      }
    }
    const [off = []] = results;
    const again = results.at(-1) ?? [];
    /** @param {readonly number[]} those */
    const lost = (those) => those.map((rate, round) => (1 - rate / (off[round] ?? Number.NaN)) * 100);
    /** @param {readonly number[]} those */
    const interval = (those) =>
      medianInterval(lost(those))
        .map((value) => value.toFixed(1))
        .join(' to ');
    report.add(`${mode}: new connections without counters, one after another`, median(off), '/s');
    for (const [index, counted] of turns.entries()) {
      const on = results[index] ?? [];
      if (counted === 'nothing') {
        continue;
      }
      report.add(`${mode}: new connections lost to counters of ${counted}`, median(lost(on)), '%', {
        atMost: 3,
        columns: {
          '95 %': interval(on),
          'control: without again': `${median(lost(again)).toFixed(2)} (${interval(again)})`,
        },
      });
      await world.count(counted);
      await world.connectionsPerSecond();
      const readings = [];
      while (readings.length < READINGS) {
        readings.push(await world.read());
      }
      const shares = readings.map(({ cpu, took }) => cpu / (took + Math.max(PAUSE, took * PAUSE_RATIO)));
      report.add(`${mode}, ${counted}: CPU of a reading`, median(readings.map(({ cpu }) => cpu)) * 1000, 'ms');
      report.add(`${mode}, ${counted}: CPU of readings, while metrics are scraped`, median(shares) * 100, '%');
    }
  } finally {
    await world.close();
  }
}
report.finish();
process.exit();
