import { expect, test } from '@jest/globals';
import { runInSlices } from './run-in-slices.js';

function busy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {}
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('low-priority work waits while other work takes many turns of the event loop', async () => {
  const done = { slices: 0, isOver: false };
  function* slices(): Generator<void, string> {
    while (!done.isOver) {
      busy(0.2);
      done.slices += 1;
      yield;
    }
    return 'result';
  }
  const result = runInSlices(slices());
  await turn();
  const before = done.slices;
  for (let part = 0; part < 40; part++) {
    busy(1);
    await turn();
  }
  const meanwhile = done.slices - before;
  done.isOver = true;
  expect(await result).toBe('result');
  // 25 slices run at a time; without waiting, there would be a thousand.
  expect(meanwhile).toBeLessThan(200);
});

test('it continues eventually, even if other work never ends', async () => {
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      busy(1);
      await turn();
    }
  })();
  function* slices(): Generator<void, number> {
    for (let slice = 0; slice < 60; slice++) {
      busy(0.2);
      yield;
    }
    return 60;
  }
  expect(await runInSlices(slices())).toBe(60);
  isOver = true;
  await others;
});

test('deferred work continues later, and can be aborted', async () => {
  let changed = false;
  setTimeout(() => (changed = true), 5);
  function* waiting(): Generator<'later', boolean> {
    yield 'later';
    return changed;
  }
  expect(await runInSlices(waiting())).toBe(true);
  function* endless(): Generator<'later', never> {
    for (;;) {
      yield 'later';
    }
  }
  expect(await runInSlices(endless(), AbortSignal.timeout(20))).toBeUndefined();
});

test('the generator receives true after each pause, in which timers can run', async () => {
  let meanwhile = 0;
  const others = setInterval(() => (meanwhile += 1), 1);
  const seen: [hasPaused: unknown, meanwhile: boolean][] = [];
  function* slices(): Generator<undefined, void, unknown> {
    for (let step = 0; step < 30; step++) {
      const before = meanwhile;
      busy(1);
      seen.push([yield, meanwhile > before]);
    }
  }
  await runInSlices(slices());
  clearInterval(others);
  expect(seen).toContainEqual([true, true]);
  expect(seen).not.toContainEqual([false, true]);
});
