#!/usr/bin/env node
// The cost of counting: npm run bench:counters [-- --modes nftables,iptables,ipvs --services N --rounds N --response
// BYTES]. Needs root; a set of namespaces of its own for each mode. Mode ipvs runs in User-Mode Linux, which this boots: it compares with
// itself only.
//
// Two nodes with the same Services: on one nothing is counted, on the other connections to all, in mode nftables their packets, too, or
// nothing either, which says how small a difference is significant. One thread opens connections through both in turns of a millisecond.
// Of these short bursts those count that nothing else disturbed: a tenth of them was faster. Then the nodes change places, and the mean of
// both is what a round says, as one node may be slower than the other. Beside it the CPU time of readings, of one processor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { COUNT_CONNECTIONS_ANNOTATION, COUNT_TRAFFIC_ANNOTATION, diffStates } from '../packages/core/dist/index.js';
import { makeService, makeSlice, resolveObjects } from '../packages/core/dist/testing/index.js';
import { IptablesDataplane } from '../packages/iptables/dist/index.js';
import { IpvsDataplane } from '../packages/ipvs/dist/index.js';
import {
  createIptables,
  createNetlinkNft,
  IpSetsNetlink,
  IpvsNetlink,
  LinksNetlink,
  NetlinkSocket,
} from '../packages/linux/dist/index.js';
import { NetworkSandbox, SANDBOX_NETWORK } from '../packages/network-sandbox/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { prepare, runScript } from '../scripts/prepare.mjs';
import { runInIpvsKernel } from '../scripts/run-in-ipvs-kernel.mjs';
import { clusterIP, podsOf } from './lib/cluster.mjs';
import { cpuSeconds } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, medianInterval, percentile } from './lib/statistics.mjs';

/** @typedef {import('../packages/core/dist/index.js').ProxyState} ProxyState */
/** @typedef {import('../packages/network-sandbox/dist/index.js').SandboxHost} SandboxHost */
/** @typedef {'nftables' | 'iptables' | 'ipvs'} Mode */
/** @typedef {'nothing' | 'connections' | 'traffic'} Counted */

const { values } = parseArgs({
  options: {
    services: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '12' },
    modes: { type: 'string', default: 'nftables,iptables' },
    response: { type: 'string', default: '0' },
    inside: { type: 'boolean', default: false },
  },
});
const SERVICES = Number(values.services);
const ROUNDS = Number(values.rounds);
const MODES = /** @type {Mode[]} */ (values.modes.split(','));
const SELF = fileURLToPath(import.meta.url);
const CLIENT = fileURLToPath(new URL('lib/connection-bursts.mjs', import.meta.url));
/** Connections of a burst, bursts on each node, and those before that fill the caches. */
const BURST = 20;
const BURSTS = 400;
const WARM_UP = 100;
/** Quantile of the bursts on a node that is used. */
const UNDISTURBED = 0.1;
const ENDPOINT_PORT = '8080';
const READINGS = 5;
/** Seconds between two readings of the agent, at least; and how many times the duration of a reading that is. */
const PAUSE = 10;
const PAUSE_RATIO = 50;
/** The aim: loss of new connections, in percent. */
const AIM = 3;

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
    slices.push(makeSlice(`bench/s${index}`, endpoints, { ports: [{ port: Number(ENDPOINT_PORT) }] }));
  }
  const [cidr = ''] = SANDBOX_NETWORK.clusterCIDRs;
  return resolveObjects({ services, slices }, { localTrafficDetection: { kind: 'source-cidr', cidr } });
}

/**
 * @param {Mode} mode
 * @param {SandboxHost} node
 */
function dataplaneOf(mode, { runner, namespacePath: namespace }) {
  const family = 'IPv4';
  switch (mode) {
    case 'nftables':
      return new NftablesDataplane({ family, nft: createNetlinkNft({ namespace }) });
    case 'iptables':
      return new IptablesDataplane({
        family,
        iptables: async () => createIptables({ family, runner, variant: 'nft' }),
      });
    case 'ipvs':
      return new IpvsDataplane({
        family,
        host: {
          ipvs: new IpvsNetlink(new NetlinkSocket('generic', { namespace })),
          links: new LinksNetlink(new NetlinkSocket('route', { namespace })),
          sets: new IpSetsNetlink(new NetlinkSocket('netfilter', { namespace })),
          iptables: async () => createIptables({ family, runner, variant: 'legacy' }),
        },
      });
  }
}

