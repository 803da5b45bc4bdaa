import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

/** Milliseconds of work between two pauses. */
const SLICE = 5;
/** Milliseconds of a turn of the event loop in which nothing else was done. */
const IDLE = 0.1;
/** Milliseconds between two checks whether the event loop is idle. */
const OTHERS = 5;
/** Milliseconds after which this work continues, also where the event loop is busy. */
const MOST = 100;
/** Milliseconds that work which waits for other work is put off. */
const LATER = 50;

/**
 * Runs work that yields often, and has less priority than other work of the process: after each few milliseconds, it waits until the
 * event loop is idle, 100 ms at most. A change of a Service takes several turns of the event loop, and would wait in each of them.
 *
 * @param slices yields `later` where it waits for what other work does.
 * @param signal ends the work early. Default: none.
 * @returns its result; undefined when it was ended early.
 */
export async function runInSlices<Result>(
  slices: Generator<unknown, Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  let until = performance.now() + SLICE;
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
    if (value === 'later' || performance.now() > until) {
      await (value === 'later' ? delay(LATER) : othersTurn());
      if (signal?.aborted) {
        return undefined;
      }
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
    // It may wait for the kernel, or for a thread, between two parts.
    await delay(OTHERS);
  }
}
