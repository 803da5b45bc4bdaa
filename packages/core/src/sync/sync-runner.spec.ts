import { describe, expect, test } from '@jest/globals';
import { settle, VirtualClock } from '../testing/index.js';
import type { Clock } from './clock.js';
import { SyncRunner, type SyncRunnerOptions } from './sync-runner.js';

function running(options: Partial<SyncRunnerOptions> = {}) {
  const clock = new VirtualClock();
  const runs: number[] = [];
  const results: boolean[] = [];
  const abort = new AbortController();
  const runner = new SyncRunner({
    clock,
    run: async () => {
      runs.push(clock.monotonic());
      return results.shift() ?? true;
    },
    minInterval: 1000,
    maxInterval: 60_000,
    retryInterval: (failures) => 2000 * failures,
    ...options,
  });
  const loop = runner.loop(abort.signal);
  return { clock, runs, results, runner, abort, loop };
}

describe('SyncRunner (spec K-80…K-86)', () => {
  test('the first request runs at once; nothing runs before it', async () => {
    const { clock, runs, runner } = running();
    await clock.advance(5000);
    expect(runs).toEqual([]);
    runner.request();
    await settle();
    expect(runs).toEqual([5000]);
  });

  test('requests in quick succession are merged into one run, a minimum interval later', async () => {
    const { clock, runs, runner } = running();
    runner.request();
    await clock.advance(100);
    for (let index = 0; index < 10; index += 1) {
      runner.request();
    }
    await clock.advance(10_000);
    expect(runs).toEqual([0, 1000]);
  });

  test('requests during a delay set no further timers', async () => {
    const clock = new VirtualClock();
    let timers = 0;
    const counting: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (...args) => {
        timers += 1;
        return clock.setTimer(...args);
      },
    };
    const { runs, runner } = running({ clock: counting, run: async () => runs.push(clock.monotonic()) > 0 });
    runner.request();
    await clock.advance(100);
    runner.request();
    await clock.advance(100);
    const before = timers;
    for (let index = 0; index < 10; index += 1) {
      runner.request();
      await clock.advance(10);
    }
    expect(timers).toBe(before);
    await clock.advance(10_000);
    expect(runs).toEqual([0, 1000]);
  });

  test.each([-3_600_000, 3_600_000])('is not affected when the host clock is set by %d ms', async (step) => {
    const { clock, runs, runner } = running({ burst: 2 });
    for (const _request of [1, 2]) {
      runner.request();
      await clock.advance(10);
    }
    clock.set(step);
    runner.request();
    await clock.advance(70_000);
    expect(runs).toEqual([0, 10, 1000, 61_000]);
  });

  test('a burst may follow at once, and is replenished over time', async () => {
    const { clock, runs, runner } = running({ burst: 2 });
    for (const wait of [10, 10, 3500, 10, 10]) {
      runner.request();
      await clock.advance(wait);
    }
    await clock.advance(3000);
    expect(runs).toEqual([0, 10, 1000, 3520, 3530]);
  });

  test('runs without a request after the maximum interval, counted from the last run', async () => {
    const { clock, runs, runner } = running();
    await clock.advance(10_000);
    runner.request();
    await clock.advance(120_000);
    expect(runs).toEqual([10_000, 70_000, 130_000]);
  });

  test('a failure is retried with increasing delay; a request retries sooner; success ends it', async () => {
    const { clock, runs, runner, results } = running();
    results.push(false, false, false);
    runner.request();
    await clock.advance(6000);
    expect(runs).toEqual([0, 2000, 6000]);
    runner.request();
    await clock.advance(30_000);
    expect(runs).toEqual([0, 2000, 6000, 7000]);
  });

  test('a request during a run is not lost, and two runs never overlap', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    let release = () => {};
    let active = 0;
    let most = 0;
    let count = 0;
    const runner = new SyncRunner({
      clock,
      run: async () => {
        count += 1;
        active += 1;
        most = Math.max(most, active);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        active -= 1;
        return true;
      },
      minInterval: 0,
      maxInterval: 60_000,
      retryInterval: () => 0,
    });
    const loop = runner.loop(abort.signal);
    runner.request();
    await settle();
    runner.request();
    await settle();
    expect(count).toBe(1);
    release();
    await settle();
    expect([count, most]).toEqual([2, 1]);
    abort.abort();
    release();
    await loop;
  });

  test('a run scheduled for a time starts then, unless an earlier run replaces it', async () => {
    const times: (number | undefined)[] = [5000, undefined, 9000];
    const { clock, runs, runner } = running({
      run: async () => {
        runs.push(clock.monotonic());
        runner.requestBy(times.shift());
        return true;
      },
    });
    runner.request();
    await clock.advance(6000);
    expect(runs).toEqual([0, 5000]);
    await clock.advance(2000);
    runner.request();
    await clock.advance(500);
    runner.request();
    await clock.advance(10_000);
    expect(runs).toEqual([0, 5000, 8000, 9000]);
  });

  test('ends at once when idle, and leaves no timer', async () => {
    const { clock, runner, abort, loop } = running();
    runner.request();
    await settle();
    abort.abort();
    await loop;
    expect(clock.pending).toBe(0);
  });

  test('rejects contradictory intervals', () => {
    expect(() => running({ minInterval: 10, maxInterval: 5 })).toThrow(RangeError);
    expect(() => running({ burst: 0 })).toThrow(RangeError);
  });
});