/** @param {readonly (readonly SandboxHost[])[]} nodes client and servers of each */
function startClient(nodes) {
  const namespaces = nodes.map((hosts) => hosts.map(({ namespacePath }) => namespacePath).join(','));
  const args = [CLIENT, clusterIP(1), '80', ENDPOINT_PORT, values.response, ...namespaces];
  const client = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: client.stdout });
  const failed = once(client, 'close').then(() => Promise.reject(new Error('the client failed')));
  failed.catch(() => {});
  return {
    /**
     * Nanoseconds of a connection, in each burst, for each node.
     *
     * @param {number} bursts
     * @returns {Promise<number[][]>}
     */
    async connect(bursts) {
      const answer = new Promise((resolve) => lines.once('line', resolve));
      client.stdin.write(`${BURST} ${bursts}\n`);
      return JSON.parse(await Promise.race([answer, failed]));
    },
    stop: () => client.kill('SIGKILL'),
  };
}

/** @param {Mode} mode */
async function makeNode(mode) {
  const sandbox = await NetworkSandbox.create({ pods: 3 });
  const pods = [sandbox.pod(1), sandbox.pod(2)];
  const addresses = pods.map(({ ipv4 }) => ipv4);
  /** @type {Record<Counted, ProxyState>} */
  const states = {
    nothing: stateOf(addresses, 'nothing'),
    connections: stateOf(addresses, 'connections'),
    traffic: stateOf(addresses, 'traffic'),
  };
  /** @type {any} */
  const dataplane = dataplaneOf(mode, sandbox.node);
  /** @type {ProxyState | undefined} */
  let inForce;
  return {
    hosts: [sandbox.pod(3), ...pods],
    /** @param {Counted} counted */
    async count(counted) {
      const next = states[counted];
      const installed = inForce === undefined ? await dataplane.readBack() : undefined;
      const transaction = dataplane.plan(next, diffStates(inForce, next), installed);
      await (transaction && dataplane.apply(transaction));
      inForce = next;
    },
    /** CPU seconds of a reading, with those of its tools, and its duration in seconds. */
    async read() {
      const [cpuBegin, begin] = [cpuSeconds(), performance.now()];
      /** @type {readonly {endpoint?: unknown, connections?: number}[]} */
      const counts = await dataplane.connections();
      const [cpu, took] = [cpuSeconds() - cpuBegin, (performance.now() - begin) / 1000];
      const counted = counts.reduce(
        (sum, count) => sum + (count.endpoint === undefined ? (count.connections ?? 0) : 0),
        0,
      );
      return { cpu, took, counted };
    },
    async close() {
      dataplane.close?.();
      await sandbox.close();
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof makeNode>>} Node */

/**
 * Fails unless that many connections were counted since: then the counters did their work while it was measured.
 *
 * @param {Node} node
 * @param {number} since what was counted before
 * @param {number} made
 */
async function check(node, since, made) {
  // The kernel updates IPVS statistics every two seconds.
  const deadline = performance.now() + 10_000;
  for (;;) {
    const counted = (await node.read()).counted - since;
    if (counted >= made) {
      return;
    }
    if (performance.now() > deadline) {
      throw new Error(`${counted} of ${made} connections were counted`);
    }
  }
}

/**
 * @template Item
 * @param {readonly Item[]} items
 */
function shuffled(items) {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

/**
 * @param {Mode} mode
 * @param {Report} report
 */
async function measure(mode, report) {
  const nodes = [await makeNode(mode), await makeNode(mode)];
  const client = startClient(nodes.map(({ hosts }) => hosts));
  /**
   * Nanoseconds of a connection that nothing disturbed, on the node that counts, and on the other.
   *
   * @param {Counted} counted
   * @param {number} counting the index of the node that counts
   */
  const turn = async (counted, counting) => {
    for (const [index, node] of nodes.entries()) {
      await node.count(index === counting ? counted : 'nothing');
    }
    const node = /** @type {Node} */ (nodes[counting]);
    const before = counted === 'nothing' ? 0 : (await node.read()).counted;
    await client.connect(WARM_UP);
    const took = (await client.connect(BURSTS)).map((bursts) => percentile(bursts, UNDISTURBED));
    if (counted !== 'nothing') {
      await check(node, before, (WARM_UP + BURSTS) * BURST);
    }
    return { on: took[counting] ?? Number.NaN, off: took[1 - counting] ?? Number.NaN };
  };
  try {
    /** @type {readonly Counted[]} */
    const kinds = ['nothing', 'connections', ...(mode === 'nftables' ? /** @type {const} */ (['traffic']) : [])];
    const results = new Map(
      kinds.map((kind) => [kind, /** @type {{lost: number, cost: number, off: number}[]} */ ([])]),
    );
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const counted of shuffled(kinds)) {
        const turns = [await turn(counted, round % 2), await turn(counted, 1 - (round % 2))];
        const off = mean(turns.map((one) => one.off));
        // Of the ratios the geometric mean, as the nodes changed places: what makes one of them slower is in one inverted.
        const ratio = Math.exp(mean(turns.map((one) => Math.log(one.on / one.off))));
        // The first round warms up.
        if (round > 0) {
          results.get(counted)?.push({ lost: (1 - 1 / ratio) * 100, cost: (ratio - 1) * off, off });
        }
      }
    }
    /** @param {Counted} counted */
    const lost = (counted) => (results.get(counted) ?? []).map((result) => result.lost);
    /** @param {readonly number[]} all */
    const interval = (all) =>
      medianInterval(all)
        .map((value) => value.toFixed(2))
        .join(' to ');
    const control = lost('nothing');
    const off = median([...results.values()].flatMap((all) => all.map((result) => result.off)));
    report.add(`${mode}: new connections without counters, one after another`, 1e9 / off, '/s');
    for (const counted of kinds.slice(1)) {
      const node = /** @type {Node} */ (nodes[0]);
      await node.count(counted);
      const readings = [];
      while (readings.length < READINGS) {
        readings.push(await node.read());
      }
      const cpu = median(readings.map((reading) => reading.cpu));
      const share = median(readings.map((one) => one.cpu / (one.took + Math.max(PAUSE, one.took * PAUSE_RATIO)))) * 100;
      const name = counted === 'traffic' ? 'connection and traffic' : 'connection';
      report.add(`${mode}: loss by ${name} counters`, median(lost(counted)), '%', {
        atMost: AIM,
        columns: {
          '95 %': interval(lost(counted)),
          'control: nothing on both': `${median(control).toFixed(2)} (${interval(control)})`,
          'each connection': `${(median((results.get(counted) ?? []).map(({ cost }) => cost)) / 1000).toFixed(2)} µs`,
        },
      });
      report.add(`${mode}: CPU of a reading of ${name} counters`, cpu * 1000, 'ms');
      report.add(`${mode}: CPU of readings of ${name} counters, while metrics are scraped`, share, '%', {
        atMost: AIM,
      });
    }
  } finally {
    client.stop();
    for (const node of nodes) {
      await node.close();
    }
  }
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

await runScript(async () => {
  const here = values.inside ? MODES : MODES.filter((mode) => mode !== 'ipvs');
  if (here.length > 0) {
    const what = values.response === '0' ? '' : `, a response of ${values.response} bytes in each connection`;
    const where = values.inside ? ', in User-Mode Linux, one processor' : '';
    const report = new Report('counters', `${SERVICES} Services × 2, ${ROUNDS} rounds${what}${where}`);
    for (const mode of here) {
      await measure(mode, report);
    }
    report.finish();
  }
  if (!values.inside && MODES.includes('ipvs')) {
    prepare({ ipvs: true });
    const sizes = ['--services', values.services, '--rounds', values.rounds, '--response', values.response];
    return await runInIpvsKernel([process.execPath, SELF, '--inside', '--modes', 'ipvs', ...sizes], { timeout: 1800 });
  }
  return Number(process.exitCode ?? 0);
});
process.exit();
