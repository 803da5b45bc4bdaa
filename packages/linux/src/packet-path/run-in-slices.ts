import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work between two pauses. */
const SLICE = 5;
/** Maximum duration in milliseconds of an idle turn of the event loop. */
const IDLE = 0.1;
/** Milliseconds between two checks whether the event loop is idle. */
const OTHERS = 5;
/** Milliseconds after which this work continues, even if the event loop is busy. */
const MOST = 100;
/** Delay in milliseconds of deferred work. */
const LATER = 50;

/**
 * Runs low-priority work that yields often: after every few milliseconds, it waits until the event loop is idle, at
 * most 100 ms. Otherwise a change of a Service would be delayed in each of its event loop turns.
 *
 * @param slices yields `later` to wait for other work. After a pause, it gets true.
 * @param signal aborts the work. Default: none.
 * @returns its result; undefined when it was aborted.
 */
export async function runInSlices<Result>(
  slices: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  let until = performance.now() + SLICE;
  let hasPaused = false;
  for (;;) {
    const { done, value } = slices.next(hasPaused);
    hasPaused = false;
    if (done) {
      return value;
    }
    if (value === 'later' || performance.now() > until) {
      await (value === 'later' ? delay(LATER) : othersTurn());
      if (signal?.aborted) {
        return undefined;
      }
      hasPaused = true;
      until = performance.now() + SLICE;
    }
  }
}

async function othersTurn(): Promise<void> {
  const begin = performance.now();
  for (let before = begin; ; before = performance.now()) {
    await turn();
    const now = performance.now();
    if (now - before < IDLE || now - begin > MOST) {
      return;
    }
    // Other work may wait for the kernel, or for a thread, between two parts.
    await delay(OTHERS);
  }
}
