#!/usr/bin/env node
// Limits: npm run bench:limits (as root). The whole command with clusters of the largest kind, from the fake API server
// of this repository, each in a separate network namespace. `--only` names the cases to run; verify-100000 runs by name only.
import { execFileSync, spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plainKubeconfig } from '../scripts/plain-kubeconfig.mjs';
import { apiService, apiSlice } from './lib/api-objects.mjs';
import { bringLoopbackUp, runInNewNetwork } from './lib/child-processes.mjs';
import { address, podsOf, service, slice } from './lib/cluster.mjs';
import { EventLoopHold } from './lib/event-loop.mjs';
import { MeasuredProxy } from './lib/measured-proxy.mjs';
import { collectGarbage, cpuSeconds, memoryOf, timed, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/**
 * @typedef {ReturnType<typeof apiService>} ApiService
 * @typedef {ReturnType<typeof apiSlice>} ApiSlice
 *
 * @typedef {object} Case
 * @property {string} what
 * @property {'nftables' | 'iptables-nft'} subject
 * @property {() => Iterable<{service?: ApiService, slice: ApiSlice}>} objects
 * @property {(round: number) => ApiSlice} change
 * @property {(round: number) => string} address that the change adds
 * @property {number} rounds
 * @property {{load?: number, change?: number, hold?: number, resident?: number}} aims in milliseconds and MB
 * @property {(() => Promise<void>) | undefined} [check] fails when something else is not as it should be
 *
 * @typedef {object} Measured times in milliseconds, memory in MB
 * @property {number} load
 * @property {number} cpu seconds
 * @property {number} loadHold
 * @property {number} loadBusy
 * @property {number} [settleHold] in the 30 s after the load
 * @property {number} [settleBusy]
 * @property {number} resident
 * @property {number} peak
 * @property {number} change
 * @property {number} changeHold
 * @property {number} changeBusy
 */

const SLICES = 500;
const PER_SLICE = 100;
const LOCAL_SERVICES = 5000;
const HEALTH_PORT = 10_000;

/** @param {number} round */
const freshAddress = (round) => address(216, round);

/**
 * @param {ApiSlice} slice
 * @param {number} round
 */
function withFreshEndpoint(slice, round) {
  const [first] = slice.endpoints;
  if (first) {
    first.addresses = [freshAddress(round)];
  }
  return slice;
}

/**
 * @param {number} services
 * @param {number} endpoints
 */
function* cluster(services, endpoints) {
  for (let index = 0; index < services; index += 1) {
    yield { service: apiService(index), slice: apiSlice(index, endpoints) };
  }
}

/** One of the slices of Service 0. */
function largeSlice(/** @type {number} */ number) {
  const slice = apiSlice(0, 0);
  slice.metadata.name = `svc-0-${number}`;
  slice.endpoints = apiSlice(number, PER_SLICE).endpoints;
  return slice;
}

function* oneLargeService() {
  yield { service: apiService(0), slice: largeSlice(0) };
  for (let number = 1; number < SLICES; number += 1) {
    yield { slice: largeSlice(number) };
  }
}

/** With an endpoint on this node, and one on another. */
function localSlice(/** @type {number} */ index) {
  const slice = apiSlice(index, 2);
  for (const [number, endpoint] of slice.endpoints.entries()) {
    endpoint.nodeName = `node${number + 1}`;
  }
  return slice;
}

function* localServices() {
  for (let index = 0; index < LOCAL_SERVICES; index += 1) {
    const service = apiService(index);
    const [port] = service.spec.ports;
    Object.assign(service.spec, {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: HEALTH_PORT + index,
      ports: [{ ...port, nodePort: 20_000 + index }],
    });
    yield { service, slice: localSlice(index) };
  }
}

/** @type {Readonly<Record<string, Case>>} */
const CASES = {
  'nftables-100000': {
    what: 'nftables, 100,000 Services × 5',
    subject: 'nftables',
    objects: () => cluster(100_000, 5),
    change: (round) => withFreshEndpoint(apiSlice((round * 7919) % 100_000, 5), round),
    address: freshAddress,
    rounds: 101,
    aims: { load: 15_000, change: 5, hold: 50, resident: 400 },
  },
  'iptables-50000': {
    what: 'iptables (nft), 50,000 Services × 2',
    subject: 'iptables-nft',
    objects: () => cluster(50_000, 2),
    change: (round) => withFreshEndpoint(apiSlice((round * 7919) % 50_000, 2), round),
    address: freshAddress,
    rounds: 11,
    aims: { load: 15_000 },
  },
  'one-service': {
    what: 'nftables, one Service with 50,000 endpoints in 500 slices',
    subject: 'nftables',
    objects: oneLargeService,
    change: (round) => withFreshEndpoint(largeSlice((round * 7) % SLICES), round),
    address: freshAddress,
    rounds: 31,
    aims: { change: 50, hold: 50 },
  },
  'local-5000': {
    what: 'nftables, 5,000 Services with externalTrafficPolicy Local, NodePort and health port',
    subject: 'nftables',
    objects: localServices,
    change: (round) => withFreshEndpoint(localSlice((round * 7) % LOCAL_SERVICES), round),
    address: freshAddress,
    rounds: 31,
    aims: { hold: 50 },
    async check() {
      const listening = execFileSync('ss', ['-Hltn'], { encoding: 'utf8' });
      const ports = new Set([...listening.matchAll(/:(\d+) /g)].map(([, port]) => Number(port)));
      const missing = Array.from({ length: LOCAL_SERVICES }, (_, index) => HEALTH_PORT + index).filter(
        (port) => !ports.has(port),
      );
      if (missing.length > 0) {
        throw new Error(`${missing.length} health ports do not listen, ${missing[0]} for example`);
      }
      for (const index of [0, 1, LOCAL_SERVICES - 1]) {
        const { status } = await fetch(`http://127.0.0.1:${HEALTH_PORT + index}/`);
        if (status !== 200) {
          throw new Error(`health port ${HEALTH_PORT + index} answers ${status}`);
        }
      }
    },
  },
};

/** Cases without an API server, by their name: what they are called, Services, endpoints of each, and aims. */
const DIRECT = {
  'direct-100000': {
    what: 'nftables, 100,000 Services × 5, events in the same process',
    services: 100_000,
    endpoints: 5,
    aims: { load: 15_000, change: 5, hold: 50, resident: 400 },
  },
};

/** Cases of the background verification, which takes minutes, by their name: not run by default. */
const VERIFIED = {
  'verify-100000': {
    what: 'nftables, 100,000 Services × 5, background verification',
    services: 100_000,
    endpoints: 5,
    aims: { hold: 50, resident: 400 },
  },
};

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [...Object.keys(CASES), ...Object.keys(DIRECT)] } },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
/** Milliseconds after the first sync in which memory settles. */
const SETTLE = 30_000;
const NODE_ADDRESS = '192.168.1.10';
const NODE = { metadata: { name: 'node1' }, status: { addresses: [{ type: 'InternalIP', address: NODE_ADDRESS }] } };
/** The first verification begins 27 s after the first sync or later; another one is not due in this time. */
const VERIFY_PERIOD = '30m';
const VERIFY_BEGINS = 20_000;

