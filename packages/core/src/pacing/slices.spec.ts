import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../testing/index.js';
import { EventLoopPace, WorkEnded } from './event-loop-pace.js';
import { EventLoopTurns } from './event-loop-turns.js';
import { finish, finishWithPauses, type Slices } from './slices.js';

/** Counts to a number; `onStep` is called with each. */
function* countTo(last: number, onStep: (number: number) => void = () => {}): Slices<number> {
  for (let number = 1; number <= last; number += 1) {
    yield;
    onStep(number);
  }
  return last;
}

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  let isOver = false;
  const turns = {
    count: 0,
    stop: () => {
      isOver = true;
    },
  };
  const turn = () => {
    turns.count += 1;
    if (!isOver) {
      setImmediate(turn);
    }
  };
  setImmediate(turn);
  return turns;
}

describe('work in slices', () => {
  test('without pauses', () => {
    expect(finish(countTo(1000))).toBe(1000);
  });

  test('completes synchronously when no pause is due', () => {
    const clock = new VirtualClock();
    expect(finishWithPauses(countTo(1000), new EventLoopPace(clock))).toBe(1000);
  });

  test('lets the event loop run after each 5 ms', async () => {
    let time = 0;
    const turns = countTurns();
    const steps: number[] = [];
    const work = countTo(100, () => {
      time += 1;
      steps.push(turns.count);
    });
    expect(await finishWithPauses(work, new EventLoopPace({ monotonic: () => time }))).toBe(100);
    turns.stop();
    // Five steps in each turn.
    const perTurn = new Map<number, number>();
    for (const turn of steps) {
      perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
    }
    expect([...perTurn.values()]).toEqual(Array.from({ length: 20 }, () => 5));
  });

  test('of several works, one continues in each turn of the event loop, for 5 ms; all begin within 10 ms', async () => {
    let time = 0;
    const counted = countTurns();
    const clock = { monotonic: () => time };
    const turns = new EventLoopTurns();
    const perTurn = new Map<number, { steps: number; works: Set<number> }>();
    const results = [0, 1, 2, 3, 4].map((work) =>
      finishWithPauses(
        countTo(40, () => {
          time += 1;
          const seen = perTurn.get(counted.count) ?? { steps: 0, works: new Set() };
          perTurn.set(counted.count, seen);
          seen.steps += 1;
          seen.works.add(work);
        }),
        new EventLoopPace(clock, undefined, turns),
      ),
    );
    expect(await Promise.all(results)).toEqual([40, 40, 40, 40, 40]);
    counted.stop();
    const [first, ...later] = [...perTurn.values()];
    expect(first?.steps).toBeLessThanOrEqual(15);
    expect(later.map(({ works }) => works.size)).toEqual(later.map(() => 1));
    expect(Math.max(...later.map(({ steps }) => steps))).toBe(5);
  });

  test('short steps seldom read the clock, and long ones after them pause in time', async () => {
    let time = 0;
    let reads = 0;
    let pausedAt = 0;
    let longest = 0;
    const clock = {
      monotonic: () => {
        reads += 1;
        return time;
      },
    };
    const pace = new EventLoopPace(clock);
    const pausing = {
      isPauseDue: () => pace.isPauseDue(),
      pause: async () => {
        longest = Math.max(longest, time - pausedAt);
        await pace.pause();
        pausedAt = time;
      },
    };
    await finishWithPauses(
      countTo(20_000, () => (time += 0.002)),
      pausing,
    );
    expect(reads).toBeLessThan(20_000 / 3);
    await finishWithPauses(
      countTo(100, () => (time += 1)),
      pausing,
    );
    expect(longest).toBeLessThanOrEqual(8);
    // The following ones read it again each time.
    longest = 0;
    await finishWithPauses(
      countTo(100, () => (time += 2)),
      pausing,
    );
    expect(longest).toBeLessThan(7);
  });

  test('errors of the work are passed on, before and after a pause', async () => {
    let time = 0;
    const failing = (at: number) =>
      countTo(100, (number) => {
        time += 1;
        if (number === at) {
          throw new Error(`at ${at}`);
        }
      });
    expect(() => finishWithPauses(failing(1), new EventLoopPace({ monotonic: () => time }))).toThrow('at 1');
    await expect(finishWithPauses(failing(50), new EventLoopPace({ monotonic: () => time }))).rejects.toThrow('at 50');
  });

  test('ends at the pause in which it is aborted', async () => {
    let time = 0;
    const abort = new AbortController();
    const steps: number[] = [];
    const work = countTo(100, (number) => {
      time += 1;
      steps.push(number);
      if (number === 23) {
        abort.abort();
      }
    });
    const pace = new EventLoopPace({ monotonic: () => time }, abort.signal);
    await expect(finishWithPauses(work, pace)).rejects.toBeInstanceOf(WorkEnded);
    expect(steps.at(-1)).toBe(25);
  });
});
