#!/usr/bin/env node
// The cost of a change of one weight in mode nftables, by netlink, beside other changes of one endpoint: npm run
// bench:weights [-- --services N --rounds N]. Needs root; in a network namespace of its own. From the event to the
// kernel, the changes in turns.
import { parseArgs } from 'node:util';
import { createNetlinkNft } from '../packages/linux/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { runInNewNetwork } from './lib/child-processes.mjs';
import { applyChanges, BenchCluster, install, verifyInstalled } from './lib/cluster.mjs';
import { timed } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median, medianInterval } from './lib/statistics.mjs';

const { values, positionals } = parseArgs({
  options: { services: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '600' } },
  allowPositionals: true,
});
const SERVICES = Number(values.services);
const ROUNDS = Number(values.rounds);
const ENDPOINTS = 2;
/** Rounds that compile the code. */
const WARM_UP = 200;
/** Services whose endpoints have unequal weights. */
const WEIGHTED = 100;

async function inside() {
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft: createNetlinkNft() });
  const cluster = new BenchCluster(SERVICES, ENDPOINTS, {
    localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
  });
  for (let index = 0; index < WEIGHTED; index += 1) {
    cluster.setWeight(index, 2);
  }
  await install(dataplane, cluster.resolve().state);
  /** @param {number} round */
  const other = (round) => WEIGHTED + ((round * 7919) % (SERVICES - WEIGHTED));
  /** @type {Record<string, (round: number) => void>} */
  const changes = {
    'one endpoint replaced by another': (round) => cluster.replaceEndpoint(other(round)),
    'one endpoint added': (round) => cluster.addEndpoint(other(round)),
    'one weight changed': (round) => cluster.setWeight(round % WEIGHTED, 3 + (Math.floor(round / WEIGHTED) % 7)),
    'one weight changed, the first that is not 1': (round) => cluster.setWeight(other(round), 3),
    'one weight back to 1': (round) => cluster.setWeight(other(round), 1),
  };
  const times = new Map(Object.keys(changes).map((what) => [what, /** @type {number[]} */ ([])]));
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    for (const [what, change] of Object.entries(changes)) {
      const took = await timed(async () => {
        change(round);
        await applyChanges(dataplane, cluster.resolve());
      });
      if (round >= WARM_UP) {
        times.get(what)?.push(took);
      }
    }
  }
  await verifyInstalled(dataplane, cluster.resolve().state);
  const report = new Report('weights', `${SERVICES} Services × ${ENDPOINTS}, ${ROUNDS} rounds in turns`);
  const replaced = median(times.get('one endpoint replaced by another') ?? []);
  for (const [what, all] of times) {
    const interval = medianInterval(all).map((value) => value.toFixed(2));
    report.add(`${what}, event to kernel, p50`, median(all), 'ms', {
      atMost: what === 'one weight changed' ? 1.2 * replaced : undefined,
      columns: { '95 %': interval.join(' to ') },
    });
  }
  report.finish();
  dataplane.close();
}

if (positionals[0] === 'inside') {
  await inside();
} else {
  const args = ['--services', values.services, '--rounds', values.rounds];
  process.exitCode = runInNewNetwork(new URL(import.meta.url).pathname, args).status;
}
