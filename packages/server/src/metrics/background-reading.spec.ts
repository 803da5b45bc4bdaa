import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { BackgroundReading } from './background-reading.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('BackgroundReading', () => {
  test('is read while it is requested, and then no longer', async () => {
    const clock = new VirtualClock();
    let reads = 0;
    const reading = new BackgroundReading(async () => ++reads, clock);
    await clock.advance(1_000_000);
    expect(reads).toBe(0);
    expect(reading.latest()).toBeUndefined();
    expect(reading.age).toBeUndefined();
    await settled();
    for (let scrape = 0; scrape < 100; scrape++) {
      expect(reading.latest()).toBe(1);
    }
    expect(reads).toBe(1);
    await clock.advance(9_999);
    expect(reading.age).toBe(9_999);
    expect(reads).toBe(1);
    await clock.advance(1);
    await settled();
    expect(reading.latest()).toBe(2);
    expect(reading.age).toBe(0);
    await clock.advance(10_000_000);
    expect(reads).toBeLessThan(20);
    expect(clock.pending).toBe(0);
  });

  test('a caller that can wait is notified when to retry, also after a long time without requests', async () => {
    const clock = new VirtualClock();
    let reads = 0;
    const reading = new BackgroundReading(() => Promise.resolve(++reads), clock);
    expect([reading.latest(), reading.isReading]).toEqual([undefined, true]);
    await clock.advance(1);
    expect([reading.latest(), reading.isReading]).toEqual([1, false]);
    await clock.advance(10_000_000);
    const before = reads;
    expect([reading.latest(), reading.isReading]).toEqual([before, true]);
    await clock.advance(1);
    expect([reading.latest(), reading.isReading]).toEqual([before + 1, false]);
  });

  test('a read that hangs is not restarted, and its value ages', async () => {
    const clock = new VirtualClock();
    let reads = 0;
    let hangs = false;
    const reading = new BackgroundReading(() => {
      reads += 1;
      return hangs ? new Promise<number>(() => {}) : Promise.resolve(7);
    }, clock);
    await reading.refresh();
    hangs = true;
    for (let scrape = 0; scrape < 50; scrape++) {
      expect(reading.latest()).toBe(7);
      await clock.advance(15_000);
    }
    expect(reads).toBe(2);
    expect(reading.age).toBe(50 * 15_000);
  });

  test('a slow read is repeated less often, and a failed one is retried', async () => {
    const clock = new VirtualClock();
    const begun: number[] = [];
    const reading = new BackgroundReading(
      () =>
        new Promise<number>((resolve, reject) => {
          begun.push(clock.monotonic());
          clock.setTimer(5000, () => (begun.length === 2 ? reject(new Error('no')) : resolve(begun.length)));
        }),
      clock,
    );
    const start = clock.monotonic();
    for (let second = 0; second < 780; second++) {
      reading.latest();
      await clock.advance(1000);
    }
    expect(begun.map((time) => time - start)).toEqual([0, 255_000, 510_000, 765_000]);
    expect(reading.latest()).toBe(4);
  });
});
