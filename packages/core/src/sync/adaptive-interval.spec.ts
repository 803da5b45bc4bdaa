import { describe, expect, test } from '@jest/globals';
import { settle, VirtualClock } from '../testing/index.js';
import { AdaptiveInterval } from './adaptive-interval.js';
import { SyncRunner } from './sync-runner.js';

/** Runs that take `cost` milliseconds each, while a change arrives each millisecond. */
async function churn(cost: number, milliseconds: number) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const runs: number[] = [];
  const delays: number[] = [];
  let pending: number[] = [];
  const interval = new AdaptiveInterval();
  const runner = new SyncRunner({
    clock,
    run: async () => {
      runs.push(clock.monotonic());
      const written = pending;
      pending = [];
      await new Promise<void>((resolve) => void clock.setTimer(cost, resolve));
      delays.push(...written.map((time) => clock.monotonic() - time));
      return true;
    },
    minInterval: (duration) => interval.after(duration),
    maxInterval: 300_000,
    retryInterval: () => 100,
  });
  const loop = runner.loop(abort.signal);
  for (let time = 0; time < milliseconds; time++) {
    pending.push(clock.monotonic());
    runner.request();
    await clock.advance(1);
  }
  abort.abort();
  await clock.advance(cost);
  await loop;
  await settle();
  return { runs, delays };
}

describe('AdaptiveInterval', () => {
  test.each([6, 20, 50])(
    'syncs of %d ms take a twentieth of the time, and a change waits for one interval',
    async (cost) => {
      const { runs, delays } = await churn(cost, 8000);
      expect(runs[0]).toBe(0);
      expect((runs.length * cost) / 8000).toBeGreaterThan(0.04);
      expect((runs.length * cost) / 8000).toBeLessThan(0.065);
      expect(Math.max(...delays)).toBeLessThanOrEqual(21 * cost + 2);
    },
  );

  test('a sync that takes long lengthens the next wait by a quarter of its excess, and the first one only its own', () => {
    const interval = new AdaptiveInterval();
    const waits = [2000, 10, 10, 30, 10].map((duration) => interval.after(duration));
    expect(waits).toEqual([1000, 190, 190, 285, 190]);
  });

  test('syncs whose cost alternates take a twentieth of the time as well', () => {
    const interval = new AdaptiveInterval();
    let [busy, idle] = [0, 0];
    for (let run = 0; run < 100; run += 1) {
      const duration = run % 2 === 0 ? 20 : 40;
      busy += duration;
      idle += interval.after(duration);
    }
    expect(busy / (busy + idle)).toBeGreaterThan(0.045);
    expect(busy / (busy + idle)).toBeLessThan(0.065);
  });

  test('cheap syncs of continuous changes are at most 20 a second, and no change waits longer than 50 ms', async () => {
    const { runs, delays } = await churn(1, 4000);
    expect(runs.length).toBeGreaterThan(70);
    expect(runs.length).toBeLessThanOrEqual(80);
    expect(Math.max(...delays)).toBeLessThanOrEqual(53);
  });

  test('a single change is synced at once', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const runs: number[] = [];
    const interval = new AdaptiveInterval();
    const runner = new SyncRunner({
      clock,
      run: async () => {
        runs.push(clock.monotonic());
        return true;
      },
      minInterval: (duration) => interval.after(duration),
      maxInterval: 300_000,
      retryInterval: () => 100,
    });
    const loop = runner.loop(abort.signal);
    const requested: number[] = [];
    for (const pause of [60, 51, 1000]) {
      await clock.advance(pause);
      requested.push(clock.monotonic());
      runner.request();
      await settle();
    }
    abort.abort();
    await loop;
    expect(runs).toEqual(requested);
  });

  test('a wait never exceeds one second', async () => {
    const { runs } = await churn(500, 8000);
    const waits = runs.slice(1).map((time, index) => time - (runs[index] ?? 0) - 500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1001);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(999);
  });
});
