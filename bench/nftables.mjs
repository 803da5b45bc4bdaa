#!/usr/bin/env node
// The nftables backend against a real kernel, in a network namespace of its own: npm run bench:nftables. Needs root.
// Medians of one run; the machine is named. `--quick` leaves out what takes longest.
import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { DEFAULT_PROXIER_OPTIONS, diffStates, ObjectReader, ProxyStateResolver } from '../packages/core/dist/index.js';
import { createCommandRunner, createNft } from '../packages/linux/dist/index.js';
import { NftablesDataplane } from '../packages/nftables/dist/index.js';
import { cpuSeconds } from './cpu-seconds.mjs';

const quick = process.argv.includes('--quick');
const percentile = (numbers, p) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * p)];
const median = (numbers) => percentile(numbers, 0.5);
const milliseconds = (number) => `${number.toFixed(number < 10 ? 1 : 0)} ms`;
const namespace = `kpx-bench-${process.pid}`;
const rows = [];
const report = (what, measured, limit, text = milliseconds) =>
  rows.push({
    what,
    measured: text(measured),
    'at most': limit === undefined ? '' : text(limit),
    ok: limit === undefined ? '' : measured <= limit ? 'yes' : 'NO',
  });

function service(index) {
  return {
    metadata: { name: `svc-${index}`, namespace: 'default' },
    spec: {
      type: 'ClusterIP',
      clusterIP: `10.${96 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  };
}

function slice(index, count, round = 0) {
  return {
    metadata: {
      name: `svc-${index}-a`,
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': `svc-${index}` },
      ...(round === 0 ? {} : { annotations: {} }),
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 + (round % 2), protocol: 'TCP' }],
    endpoints: Array.from({ length: count }, (_, offset) => {
      const number = index * count + offset;
      return {
        addresses: [`10.${200 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`],
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: `node${number % 100}`,
      };
    }),
  };
}

/** The same Service with one endpoint at another address. */
function changed(index, count, round) {
  const one = slice(index, count);
  const [first, ...others] = one.endpoints;
  return { ...one, endpoints: [{ ...first, addresses: [`10.199.${(round >> 8) & 255}.${round & 255}`] }, ...others] };
}

function cluster(services, endpoints) {
  const resolver = new ProxyStateResolver({
    family: 'IPv4',
    options: {
      ...DEFAULT_PROXIER_OPTIONS,
      nodeName: 'node1',
      localTrafficDetection: { kind: 'source-cidr', cidr: '10.192.0.0/10' },
    },
    reader: new ObjectReader(),
    since: 0,
  });
  const slices = [];
  for (let index = 0; index < services; index += 1) {
    slices[index] = slice(index, endpoints);
    resolver.updateService(undefined, service(index));
    resolver.updateEndpointSlice(undefined, slices[index]);
  }
  return { resolver, slices };
}

async function counts(nft) {
  const table = await nft.list('ip', 'kube-proxier');
  const rules = [...table.chains.values()].reduce((sum, chain) => sum + chain.rules.length, 0);
  const elements = [...table.containers.values()].reduce((sum, container) => sum + container.elements.size, 0);
  return { chains: table.chains.size, rules, elements };
}

async function load(services, endpoints) {
  const runner = createCommandRunner({ prefix: ['nsenter', `--net=/run/netns/${namespace}`] });
  const nft = createNft({ runner });
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft });
  await dataplane.cleanup();
  const { resolver, slices } = cluster(services, endpoints);
  const { state } = resolver.applyPending();
  const installed = await dataplane.readBack();
  const begin = performance.now();
  await dataplane.apply(dataplane.plan(state, diffStates(undefined, state), installed));
  return { nft, dataplane, resolver, slices, state, elapsed: performance.now() - begin };
}

execFileSync('ip', ['netns', 'add', namespace]);
try {
  const sizes = [];
  for (const services of quick ? [10, 1000] : [10, 1000, 10_000, 50_000]) {
    const { nft, elapsed } = await load(services, 2);
    sizes.push({ services, ...(await counts(nft)), load: milliseconds(elapsed) });
  }
  console.table(sizes);

  const loads = [];
  let world;
  for (let round = 0; round < 3; round += 1) {
    world = await load(10_000, 2);
    loads.push(world.elapsed);
  }
  report('10,000 Services × 2: full load', median(loads), 1000);

  const { dataplane, resolver, slices, state } = world;
  const reads = [];
  for (let round = 0; round < 3; round += 1) {
    const begin = performance.now();
    const again = dataplane.plan(state, diffStates(undefined, state), await dataplane.readBack());
    reads.push(performance.now() - begin);
    if (again !== undefined) {
      throw new Error('what was written is not what was planned');
    }
  }
  report('10,000 × 2: read back and compare, nothing to write', median(reads));

  const change = (index, round) => {
    const next = changed(index, 2, round);
    resolver.updateEndpointSlice(slices[index], next);
    slices[index] = next;
  };
  const sync = async () => {
    const { state: next, changes } = resolver.applyPending();
    const transaction = dataplane.plan(next, changes);
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
  };
  const singles = [];
  for (let round = 1; round <= 300; round += 1) {
    const begin = performance.now();
    change((round * 7919) % 10_000, round);
    await sync();
    singles.push(performance.now() - begin);
  }
  report('10,000 × 2: one endpoint changed, event to kernel, p50', median(singles), 15);
  report('10,000 × 2: one endpoint changed, event to kernel, p99', percentile(singles, 0.99));

  for (const period of [0, 50, 1000]) {
    const seconds = quick ? 5 : 20;
    const total = seconds * 100;
    const lags = [];
    const cpu = cpuSeconds();
    const begin = performance.now();
    let made = 0;
    let waiting = [];
    let lastSync = Number.NEGATIVE_INFINITY;
    while (made < total || waiting.length > 0) {
      const now = performance.now();
      while (made < total && begin + made * 10 <= now) {
        made += 1;
        change((made * 7919) % 10_000, 1000 + made + period);
        waiting.push(begin + (made - 1) * 10);
      }
      if (waiting.length > 0 && now - lastSync >= period) {
        lastSync = now;
        const batch = waiting;
        waiting = [];
        await sync();
        const done = performance.now();
        lags.push(...batch.map((at) => done - at));
      } else {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    const what = `10,000 × 2: 100 changes/s for ${seconds} s, sync period ${period} ms`;
    report(
      `${what}: CPU`,
      cpuSeconds() - cpu,
      period === 50 ? seconds / 10 : undefined,
      (value) => `${value.toFixed(1)} s`,
    );
    report(`${what}: lag p50`, median(lags), period === 50 ? 50 : undefined);
  }

  if (!quick) {
    const { elapsed } = await load(50_000, 4);
    report('50,000 Services × 4: full load', elapsed, 5000);
    const big = await load(10, 5000);
    const edits = {
      'one endpoint replaced (few slots move)': changed(3, 5000, 1),
      'the first endpoint gone (few slots move)': { ...big.slices[3], endpoints: big.slices[3].endpoints.slice(1) },
    };
    for (const [what, next] of Object.entries(edits)) {
      const begin = performance.now();
      big.resolver.updateEndpointSlice(big.slices[3], next);
      const { state: after, changes } = big.resolver.applyPending();
      await big.dataplane.apply(big.dataplane.plan(after, changes));
      report(`10 Services × 5,000: ${what}`, performance.now() - begin);
    }
  }
} finally {
  execFileSync('ip', ['netns', 'delete', namespace]);
}

console.table(rows);
const { model } = cpus()[0];
const { version } = process;
console.log(`${cpus().length} × ${model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${version}`);
if (rows.some(({ ok }) => ok === 'NO')) {
  process.exitCode = 1;
}
