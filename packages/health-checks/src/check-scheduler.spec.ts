import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { CheckScheduler, type RepeatedTask } from './check-scheduler.js';

class Task implements RepeatedTask {
  readonly pool = 'tcp';
  readonly starts: number[] = [];
  readonly pending: (() => void)[] = [];

  constructor(
    private readonly clock: VirtualClock,
    readonly interval: number,
    private readonly duration: number,
  ) {}

  run(done: () => void): void {
    this.starts.push(this.clock.monotonic());
    if (Number.isFinite(this.duration)) {
      this.clock.setTimer(this.duration, done);
    } else {
      this.pending.push(done);
    }
  }
}

/** A repeating sequence of numbers. */
function randoms(): () => number {
  let last = 1;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

describe('CheckScheduler', () => {
  test('10,000 tasks start at once within the limit, and spread evenly over the interval from then on', async () => {
    const clock = new VirtualClock();
    const scheduler = new CheckScheduler({ clock, limitOf: () => 500, random: randoms() });
    const tasks = Array.from({ length: 10_000 }, () => new Task(clock, 5000, 0));
    for (const task of tasks) {
      scheduler.add(task);
    }
    await clock.advance(1);
    expect(tasks.every(({ starts }) => starts.length === 1)).toBe(true);
    await clock.advance(29_990);
    const perSecond = Array<number>(30).fill(0);
    for (const start of tasks.flatMap(({ starts }) => starts)) {
      perSecond[Math.floor(start / 1000)] = (perSecond[Math.floor(start / 1000)] ?? 0) + 1;
    }
    expect(perSecond.slice(6).filter((count) => Math.abs(count - 2000) >= 250)).toEqual([]);
    for (const { starts } of tasks) {
      const gaps = starts.slice(2).map((start, index) => start - (starts[index + 1] ?? 0));
      expect(gaps.every((gap) => gap > 4400 && gap < 5600)).toBe(true);
    }
    scheduler.stop();
    expect(clock.pending).toBe(0);
  });

  test('a hung task is not restarted, and other tasks keep their intervals', async () => {
    const clock = new VirtualClock();
    const scheduler = new CheckScheduler({ clock, limitOf: () => 2, random: () => 0.5 });
    const hangs = new Task(clock, 1000, Number.POSITIVE_INFINITY);
    const steady = new Task(clock, 1000, 10);
    scheduler.add(hangs);
    scheduler.add(steady);
    await clock.advance(10_000);
    expect(hangs.starts).toHaveLength(1);
    expect(steady.starts.length).toBeGreaterThanOrEqual(10);
    hangs.pending[0]?.();
    await clock.advance(1000);
    // Missed runs are not repeated.
    expect(hangs.starts).toHaveLength(2);
    scheduler.stop();
  });

  test('tasks above the limit are queued, and removed ones never start', async () => {
    const clock = new VirtualClock();
    const scheduler = new CheckScheduler({ clock, limitOf: () => 1 });
    const tasks = Array.from({ length: 3 }, () => new Task(clock, 60_000, Number.POSITIVE_INFINITY));
    for (const task of tasks) {
      scheduler.add(task);
    }
    expect(scheduler.waiting).toBe(2);
    const [first, second, third] = tasks;
    if (second) {
      scheduler.remove(second);
    }
    first?.pending[0]?.();
    await clock.advance(1);
    expect([first, second, third].map((task) => task?.starts.length)).toEqual([1, 0, 1]);
    expect(scheduler.waiting).toBe(0);
    scheduler.stop();
    expect(clock.pending).toBe(0);
  });
});
