#!/usr/bin/env node
// Stale flows among a million tracked ones: npm run bench:conntrack (as root). A UDP Service is updated, endpoint by endpoint,
// in a network namespace of its own; meanwhile the limit of tracked connections of the host is raised, where it is lower.
// `--flows 100000` for fewer.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diffStates, silentLogger } from '../packages/core/dist/index.js';
import { makeResolver, makeService, makeSlice } from '../packages/core/dist/testing/index.js';
import { encodeFlow } from '../packages/linux/dist/conntrack/conntrack-messages.js';
import { ConntrackNetlink, NetlinkSocket } from '../packages/linux/dist/index.js';
import { be32, encodeAttributes } from '../packages/linux/dist/netlink/attributes.js';
import { BackgroundCleaning } from '../packages/server/dist/conntrack/background-cleaning.js';
import { ConntrackCleaner } from '../packages/server/dist/index.js';
import { bringLoopbackUp, runInNewNetwork } from './lib/child-processes.mjs';
import { EventLoopHold } from './lib/event-loop.mjs';
import { collectGarbage, memoryOf, timed } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

const { values, positionals } = parseArgs({
  options: { flows: { type: 'string', default: '1000000' } },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const FLOWS = Number(values.flows);
const ENDPOINTS = 10;
const MAX = '/proc/sys/net/netfilter/nf_conntrack_max';
const [CREATE, EXCLUSIVE] = [0x400, 0x200];
const NEW_FLOW = (1 << 8) | 0;
const [STATUS, TIMEOUT] = [3, 7];
const SEEN_REPLY_CONFIRMED = (1 << 1) | (1 << 3);

/** Tracks as many flows of the Service, spread over endpoints of a network. */
async function fill(/** @type {number} */ network) {
  const client = { address: '10.255.254.253', port: 65_000 };
  const endpoint = '10.255.254.252';
  /** @type {import('../packages/linux/dist/index.js').ConntrackEntry} */
  const entry = {
    ...{ family: 'IPv4', protocol: 'UDP', zone: 0 },
    original: { source: client.address, sourcePort: client.port, destination: '10.96.0.10', destinationPort: 53 },
    reply: { source: endpoint, sourcePort: 5353, destination: client.address, destinationPort: client.port },
  };
  const flow = encodeFlow({ entry, id: 0, replyZone: 0 });
  const template = Buffer.concat([
    flow,
    encodeAttributes([
      { type: TIMEOUT, value: be32(3600) },
      { type: STATUS, value: be32(SEEN_REPLY_CONFIRMED) },
    ]),
  ]);
  const clientsAt = [template.indexOf(bytesOf(client.address)), template.lastIndexOf(bytesOf(client.address))];
  const endpointAt = template.indexOf(bytesOf(endpoint));
  const netlink = new NetlinkSocket('netfilter');
  for (let from = 0; from < FLOWS; from += 10_000) {
    const requests = [];
    for (let index = from; index < Math.min(from + 10_000, FLOWS); index += 1) {
      const payload = Buffer.from(template);
      for (const at of clientsAt) {
        payload.writeUInt32BE(0x0a10_0000 + index, at);
      }
      bytesOf(endpointAddress(network, index % ENDPOINTS)).copy(payload, endpointAt);
      requests.push({ type: NEW_FLOW, flags: CREATE | EXCLUSIVE, payload });
    }
    const refused = (await netlink.execute(requests)).find((errno) => errno !== 0);
    if (refused !== undefined) {
      throw new Error(`the kernel refuses a flow (error ${refused}): see ${MAX}`);
    }
  }
  netlink.close();
}

/** @param {string} address */
function bytesOf(address) {
  return Buffer.from(address.split('.').map(Number));
}

/** @param {number} network @param {number} index */
const endpointAddress = (network, index) => `10.244.${network}.${index + 1}`;

function fillInAnotherProcess(/** @type {number} */ network) {
  const { status } = spawnSync(process.execPath, [SELF, 'fill', String(network), '--flows', String(FLOWS)], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    throw new Error('the flows could not be created');
  }
}

async function inside() {
  bringLoopbackUp();
  const service = makeService('kube-system/dns', {
    clusterIP: '10.96.0.10',
    ports: [{ name: 'dns', port: 53, protocol: 'UDP' }],
  });
  const resolver = makeResolver({});
  resolver.updateService(undefined, service);
  /** @type {ReturnType<typeof makeSlice> | undefined} */
  let slice;
  const setEndpoints = (/** @type {readonly string[]} */ addresses) => {
    const next = makeSlice('kube-system/dns', addresses, {
      ports: [{ name: 'dns', port: 5353, protocol: 'UDP' }],
      addressType: 'IPv4',
    });
    resolver.updateEndpointSlice(slice, next);
    slice = next;
    return resolver.applyPending();
  };

  const table = new ConntrackNetlink();
  /** @type {(() => void) | undefined} */
  let cleaned;
  /** @param {import('../packages/linux/dist/index.js').Conntrack} conntrack */
  const makeCleaning = (conntrack) => {
    const cleaner = new ConntrackCleaner(
      conntrack,
      silentLogger,
      async () => ['127.0.0.1'],
      undefined,
      () => cleaned?.(),
    );
    return new BackgroundCleaning((success) => cleaner.synced(success));
  };
  const eventLoop = new EventLoopHold();

  /**
   * One sync: for how long it waits, until all stale flows are deleted, how long the event loop was blocked at most, and memory at most.
   *
   * @param {BackgroundCleaning} cleaning
   * @param {ReturnType<typeof setEndpoints>} resolved
   * @param {boolean} [full]
   */
  const sync = async (cleaning, { state, changes }, full = false) => {
    collectGarbage();
    writeFileSync('/proc/self/clear_refs', '5');
    const before = memoryOf(process.pid).resident;
    await new Promise((resolve) => setTimeout(resolve, 20));
    eventLoop.take();
    const begin = performance.now();
    const done = new Promise((resolve) => {
      cleaned = () => resolve(undefined);
    });
    const delayed = await timed(() =>
      cleaning.synced({
        ...{ family: 'IPv4', state, full, duration: 0, triggerTimes: [] },
        changes: full ? diffStates(undefined, state) : changes,
      }),
    );
    await done;
    const gone = performance.now() - begin;
    const hold = eventLoop.take();
    const memory = memoryOf(process.pid).peak - before;
    return { delayed, gone, ...hold, memory };
  };

  const old = Array.from({ length: ENDPOINTS }, (_, index) => endpointAddress(0, index));
  /** Fails when stale flows remain, or other flows were deleted. */
  const check = async (/** @type {number} */ gone) => {
    let left = 0;
    let stale = 0;
    const isStale = new Set(old.slice(0, gone));
    await table.list('IPv4', 'UDP', ({ reply }) => {
      left += 1;
      stale += isStale.has(reply.source) ? 1 : 0;
      return false;
    });
    if (stale > 0 || left !== FLOWS - gone * (FLOWS / ENDPOINTS)) {
      throw new Error(`${stale} stale flows are left, and ${left} in all`);
    }
  };

  const report = new Report(
    'conntrack',
    `a UDP Service of ${ENDPOINTS} endpoints with ${FLOWS.toLocaleString('en')} tracked flows`,
  );

  fillInAnotherProcess(0);
  const cleaning = makeCleaning(table);
  const first = await sync(cleaning, setEndpoints(old), true);
  report.add('first sync: all flows read, none stale', first.gone, 'ms');
  addHold(report, [first]);
  report.add('the same: memory', first.memory, 'MB', { atMost: 50 });
  report.add('the same: a sync is delayed', first.delayed, 'ms', { atMost: 5 });
  await check(0);

  const steps = [];
  for (let replaced = 1; replaced <= ENDPOINTS; replaced += 1) {
    const resolved = setEndpoints(
      old.map((address, index) => (index < replaced ? endpointAddress(1, index) : address)),
    );
    steps.push(await sync(cleaning, resolved));
    if (replaced === 1 || replaced === ENDPOINTS) {
      await check(replaced);
    }
  }
  const each = `${(FLOWS / ENDPOINTS).toLocaleString('en')} stale flows`;
  report.add(`rolling update, each step ${each}: deleted after, p50`, median(steps.map(({ gone }) => gone)), 'ms', {
    atMost: 1000,
  });
  report.add('the same: at most', Math.max(...steps.map(({ gone }) => gone)), 'ms', { atMost: 1000 });
  addHold(report, steps);
  report.add('the same: memory', Math.max(...steps.map(({ memory }) => memory)), 'MB', { atMost: 50 });
  report.add('the same: a sync is delayed', Math.max(...steps.map(({ delayed }) => delayed)), 'ms', { atMost: 5 });

  setEndpoints(old);
  fillInAnotherProcess(0);
  const again = makeCleaning(table);
  await sync(again, setEndpoints(old), true);
  const all = await sync(again, setEndpoints(old.map((_address, index) => endpointAddress(1, index))));
  await check(ENDPOINTS);
  report.add('all endpoints replaced at once, all flows stale: deleted after', all.gone, 'ms');
  addHold(report, [all]);
  report.add('the same: memory', all.memory, 'MB', { atMost: 50 });

  setEndpoints(old);
  fillInAnotherProcess(0);
  // As on kernels without deletion by translation: before Linux 6.11, and IPv6.
  const listing = makeCleaning({
    list: (family, protocol, wanted) => table.list(family, protocol, wanted),
    delete: (entries) => table.delete(entries),
    deleteMatching: (family, protocol, groupOf) => table.deleteMatching(family, protocol, groupOf),
  });
  await sync(listing, setEndpoints(old), true);
  const listed = await sync(listing, setEndpoints([...old.slice(1), endpointAddress(1, 0)]));
  await check(1);
  report.add(`with a list (IPv6, Linux before 6.11), ${each}: deleted after`, listed.gone, 'ms');
  addHold(report, [listed]);
  report.add('the same: memory', listed.memory, 'MB', { atMost: 50 });
  report.finish();
}

/**
 * @param {Report} report
 * @param {readonly import('./lib/event-loop.mjs').Hold[]} holds
 */
function addHold(report, holds) {
  report.add('the same: event loop blocked, longest block', Math.max(...holds.map(({ longest }) => longest)), 'ms', {
    atMost: 50,
  });
  report.add('the same: CPU time of one block', Math.max(...holds.map(({ busiest }) => busiest)), 'ms');
}

const [role, network] = positionals;
if (role === 'fill') {
  await fill(Number(network));
} else if (role === 'inside') {
  await inside();
} else {
  const before = Number(readFileSync(MAX, 'utf8'));
  const needed = Math.round(FLOWS * 1.1);
  if (before < needed) {
    // A network namespace has no larger limit than the first one.
    writeFileSync(MAX, String(needed));
  }
  try {
    process.exitCode = runInNewNetwork(SELF, ['--flows', values.flows]).status;
  } finally {
    if (before < needed) {
      writeFileSync(MAX, String(before));
    }
  }
}
