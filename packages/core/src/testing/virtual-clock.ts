import type { Clock, Timer } from '../sync/clock.js';

interface PendingTimer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that is advanced explicitly. Timers fire in the order of their time, then of their creation. */
export class VirtualClock implements Clock {
  #time: number;
  readonly #start: number;
  /** Offset of the host's clock. */
  #offset = 0;
  #made = 0;
  readonly #timers = new Set<PendingTimer>();

  /** @param start milliseconds since the epoch. Default 0. */
  constructor(start = 0) {
    this.#time = start;
    this.#start = start;
  }

  /** Pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#time + this.#offset;
  }

  monotonic(): number {
    return this.#time - this.#start;
  }

  /** Sets the host's clock forwards or backwards: `now` jumps, and timers do not. */
  set(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  setTimer(milliseconds: number, callback: () => void): Timer {
    const timer = { due: this.#time + Math.max(0, milliseconds), order: this.#made++, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  /** Advances the time, fires due timers, and lets promises settle after each timer and at the end. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#time = next.due;
      next.callback();
      await settle();
    }
    this.#time = end;
  }

  #next(until: number): PendingTimer | undefined {
    let first: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (
        timer.due <= until &&
        (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
      ) {
        first = timer;
      }
    }
    return first;
  }
}

/** Runs all continuations of settled promises, however long the chain. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
