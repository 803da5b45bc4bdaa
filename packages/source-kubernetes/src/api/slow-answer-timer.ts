import type { Clock, Timer } from '@kube-proxier/core';
import { ApiError } from './kubernetes-error.js';

/** Minimum average of a useful answer, in bytes per second: the slowest modem is faster. */
const SLOWEST = 200;

/**
 * Fails an answer that arrives so slowly that it is useless. An answer may take any time while it progresses: a long list
 * over a slow link would never be complete otherwise.
 */
export class SlowAnswerTimer {
  #bytes = 0;
  #timer: Timer;

  /**
   * @param period milliseconds, starting now. The answer fails when fewer than 200 bytes for each second arrive in a period.
   * @param onSlow called at most once.
   */
  constructor(
    private readonly clock: Clock,
    private readonly period: number,
    private readonly onSlow: (failure: ApiError) => void,
  ) {
    this.#timer = this.#begin();
  }

  /** Records received bytes. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Cancels the callback. Idempotent. */
  cancel(): void {
    this.#timer.cancel();
  }

  #begin(): Timer {
    this.#bytes = 0;
    return this.clock.setTimer(this.period, () => {
      if (this.#bytes < (this.period / 1000) * SLOWEST) {
        const what = `${this.#bytes} bytes of the answer came in ${this.period} ms`;
        this.onSlow(new ApiError('API_SILENT', `${what}, which is too slow to complete it`));
      } else {
        this.#timer = this.#begin();
      }
    });
  }
}
