import { type Clock, systemClock, type Timer } from '@kube-proxier/core';

/** A clock that runs faster than real time, for tests that wait for real sockets. */
export class FastClock implements Clock {
  readonly #begin = systemClock.now();
  #waiting = 0;

  /** @param factor how many times faster. */
  constructor(private readonly factor: number) {}

  /** Pending timers. */
  get pending(): number {
    return this.#waiting;
  }

  now(): number {
    return this.#begin + (systemClock.now() - this.#begin) * this.factor;
  }

  monotonic(): number {
    return systemClock.monotonic() * this.factor;
  }

  setTimer(milliseconds: number, callback: () => void): Timer {
    let waits = true;
    const done = () => {
      if (waits) {
        waits = false;
        this.#waiting -= 1;
      }
    };
    this.#waiting += 1;
    const timer = systemClock.setTimer(milliseconds / this.factor, () => {
      done();
      callback();
    });
    return {
      cancel: () => {
        done();
        timer.cancel();
      },
    };
  }
}