/** From now on, the agent has precedence over the API server, which is this process: in a cluster, that has its own processors. */
function yieldProcessors() {
  setPriority(constants.priority.PRIORITY_LOW);
}

/** @param {Case} one */
async function inside({ subject, objects, change, rounds, check, ...one }) {
  bringLoopbackUp();
  const { FakeApiServer } = await import('../packages/source-kubernetes/dist/testing/index.js');
  const server = await FakeApiServer.start();
  for (const { service, slice } of objects()) {
    if (service) {
      server.store.put('services', service);
    }
    server.store.put('endpointslices', slice);
  }
  server.store.put('nodes', { metadata: { name: 'node1' } });
  server.encodeAll();
  const [mode = '', variant] = subject.split('-');
  if (variant !== undefined) {
    spawnSync(`iptables-${variant}`, ['-t', 'mangle', '-N', 'KUBE-IPTABLES-HINT']);
  }
  const proxy = new MeasuredProxy({
    peer: undefined,
    mode,
    kubeconfig: plainKubeconfig(server.url),
    flags: ['--iptables-min-sync-period=0s'],
  });
  yieldProcessors();
  try {
    const load = await proxy.firstSync(560_000);
    const { cpu } = proxy;
    const { longest: loadHold, busiest: loadBusy } = await proxy.eventLoopHold();
    await wait(SETTLE);
    const { resident, peak } = proxy.memory;
    if (check) {
      const begin = performance.now();
      for (;;) {
        try {
          await check();
          break;
        } catch (error) {
          if (performance.now() - begin > 60_000) {
            throw error;
          }
          await wait(500);
        }
      }
    }
    // Memory is collected and returned meanwhile.
    const { longest: settleHold, busiest: settleBusy } = await proxy.eventLoopHold();
    const times = [];
    for (let round = 1; round <= rounds + 5; round += 1) {
      const before = proxy.syncs.length;
      times.push(
        await timed(async () => {
          server.store.put('endpointslices', change(round));
          await proxy.until(() => proxy.syncs.length > before);
        }),
      );
      await wait(20);
    }
    const { longest: changeHold, busiest: changeBusy } = await proxy.eventLoopHold();
    const [list = '', ...args] =
      mode === 'nftables' ? ['nft', 'list', 'ruleset', 'ip'] : ['iptables-nft-save', '-t', 'nat'];
    const text = execFileSync(list, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
    if (!text.includes(one.address(rounds + 5))) {
      throw new Error('the last change is in the log of the agent, but not in the kernel');
    }
    /** @type {Measured} */
    const measured = {
      load,
      cpu,
      loadHold,
      loadBusy,
      settleHold,
      settleBusy,
      resident,
      peak,
      change: median(times.slice(5)),
      changeHold,
      changeBusy,
    };
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    await proxy.stop();
    await server.stop();
  }
}

/**
 * Without an API server: events, resolution, planning and writing in this process. The objects of events are not kept, as a source
 * keeps none.
 *
 * @param {number} services
 * @param {number} endpoints
 */
async function direct(services, endpoints) {
  bringLoopbackUp();
  const { createNetlinkNft } = await import('../packages/linux/dist/index.js');
  const { NftablesDataplane } = await import('../packages/nftables/dist/index.js');
  const { DEFAULT_PROXIER_OPTIONS, ReconcilingProxier, silentLogger, systemClock } = await import(
    '../packages/core/dist/index.js'
  );
  const nft = createNetlinkNft({});
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft });
  let onSync = () => {};
  const synced = () => new Promise((resolve) => (onSync = () => resolve(undefined)));
  const options = {
    ...{ ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0 },
    localTrafficDetection: /** @type {const} */ ({ kind: 'source-cidr', cidr: '10.192.0.0/10' }),
  };
  const proxier = new ReconcilingProxier({
    mode: 'nftables',
    context: {
      ...{ family: 'IPv4', options, logger: silentLogger, clock: systemClock, localAddresses: async () => [] },
      observer: { synced: () => onSync(), failed: ({ error }) => console.error(error) },
    },
    dataplane,
  });
  const abort = new AbortController();
  const loop = proxier.syncLoop(abort.signal);
  const eventLoop = new EventLoopHold();
  const begin = performance.now();
  const cpuBefore = cpuSeconds();
  for (let index = 0; index < services; index += 1) {
    proxier.onServiceUpdate(undefined, service(index));
    proxier.onEndpointsUpdate(undefined, slice(index, podsOf(index, endpoints)));
  }
  // What comes from an API server comes in pieces, between which the event loop runs.
  await wait(10);
  eventLoop.take();
  const first = synced();
  proxier.onServicesSynced();
  proxier.onEndpointsSynced();
  await first;
  const load = performance.now() - begin;
  const cpu = cpuSeconds() - cpuBefore;
  const { longest: loadHold, busiest: loadBusy } = eventLoop.take();
  // The second collection frees objects finalized by the first.
  collectGarbage();
  collectGarbage();
  await wait(1000);
  eventLoop.take();
  const { resident, peak } = memoryOf(process.pid);
  const times = [];
  for (let round = 1; round <= 301; round += 1) {
    times.push(
      await timed(async () => {
        const index = (round * 7919) % services;
        const pods = podsOf(index, endpoints);
        const next = slice(index, [{ address: freshAddress(round), node: 'node2' }, ...pods.slice(1)]);
        const done = synced();
        proxier.onEndpointsUpdate(slice(index, pods), next);
        await done;
      }),
    );
    await wait(1);
  }
  const { longest: changeHold, busiest: changeBusy } = eventLoop.take();
  abort.abort();
  await loop;
  /** @type {Measured} */
  const measured = {
    ...{ load, cpu, loadHold, loadBusy, resident, peak },
    ...{ change: median(times.slice(100)), changeHold, changeBusy },
  };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}

