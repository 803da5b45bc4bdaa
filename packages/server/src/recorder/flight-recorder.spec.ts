import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  type ChangeSet,
  DEFAULT_PROXIER_OPTIONS,
  DualStackProxier,
  diffStates,
  type IPFamily,
  isEmptyChangeSet,
  ObjectReader,
  type Proxier,
  type ProxierContext,
  type ProxyState,
  ReconcilingProxier,
  type ReplayedSync,
  silentLogger,
} from '@kube-proxier/core';
import {
  FakeDataplane,
  type FakeTransaction,
  makeService,
  makeSlice,
  Random,
  RandomCluster,
  RecordingLogger,
  renderState,
  runCount,
  settle,
  until,
  VirtualClock,
} from '@kube-proxier/core/testing';
import { combineHandlers } from '../sources/combine-handlers.js';
import { FlightRecorder } from './flight-recorder.js';
import { replayRecording } from './read-recording.js';
import type { RecordingOptions } from './recording-options.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const START = Date.parse('2026-03-01T12:00:00Z');

/** What was really done, to compare a replay with. */
interface Done {
  readonly family: IPFamily;
  readonly full: boolean;
  readonly state: ProxyState;
  readonly transaction: FakeTransaction | undefined;
}

/** A proxier of both families on a fake backend, with a recorder. */
function startNode(options: RecordingOptions = {}, seed = 1) {
  const clock = new VirtualClock(START);
  const reader = new ObjectReader();
  const done: Done[] = [];
  const random = new Random(seed);
  const logger = new RecordingLogger();
  const recorder = new FlightRecorder(options, {
    ...{ nodeName: 'node1', clock, reader, logger, allowLoopbackEndpoints: false },
    notReady: () => (done.length === 0 ? 'waiting for first sync' : undefined),
  });
  recorder.modeSelected({ mode: 'fake' });
  const planes = new Map<IPFamily, FakeDataplane>();
  let addresses = ['192.0.2.1', '10.0.0.1'];
  const proxiers = FAMILIES.map((family) => {
    const plane = new FakeDataplane();
    let transaction: FakeTransaction | undefined;
    const plan = plane.plan.bind(plane);
    planes.set(
      family,
      Object.assign(plane, {
        plan: (...args: Parameters<FakeDataplane['plan']>) => {
          transaction = plan(...args);
          return transaction;
        },
      }),
    );
    const familyOptions = { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', driftCheckPeriod: 60_000 };
    recorder.familyServed(family, familyOptions);
    const context: ProxierContext = {
      ...{ family, clock, reader, options: familyOptions, logger: silentLogger },
      localAddresses: async () => {
        recorder.addressesRead(family, addresses);
        return addresses;
      },
      observer: {
        queued: () => recorder.queued(family),
        resolved: (_family, state) => {
          transaction = undefined;
          recorder.resolved(family, state);
        },
        synced: (success) => {
          done.push({ family, full: success.full, state: success.state, transaction });
          recorder.synced(success);
          recorder.checkReadiness();
        },
        failed: (failure) => recorder.failed(failure),
        repaired: (repair) => recorder.repaired(repair),
      },
    };
    return new ReconcilingProxier({ mode: 'fake', context, dataplane: plane });
  });
  const [ipv4, ipv6] = proxiers;
  if (!ipv4 || !ipv6) {
    throw new Error('one proxier for each family');
  }
  const both = new DualStackProxier(ipv4, ipv6);
  const handler = combineHandlers(both, [recorder.sourceHandler], silentLogger);
  const proxier: Proxier = { ...handler, mode: 'fake', sync: () => both.sync(), syncLoop: (s) => both.syncLoop(s) };
  const abort = new AbortController();
  const loop = both.syncLoop(abort.signal);
  return {
    ...{ clock, recorder, done, random, planes, proxier, logger, proxiers },
    moveTo(next: string[]) {
      addresses = next;
    },
    async stop() {
      abort.abort();
      await settle();
      await loop;
      await recorder.stop();
    },
  };
}

async function dumpOf(recorder: FlightRecorder): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of recorder.dump()) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function* inPieces(data: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < data.length; from += size) {
    yield data.subarray(from, from + size);
  }
}

