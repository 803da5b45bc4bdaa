import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  DEFAULT_PROXIER_OPTIONS,
  DualStackProxier,
  type EndpointSlice,
  type IPFamily,
  isEmptyChangeSet,
  ObjectReader,
  type Proxier,
  type ProxierContext,
  type ProxyState,
  ReconcilingProxier,
  type ReplayedSync,
  type SourceHandler,
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
  ReportedObjectList,
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

/** The original actions, for comparison with a replay. */
interface Done {
  readonly family: IPFamily;
  readonly full: boolean;
  readonly state: ProxyState;
  readonly transaction: FakeTransaction | undefined;
}

/** A proxier of both families on a fake backend, with a recorder. */
function startNode(options: RecordingOptions = {}, seed = 1, start = START) {
  const clock = new VirtualClock(start);
  const reader = new ObjectReader();
  const done: Done[] = [];
  const random = new Random(seed);
  const logger = new RecordingLogger();
  const objects = new ReportedObjectList();
  const recorder = new FlightRecorder(options, {
    ...{ nodeName: 'node1', clock, reader, objects, logger, allowLoopbackEndpoints: false },
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
        resolving: (_family, latest) => {
          transaction = undefined;
          recorder.resolving(family, latest);
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
  /** Events that are not delivered yet; undefined: each is delivered at once. */
  let waiting: (() => void)[] | undefined;
  const deliver = (event: () => void) => void (waiting?.push(event) ?? event());
  const source: SourceHandler = objects.before({
    ...handler,
    onServiceUpdate: (...event) => deliver(() => handler.onServiceUpdate(...event)),
    onEndpointsUpdate: (...event) => deliver(() => handler.onEndpointsUpdate(...event)),
  });
  const proxier: Proxier = { ...source, mode: 'fake', sync: () => both.sync(), syncLoop: (s) => both.syncLoop(s) };
  const abort = new AbortController();
  const loop = both.syncLoop(abort.signal);
  return {
    ...{ clock, recorder, done, random, planes, proxier, logger, proxiers },
    /** Changes the cluster, and reports the changes as a source does that applies all of them before it reports the first, as after a list. */
    stepTogether(cluster: RandomCluster, changes: number) {
      const events: (() => void)[] = [];
      waiting = events;
      for (let change = 0; change < changes; change += 1) {
        cluster.step(proxier);
      }
      waiting = undefined;
      for (const event of events) {
        event();
      }
    },
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

/** Without counters and fields that only the backend compares. */
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
      // The first ones are then those in force at the beginning of the recording.
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

  test.each([1, 1000])(
    'contains the last changes that fit, and the initial objects; changes in batches of %i',
    async (batch) => {
      const node = startNode({ maxAge: 600_000, maxBytes: 40_000 });
      node.proxier.onServicesSynced();
      node.proxier.onEndpointsSynced();
      const cluster = new RandomCluster(node.random);
      for (let step = 0; step < (batch === 1 ? 4000 : 10_000); step += batch) {
        node.stepTogether(cluster, batch);
        if (step % 5 === 0) {
          await node.clock.advance(500);
        }
      }
      // Parts are compressed in the background.
      await until(() => node.recorder.bytes < 200_000);
      await node.clock.advance(60_000);
      const { replay, syncs, damage } = await replayAll(await dumpOf(node.recorder));
      expect(damage).toBeUndefined();
      expect(replay.begin.at).toBeGreaterThan(0);
      expect(syncs.length).toBeLessThan(node.done.length / 2);
      for (const family of FAMILIES) {
        expect(renderState(replay.inForce(family) as ProxyState)).toEqual(node.planes.get(family)?.contents);
      }
      await node.clock.advance(1_200_000);
      const { begin, at } = {
        begin: (await replayAll(await dumpOf(node.recorder))).replay.begin.at,
        at: node.clock.now(),
      };
      expect(at - START - begin).toBeLessThan(1_300_000);
      await node.stop();
    },
  );

  test('contains failures, drift, readiness, and changes of the clock', async () => {
    const node = startNode();
    node.recorder.checkReadiness();
    node.proxier.onServiceUpdate(undefined, makeService('work/web'));
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    await node.clock.advance(1000);
    node.planes.get('IPv4')?.failNext('halfway');
    node.proxier.onEndpointsUpdate(undefined, makeSlice('work/web', ['10.244.0.1']));
    await node.clock.advance(1000);
    node.planes.get('IPv4')?.flush();
    node.proxiers[0]?.reconcile();
    node.clock.set(3_600_000);
    await node.clock.advance(1000);
    const entries: string[] = [];
    const times: number[] = [];
    const { replay } = await replayRecording(inPieces(await dumpOf(node.recorder)), {
      after: (entry, { time }) => {
        entries.push(entry.entry);
        times.push(time);
        return true;
      },
    });
    expect(entries).toEqual(expect.arrayContaining(['ready', 'failed', 'drift', 'clock']));
    expect(times.at(-1)).toBeGreaterThan(START + 3_600_000);
    expect(replay.isFailing('IPv4')).toBe(false);
    expect(renderState(replay.inForce('IPv4') as ProxyState)).toEqual(node.planes.get('IPv4')?.contents);
    await node.stop();
  });

  test('has the state in force while a change is pending or fails', async () => {
    const node = startNode();
    node.proxier.onServiceUpdate(undefined, makeService('work/web'));
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    await node.clock.advance(5000);
    node.planes.get('IPv4')?.failNext('before', 'before', 'before', 'before', 'before', 'before');
    node.proxier.onEndpointsUpdate(undefined, makeSlice('work/web', ['10.244.0.1']));
    await node.clock.advance(500);
    const { replay } = await replayAll(await dumpOf(node.recorder));
    expect(replay.isFailing('IPv4')).toBe(true);
    expect([...(replay.inForce('IPv4')?.servicePorts.values() ?? [])].map(({ cluster }) => cluster)).toEqual([[]]);
    await node.stop();
  });

  test('contains only the fields of objects that a proxy reads', async () => {
    const node = startNode();
    const secret = 'hunter2';
    const metadata = {
      name: 'web',
      namespace: 'work',
      labels: { password: secret },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': secret },
      managedFields: [{ manager: secret }],
    };
    const service = (port: number) => ({
      ...makeService('work/web', { ports: [{ port }], selector: { secret } } as object, { metadata }),
      data: { secret },
      stringData: { secret },
    });
    const [before, after] = [service(80), service(81)];
    node.proxier.onServiceUpdate(undefined, before);
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    await node.clock.advance(1000);
    node.proxier.onServiceUpdate(before, after);
    node.proxier.onEndpointsUpdate(undefined, {
      ...makeSlice('work/web', ['10.0.0.1'], { annotations: { secret } }),
      ...({ data: secret, kind: 'Secret' } as object),
    });
    await node.clock.advance(5000);
    const text = gunzipSync(await dumpOf(node.recorder)).toString();
    expect(text).toContain('work/web');
    expect(text).toContain('81');
    expect(text).not.toContain(secret);
    await node.stop();
  });
});

describe('a hostile recording', () => {
  async function recordingText(): Promise<string> {
    const node = startNode();
    node.proxier.onServiceUpdate(undefined, makeService('work/web'));
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    await node.clock.advance(1000);
    let previous: EndpointSlice | undefined;
    for (let number = 1; number < 50; number += 1) {
      const current = makeSlice('work/web', [`10.244.0.${number}`]);
      node.proxier.onEndpointsUpdate(previous, current);
      previous = current;
      await node.clock.advance(2000);
    }
    const data = await dumpOf(node.recorder);
    await node.stop();
    return gunzipSync(data).toString();
  }

  test('that is truncated anywhere is read up to there, with an error', async () => {
    const text = await recordingText();
    const data = gzipSync(text);
    const whole = await replayAll(data);
    for (let size = 200; size < data.length; size += 97) {
      const { damage, syncs } = await replayAll(data.subarray(0, size));
      expect(damage).toMatch(/truncated|damaged/);
      expect(syncs.length).toBeLessThan(whole.syncs.length);
    }
    const half = text.slice(0, text.length / 2);
    expect((await replayAll(gzipSync(half))).damage).toMatch(/truncated/);
  });

  test('with any byte changed never fails in another way', async () => {
    const data = gzipSync(await recordingText());
    const random = new Random(7);
    for (let round = 0; round < 300; round += 1) {
      const broken = Buffer.from(data);
      broken[random.below(data.length)] = random.below(256);
      await replayAll(broken).catch((error: unknown) =>
        expect((error as { code?: string }).code).toMatch(/^(NOT_A_RECORDING|RECORDING_)/),
      );
    }
  });

  test('with any line changed never fails in another way', async () => {
    const lines = (await recordingText()).trimEnd().split('\n');
    const random = new Random(8);
    const pieces = ['null', '{}', '[]', '"x"', '-1', '1e999', '{"at":{"99":{"to":1}}}', '"gone"', '"__proto__"', ','];
    for (let round = 0; round < 300; round += 1) {
      const changed = [...lines];
      const index = random.below(changed.length);
      const line = changed[index] ?? '';
      const at = random.below(line.length);
      changed[index] = `${line.slice(0, at)}${random.pick(pieces)}${line.slice(at + random.below(20))}`;
      await replayAll(gzipSync(`${changed.join('\n')}\n`)).catch((error: unknown) =>
        expect((error as { code?: string }).code).toMatch(/^(NOT_A_RECORDING|RECORDING_)/),
      );
    }
  });

  test.each([
    ['an empty file', Buffer.alloc(0)],
    ['text', Buffer.from('apiVersion: v1')],
    ['another gzip file', gzipSync('hello\n')],
    ['JSON of something else', gzipSync('{"at":1,"entry":"mode","mode":"x"}\n')],
  ])('%s is no recording', async (_name, data) => {
    await expect(replayAll(data)).rejects.toMatchObject({ code: 'NOT_A_RECORDING' });
  });

  test('of another version is rejected with a remedy', async () => {
    const text = (await recordingText()).replace('"version":1', '"version":2');
    await expect(replayAll(gzipSync(text))).rejects.toThrow(/version 2.*reads version 1; use the kube-proxier that/);
  });

  test('that decompresses to gigabytes is rejected with bounded memory', async () => {
    const line = Buffer.alloc(64 * 1024 * 1024, ' ');
    const bomb = gzipSync(Buffer.concat([Buffer.from(`${(await recordingText()).split('\n')[0]}\n`), line]));
    const before = process.memoryUsage().rss;
    const { damage } = await replayAll(bomb);
    expect(damage).toMatch(/a line of more than/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('a recording on disk', () => {
  test.each([1, 8])(
    'is divided into files, each of which can be read alone, within the limits; changes in batches of %i',
    async (batch) => {
      const directory = mkdtempSync(join(tmpdir(), 'recording-'));
      const node = startNode({ directory: join(directory, 'made'), maxBytes: 40_000, maxAge: 100_000_000 });
      node.proxier.onServicesSynced();
      node.proxier.onEndpointsSynced();
      const cluster = new RandomCluster(node.random);
      for (let step = 0; step < 600; step += 1) {
        node.stepTogether(cluster, batch);
        await node.clock.advance(700);
        if (step % 10 === 0) {
          await node.recorder.flush();
        }
      }
      const expected = new Map(FAMILIES.map((family) => [family, node.planes.get(family)?.contents]));
      await node.clock.advance(3000);
      await node.stop();
      const files = readdirSync(join(directory, 'made')).sort();
      expect(files.length).toBeGreaterThan(1);
      const sizes = files.map((name) => statSync(join(directory, 'made', name)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80_000);
      for (const name of files) {
        const { replay, damage } = await replayAll(readFileSync(join(directory, 'made', name)));
        expect(damage).toBeUndefined();
        expect(replay.families.length).toBeGreaterThan(0);
      }
      const { replay } = await replayAll(readFileSync(join(directory, 'made', files.at(-1) ?? '')));
      for (const family of FAMILIES) {
        expect(renderState(replay.inForce(family) as ProxyState)).toEqual(expected.get(family));
      }
      rmSync(directory, { recursive: true });
    },
  );

  test('that cannot be written is logged once, and the agent continues', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'recording-'));
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const node = startNode({ directory: join(file, 'below') });
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    await node.clock.advance(1000);
    await until(() => node.logger.warnings.length > 0);
    expect(node.recorder.obstacle).toMatch(/^recording cannot be written to .*below: E/);
    node.proxier.onServiceUpdate(undefined, makeService('work/web'));
    await node.clock.advance(5000);
    expect(node.logger.warnings).toEqual([expect.stringMatching(/cannot be written to .*; check the free space/)]);
    expect((await replayAll(await dumpOf(node.recorder))).damage).toBeUndefined();
    // It is writable again: the file begins with a checkpoint.
    rmSync(file);
    node.proxier.onEndpointsUpdate(undefined, makeSlice('work/web', ['10.244.0.1']));
    await node.clock.advance(5000);
    await node.stop();
    expect(node.recorder.obstacle).toBeUndefined();
    const [name = ''] = readdirSync(join(file, 'below'));
    const { replay } = await replayAll(readFileSync(join(file, 'below', name)));
    expect(renderState(replay.inForce('IPv4') as ProxyState)).toEqual(node.planes.get('IPv4')?.contents);
    rmSync(directory, { recursive: true });
  });

  test('that can be written again begins with all objects, also within changes that are reported together', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'recording-'));
    const parent = join(directory, 'parent');
    writeFileSync(parent, '');
    const node = startNode({ directory: join(parent, 'below') });
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    const cluster = new RandomCluster(node.random);
    for (let step = 0; step < 100; step += 1) {
      cluster.step(node.proxier);
      await node.clock.advance(700);
    }
    await until(() => node.recorder.obstacle !== undefined);
    rmSync(parent);
    for (let round = 0; round < 3; round += 1) {
      node.stepTogether(cluster, 50);
      await node.clock.advance(3000);
      await node.recorder.flush();
    }
    expect(node.recorder.obstacle).toBeUndefined();
    const expected = new Map(FAMILIES.map((family) => [family, node.planes.get(family)?.contents]));
    await node.stop();
    const [name = ''] = readdirSync(join(parent, 'below'));
    const { replay, damage } = await replayAll(readFileSync(join(parent, 'below', name)));
    expect(damage).toBeUndefined();
    for (const family of FAMILIES) {
      expect(renderState(replay.inForce(family) as ProxyState)).toEqual(expected.get(family));
    }
    rmSync(directory, { recursive: true });
  });

  test.each([
    ['forwards', 30],
    ['backwards', -30],
  ])('keeps its files when the clock of the host is set %s', async (_, days) => {
    const directory = mkdtempSync(join(tmpdir(), 'recording-'));
    // The times of files are those of the host.
    const node = startNode({ directory, maxBytes: 10_000_000, maxAge: 3_600_000 }, 1, Date.now());
    node.proxier.onServicesSynced();
    node.proxier.onEndpointsSynced();
    const change = async (name: string) => {
      await node.clock.advance(1_000_000);
      node.proxier.onServiceUpdate(undefined, makeService(name));
      await node.clock.advance(1000);
      await node.recorder.flush();
    };
    await change('work/before');
    const before = readdirSync(directory);
    node.clock.set(days * 86_400_000);
    await change('work/after');
    await change('work/later');
    const after = readdirSync(directory);
    expect(after.length).toBeGreaterThan(before.length);
    expect(after).toEqual(expect.arrayContaining(before));
    // By the time that has passed, they are too old.
    for (let hour = 0; hour < 6; hour += 1) {
      await change(`work/much-later-${hour}`);
    }
    expect(readdirSync(directory)).not.toEqual(expect.arrayContaining(before));
    await node.stop();
    rmSync(directory, { recursive: true });
  });
});