/**
 * The first verification after a start, with changes switched off. Fails if it finds a difference.
 *
 * @param {number} services
 * @param {number} endpoints
 */
async function verified(services, endpoints) {
  const [{ FakeApiServer }, { createCommandRunner }, { becomeNode }] = await Promise.all([
    import('../packages/source-kubernetes/dist/testing/index.js'),
    import('../packages/linux/dist/index.js'),
    import('../packages/linux/dist/testing/index.js'),
  ]);
  // Without routes, all classes of packets would differ.
  await becomeNode(createCommandRunner(), [NODE_ADDRESS]);
  const server = await FakeApiServer.start();
  for (const { service, slice } of cluster(services, endpoints)) {
    server.store.put('services', service);
    server.store.put('endpointslices', slice);
  }
  server.store.put('nodes', NODE);
  server.encodeAll();
  const proxy = new MeasuredProxy({
    ...{ peer: undefined, mode: 'nftables', kubeconfig: plainKubeconfig(server.url) },
    flags: [`--verify-period=${VERIFY_PERIOD}`],
  });
  yieldProcessors();
  try {
    await proxy.firstSync(560_000);
    const begin = performance.now();
    await wait(VERIFY_BEGINS);
    const { cpu, memory: before } = proxy;
    await proxy.eventLoopHold();
    let resident = 0;
    while (!/Verified the rules in the kernel/.test(proxy.log)) {
      resident = Math.max(resident, proxy.memory.resident);
      await wait(200);
    }
    const elapsed = performance.now() - begin;
    const [, verdict] = /Verified the rules in the kernel verdict="(\w+)"/.exec(proxy.log) ?? [];
    if (verdict !== 'verified') {
      throw new Error(`the verdict is ${verdict}; the log ends with\n${proxy.log}`);
    }
    const spent = proxy.cpu - cpu;
    await wait(SETTLE);
    // Memory is collected and returned after it.
    const { longest: hold, busiest: busy } = await proxy.eventLoopHold();
    const measured = {
      elapsed,
      cpu: spent,
      hold,
      busy,
      before: before.resident,
      resident,
      after: proxy.memory.resident,
    };
    process.stdout.write(`${JSON.stringify(measured)}\n`);
  } finally {
    await proxy.stop();
    await server.stop();
  }
}