async function replayAll(data: Uint8Array) {
  const syncs: ReplayedSync[] = [];
  const { replay, damage } = await replayRecording(inPieces(data), {
    after: (_entry, { sync }) => {
      if (sync) {
        syncs.push(sync);
      }
      return true;
    },
  });
  return { replay, damage, syncs };
}

/** The transactions of a backend that starts from nothing, for the syncs of a replay. */
async function transactionsOf(syncs: readonly ReplayedSync[]): Promise<readonly (FakeTransaction | undefined)[]> {
  const planes = new Map(FAMILIES.map((family) => [family, new FakeDataplane()]));
  const transactions: (FakeTransaction | undefined)[] = [];
  for (const { entry, state, changes } of syncs) {
    const plane = planes.get(entry.family) as FakeDataplane;
    const installed = entry.full ? new Map(plane.contents) : undefined;
    const transaction = isEmptyChangeSet(changes) ? undefined : plane.plan(state, changes, installed);
    if (transaction !== undefined) {
      await plane.apply(transaction);
    }
    transactions.push(transaction);
  }
  return transactions;
}

/** Without what counts up and what is only for the backend to compare. */
function contentOf(state: ProxyState | undefined): unknown {
  return (
    state && {
      node: state.node,
      servicePorts: new Map([...state.servicePorts]),
      frontends: new Map([...state.frontends]),
      clusterIPs: new Map([...state.clusterIPs]),
      healthCheckNodePorts: new Map([...state.healthCheckNodePorts]),
    }
  );
}

describe('a recording', () => {
  test('replays to the same states and the same transactions', async () => {
    for (let seed = 1; seed <= runCount(2, 10); seed += 1) {
      const node = startNode({}, seed);
      const cluster = new RandomCluster(node.random);
      for (let step = 0; step < 50; step += 1) {
        cluster.step({ ...node.proxier, onServicesSynced() {}, onEndpointsSynced() {} });
      }
      node.proxier.onServiceCIDRsUpdate(['10.96.0.0/16']);
      node.proxier.onServicesSynced();
      node.proxier.onEndpointsSynced();
      await node.clock.advance(1000);
      const steps = runCount(1000, 10_000);
      for (let step = 0; step < steps; step += 1) {
        cluster.step(node.proxier);
        if (node.random.chance(0.01)) {
          node.moveTo([`192.0.2.${node.random.below(3)}`]);
        }
        if (node.random.chance(0.3)) {
          await node.clock.advance(node.random.pick([1, 200, 3000, 70_000]));
        }
      }
      await node.clock.advance(5000);
      const { replay, syncs, damage } = await replayAll(await dumpOf(node.recorder));
      expect(damage).toBeUndefined();
      // Older syncs were dropped after an hour.
      const recent = node.done.slice(-syncs.length);
      expect(syncs.length).toBeGreaterThan(100);
      // Then the first ones are those that were in force at the begin of the recording.
      const skipped = node.done.length > syncs.length ? 2 : 0;
      for (const [index, sync] of syncs.entries()) {
        const real = recent[index] as Done;
        if (index >= skipped) {
          expect([sync.entry.family, sync.entry.full]).toEqual([real.family, real.full]);
          expect(contentOf(sync.state)).toEqual(contentOf(real.state));
        }
      }
      const transactions = await transactionsOf(syncs);
      for (const [index, transaction] of transactions.entries()) {
        if (index >= skipped) {
          expect([index, transaction]).toEqual([index, recent[index]?.transaction]);
        }
      }
      for (const family of FAMILIES) {
        const state = replay.inForce(family) as ProxyState;
        expect(renderState(state)).toEqual(node.planes.get(family)?.contents);
      }
      await node.stop();
    }
  });
});

void diffStates;
void ({} as ChangeSet);
void [mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, tmpdir, join];
void [gunzipSync, gzipSync, makeService, makeSlice, until];
