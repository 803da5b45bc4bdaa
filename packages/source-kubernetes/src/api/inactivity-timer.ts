import type { Clock, Timer } from '@kube-proxier/core';

/** Calls back once after a period without activity. `touch` costs almost nothing. */
export class InactivityTimer {
  #last: number;
  #timer: Timer | undefined;

  /** @param limit milliseconds, starting now. */
  constructor(
    private readonly clock: Clock,
    private readonly limit: number,
    private readonly onInactive: () => void,
  ) {
    this.#last = clock.monotonic();
    this.#wait(limit);
  }

  /** Records activity. */
  touch(): void {
    this.#last = this.clock.monotonic();
  }

  /** Cancels the callback. Idempotent. */
  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = this.clock.setTimer(milliseconds, () => {
      const left = this.#last + this.limit - this.clock.monotonic();
      if (left > 0) {
        this.#wait(left);
      } else {
        this.#timer = undefined;
        this.onInactive();
      }
    });
  }
}
