import { describe, expect, test } from '@jest/globals';
import type { ProxierContext } from '../contract/backend-module.js';
import { WorkEnded } from '../pacing/event-loop-pace.js';
import type { Pace } from '../pacing/slices.js';
import {
  FakeDataplane,
  makeService,
  makeSlice,
  RecordingLogger,
  renderState,
  resolveObjects,
  settle,
  VirtualClock,
} from '../testing/index.js';
import { systemClock } from './clock.js';
import { DEFAULT_PROXIER_OPTIONS } from './proxier-options.js';
import { ReconcilingProxier } from './reconciling-proxier.js';
import type { SyncObserver } from './sync-observer.js';

const SERVICES = ['a', 'b', 'c'].map((name, index) => makeService(`work/${name}`, { clusterIP: `10.96.0.${index}` }));
const SLICES = ['a', 'b', 'c'].map((name, index) => makeSlice(`work/${name}`, [`10.0.0.${index}`]));

/** Pauses wherever it can, and calls back at each pause. */
class EveryPause implements Pace {
  count = 0;
  onPause: (number: number) => void = () => {};

  constructor(private readonly signal: AbortSignal) {}

  isPauseDue(): boolean {
    return true;
  }

  async pause(): Promise<void> {
    await Promise.resolve();
    if (this.signal.aborted) {
      throw new WorkEnded();
    }
    this.count += 1;
    this.onPause(this.count);
  }
}

function start(observer: SyncObserver = {}) {
  const dataplane = new FakeDataplane();
  const abort = new AbortController();
  const clock = new VirtualClock(1_000_000);
  const logger = new RecordingLogger();
  const context: ProxierContext = {
    family: 'IPv4',
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0 },
    ...{ logger, clock, observer },
    localAddresses: async () => [],
  };
  const pace = new EveryPause(abort.signal);
  const proxier = new ReconcilingProxier({ mode: 'fake', context, dataplane, pace });
  const loop = proxier.syncLoop(abort.signal);
  return { proxier, dataplane, abort, clock, logger, pace, loop };
}

function list({ proxier }: Pick<ReturnType<typeof start>, 'proxier'>): void {
  for (const service of SERVICES) {
    proxier.onServiceUpdate(undefined, service);
  }
  for (const slice of SLICES) {
    proxier.onEndpointsUpdate(undefined, slice);
  }
  proxier.onServicesSynced();
  proxier.onEndpointsSynced();
}

const expected = Object.fromEntries(renderState(resolveObjects({ services: SERVICES, slices: SLICES })));

/** The number of pauses of the first sync. */
async function pausesOfFirstSync(): Promise<number> {
  const running = start();
  list(running);
  await settle();
  const { count } = running.pace;
  running.abort.abort();
  await running.loop;
  return count;
}

describe('a sync that pauses', () => {
  test('programs the same', async () => {
    const running = start();
    list(running);
    await settle();
    expect(Object.fromEntries(running.dataplane.contents)).toEqual(expected);
    expect(running.pace.count).toBeGreaterThan(10);
    running.abort.abort();
    await running.loop;
  });

  test('ends at any pause when the proxier is stopped: nothing is written, and no failure is reported', async () => {
    const pauses = await pausesOfFirstSync();
    for (let at = 1; at < pauses; at += 1) {
      const failures: unknown[] = [];
      const running = start({ failed: (failure) => void failures.push(failure) });
      running.pace.onPause = (number) => number === at && running.abort.abort();
      list(running);
      await running.loop;
      expect([at, running.dataplane.applied, failures, running.logger.lines]).toEqual([at, 0, [], []]);
    }
  });

  test('drift that is reported at any pause is repaired', async () => {
    const pauses = await pausesOfFirstSync();
    const runs = Array.from({ length: pauses }, (_, index) => [index + 1, false] as const);
    for (const [at, isFull] of [...runs, ...runs.map(([number]) => [number, true] as const)]) {
      const running = start();
      const { dataplane, proxier, pace } = running;
      list(running);
      await settle();
      const before = pace.count;
      pace.onPause = (number) => {
        if (number === before + at) {
          dataplane.flush();
          proxier.reconcile();
        }
      };
      // A change of one Service, so that this sync is not a full one; then more changes, until the pause is reached.
      for (let change = 0; pace.count < before + at; change += 1) {
        if (isFull) {
          proxier.reconcile();
        }
        proxier.onEndpointsUpdate(undefined, makeSlice('work/a', [`10.0.1.${change}`]));
        await settle();
      }
      proxier.onEndpointsUpdate(undefined, SLICES[0]);
      await settle();
      expect([at, isFull, Object.fromEntries(dataplane.contents)]).toEqual([at, isFull, expected]);
      running.abort.abort();
      await running.loop;
    }
  });

  test('notifies observers before pending events are taken, so that later events belong to the next sync', async () => {
    const order: string[] = [];
    const running = start({
      resolving: (_family, latest) => order.push(`resolving after ${latest.servicePorts.size}`),
      resolved: (_family, state) => order.push(`resolved ${state.servicePorts.size}`),
      synced: ({ state }) => void order.push(`synced ${state.servicePorts.size}`),
    });
    const late = makeService('work/late', { clusterIP: '10.96.0.9' });
    running.pace.onPause = (number) => {
      if (number === 1) {
        order.push('event');
        running.proxier.onServiceUpdate(undefined, late);
      }
    };
    list(running);
    await settle();
    expect(order).toEqual([
      ...['resolving after 0', 'event', 'resolved 3', 'synced 3'],
      ...['resolving after 3', 'resolved 4', 'synced 4'],
    ]);
    running.abort.abort();
    await running.loop;
  });
});

test('the event loop runs while many Services are resolved', async () => {
  let turns = 0;
  let isResolving = false;
  let isOver = false;
  const count = () => {
    turns += isResolving ? 1 : 0;
    if (!isOver) {
      setImmediate(count);
    }
  };
  const abort = new AbortController();
  let loop: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve) => {
    const context: ProxierContext = {
      family: 'IPv4',
      options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
      ...{ logger: new RecordingLogger(), clock: systemClock, localAddresses: async () => [] },
      observer: {
        resolving: () => {
          isResolving = true;
        },
        resolved: () => {
          isResolving = false;
        },
        synced: () => resolve(),
      },
    };
    const proxier = new ReconcilingProxier({ mode: 'fake', context, dataplane: new FakeDataplane() });
    loop = proxier.syncLoop(abort.signal);
    for (let index = 0; index < 10_000; index += 1) {
      const address = `10.${index >> 8}.${index & 255}.1`;
      proxier.onServiceUpdate(undefined, makeService(`work/s${index}`, { clusterIP: address }));
      proxier.onEndpointsUpdate(undefined, makeSlice(`work/s${index}`, [address]));
    }
    setImmediate(count);
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
  });
  isOver = true;
  // 10,000 Services take longer than ten slices of 5 ms on any machine.
  expect(turns).toBeGreaterThan(4);
  abort.abort();
  await loop;
});