/**
 * @param {Report} report
 * @param {Readonly<Record<string, number>>} measured
 * @param {{what: string, aims: Case['aims']}} one
 */
function addVerified(report, measured, { what, aims }) {
  const value = (/** @type {string} */ name) => measured[name] ?? Number.NaN;
  report.add(`${what}: from the first sync to the result`, value('elapsed'), 'ms');
  report.add('the same: CPU', value('cpu'), 's');
  report.add('until 30 s after it: event loop blocked, longest block', value('hold'), 'ms', { atMost: aims.hold });
  report.add('the same: CPU time of one block', value('busy'), 'ms');
  report.add('resident before it', value('before'), 'MB', { atMost: aims.resident });
  report.add('resident during it, at most', value('resident'), 'MB', { atMost: aims.resident });
  report.add('resident 30 s later', value('after'), 'MB', { atMost: aims.resident });
}

function main() {
  const report = new Report('limits', 'the whole command and the fake API server, one start each');
  let failed = false;
  for (const name of values.only) {
    const { what, aims } = caseOf(name);
    const { status, stdout } = runInNewNetwork(SELF, [name], 'pipe');
    if (status !== 0) {
      console.error(`${what}: failed`);
      failed = true;
      continue;
    }
    console.log(`${what}: ${stdout.trim()}`);
    const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    if (name in VERIFIED) {
      addVerified(report, result, { what, aims });
      continue;
    }
    const measured = /** @type {Measured} */ (result);
    report.add(`${what}: start to rules in the kernel`, measured.load, 'ms', { atMost: aims.load });
    report.add('the same: CPU', measured.cpu, 's');
    report.add('the same: event loop blocked, longest block', measured.loadHold, 'ms', { atMost: aims.hold });
    report.add('the same: CPU time of one block', measured.loadBusy, 'ms');
    if (measured.settleHold !== undefined) {
      report.add('the 30 s after it: event loop blocked, longest block', measured.settleHold, 'ms', {
        atMost: aims.hold,
      });
      report.add('the same: CPU time of one block', measured.settleBusy ?? Number.NaN, 'ms');
    }
    report.add('resident when it has settled', measured.resident, 'MB', { atMost: aims.resident });
    report.add('peak resident', measured.peak, 'MB');
    report.add('one slice changed, API to kernel, p50', measured.change, 'ms', { atMost: aims.change });
    report.add('the same: event loop blocked, longest block', measured.changeHold, 'ms', { atMost: aims.hold });
    report.add('the same: CPU time of one block', measured.changeBusy, 'ms');
  }
  report.finish();
  if (failed) {
    process.exitCode = 1;
  }
}

/**
 * @param {string} name
 * @returns {Pick<Case, 'what' | 'aims'>}
 */
function caseOf(name) {
  /** @type {Readonly<Record<string, Pick<Case, 'what' | 'aims'>>>} */
  const all = { ...CASES, ...DIRECT, ...VERIFIED };
  const found = all[name];
  if (found === undefined) {
    throw new Error(`no case ${name}; there are ${Object.keys(all).join(', ')}`);
  }
  return found;
}

const [role, name = ''] = positionals;
const chosen = CASES[name];
const withoutServer = DIRECT[/** @type {keyof typeof DIRECT} */ (name)];
const withVerification = VERIFIED[/** @type {keyof typeof VERIFIED} */ (name)];
if (role === 'inside' && chosen) {
  await inside(chosen);
} else if (role === 'inside' && withoutServer) {
  await direct(withoutServer.services, withoutServer.endpoints);
} else if (role === 'inside' && withVerification) {
  await verified(withVerification.services, withVerification.endpoints);
} else {
  main();
}
