#!/usr/bin/env node
// The cost of the flight recorder: npm run bench:recorder. An hour with 100 changes a second is recorded as fast as
// possible; its CPU time is compared with that hour, and with that of resolving the same changes in the same run.
import { isDeepStrictEqual } from 'node:util';
import {
  DEFAULT_PROXIER_OPTIONS,
  ObjectReader,
  ProxyStateResolver,
  silentLogger,
} from '../packages/core/dist/index.js';
import { ReportedObjectList } from '../packages/core/dist/testing/index.js';
import { FlightRecorder, replayRecording } from '../packages/server/dist/index.js';
import { pod, podsOf, service, slice } from './lib/cluster.mjs';
import { collectGarbage, toMegabytes } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

const SERVICES = Number(process.env.SERVICES ?? 10_000);
const ENDPOINTS = 10;
const RATE = 100;
const SECONDS = Number(process.env.SECONDS ?? 3600);
const OPTIONS = { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' };

/** A clock that the benchmark sets. */
const clock = {
  time: 0,
  now: () => Date.UTC(2026, 0, 1) + clock.time,
  monotonic: () => clock.time,
  setTimer: () => ({ cancel() {} }),
};

/**
 * The slice of a Service, of which one endpoint may be not ready.
 *
 * @param {number} index
 * @param {number} [unready]
 */
const sliceOf = (index, unready) =>
  slice(
    index,
    podsOf(index, ENDPOINTS).map((_pod, offset) => ({
      ...pod(index * ENDPOINTS + offset),
      ready: offset !== unready,
      serving: true,
    })),
  );

/** CPU time of this process, with its threads, in ms. */
const cpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const memory = () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Outside of what uses the objects: the recorder keeps it, and would keep them with it. */
const notReady = () => undefined;

/** @param {boolean} recorded */
async function run(recorded) {
  clock.time = 0;
  const reader = new ObjectReader();
  const resolver = new ProxyStateResolver({ family: 'IPv4', options: OPTIONS, reader, since: 0 });
  // A source has its objects with and without a recorder.
  const objects = new ReportedObjectList();
  const context = { nodeName: 'node1', clock, reader, objects, allowLoopbackEndpoints: false, logger: silentLogger };
  const recorder = recorded ? new FlightRecorder({}, { ...context, notReady }) : undefined;
  recorder?.familyServed('IPv4', OPTIONS);
  const events = objects.before({
    /** @type {import('../packages/core/dist/index.js').SourceHandler['onServiceUpdate']} */
    onServiceUpdate(...event) {
      resolver.updateService(...event);
      recorder?.sourceHandler.onServiceUpdate?.(...event);
    },
    /** @type {import('../packages/core/dist/index.js').SourceHandler['onEndpointsUpdate']} */
    onEndpointsUpdate(...event) {
      resolver.updateEndpointSlice(...event);
      recorder?.sourceHandler.onEndpointsUpdate?.(...event);
    },
  });
  const sync = () => {
    const { state, changes } = resolver.applyPending();
    recorder?.resolving('IPv4', state);
    recorder?.synced({ family: 'IPv4', state, changes, full: false, duration: 5, triggerTimes: [] });
  };
  /** @type {ReturnType<typeof sliceOf>[]} */
  const slices = [];
  const listBegin = cpuTime();
  for (let index = 0; index < SERVICES; index += 1) {
    const [one, endpoints] = [service(index), sliceOf(index)];
    events.onServiceUpdate(undefined, one);
    slices.push(endpoints);
    events.onEndpointsUpdate(undefined, endpoints);
  }
  recorder?.sourceHandler.onServicesSynced?.();
  recorder?.sourceHandler.onEndpointsSynced?.();
  sync();
  const list = cpuTime() - listBegin;
  let spent = 0;
  for (let second = 0; second < SECONDS; second += 1) {
    const changes = Array.from({ length: RATE }, (_, change) => {
      const number = second * RATE + change;
      const index = (number * 7919) % SERVICES;
      // Another endpoint each time that the slice changes.
      const current = sliceOf(index, (number + Math.floor(number / SERVICES)) % ENDPOINTS);
      const previous = slices[index];
      slices[index] = current;
      return { previous, current };
    });
    const begin = cpuTime();
    for (const { previous, current } of changes) {
      clock.time += 1000 / RATE;
      recorder?.queued('IPv4');
      events.onEndpointsUpdate(previous, current);
    }
    sync();
    // Parts are compressed by other threads meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    spent += cpuTime() - begin;
  }
  slices.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { recorder, resolver, objects, list, spent };
}

/** The cost without a recorder; frees all memory. */
async function plainCosts() {
  const before = memory();
  const result = await run(false);
  return { list: result.list, spent: result.spent, memory: memory() - before };
}

const plain = await plainCosts();
const before = memory();
const recorded = await run(true);
const recordedMemory = memory() - before;
const parts = [];
for await (const part of recorded.recorder?.dump() ?? []) {
  parts.push(part);
}
const dump = Buffer.concat(parts);
async function* pieces() {
  yield dump;
}
const replayBegin = performance.now();
let changes = 0;
const { replay, damage } = await replayRecording(pieces(), {
  after: (_entry, { change }) => {
    changes += change !== undefined && !change.isInitial ? 1 : 0;
    return true;
  },
});
const replayed = performance.now() - replayBegin;
const inForce = replay.inForce('IPv4');
const isSame =
  damage === undefined &&
  inForce !== undefined &&
  isDeepStrictEqual([...inForce.servicePorts], [...recorded.resolver.latest.servicePorts]);

const percent = (/** @type {number} */ milliseconds) => (milliseconds / (SECONDS * 1000)) * 100;
const report = new Report(
  'recorder',
  `${SERVICES} Services of ${ENDPOINTS} endpoints, ${RATE} changes/s for ${SECONDS} s`,
);
report.add('CPU of recording', percent(recorded.spent - plain.spent), '%', { atMost: 2 });
report.add('CPU of resolving the same changes', percent(plain.spent), '%');
report.add('CPU with recording, against without', recorded.spent / plain.spent, '');
report.add('memory of recording', toMegabytes(recordedMemory - plain.memory), 'MB', {
  atMost: 10,
});
report.add('memory of recorded changes', toMegabytes(recorded.recorder?.bytes ?? 0), 'MB');
report.add('initial lists: CPU of recording', recorded.list - plain.list, 'ms');
report.add('dump', toMegabytes(dump.length), 'MB');
report.add('replay of it', replayed, 'ms');
report.add('changes in it', changes, '', { atLeast: SECONDS * RATE * 0.95 });
report.add('replay leads to the same state', isSame ? 1 : 0, '', { atLeast: 1 });
report.finish();
