import type { Clock, Timer } from './clock.js';

/** Options of a {@link SyncRunner}; all times in milliseconds. */
export interface SyncRunnerOptions {
  readonly clock: Clock;
  /** The work. `true` on success, `false` when it failed and has to be retried. Must not reject. */
  readonly run: () => Promise<boolean>;
  /**
   * Minimum time between the end of one run and the start of the next, once the burst is used up; or its calculation from
   * the duration of the last run.
   */
  readonly minInterval: number | ((duration: number) => number);
  /** Number of runs without delay; one is added per `minInterval`. At least 1. Default 1. */
  readonly burst?: number;
  /** Maximum time without a run; then the work runs without a request. */
  readonly maxInterval: number;
  /** Maximum delay before a retry after the n-th consecutive failure (from 1). */
  readonly retryInterval: (failures: number) => number;
}

/**
 * Runs work on request: one run at a time, rate-limited, with retries after a failure, and periodically without a
 * request (spec K-80…K-86). Requests during a delay or a run are merged into one more run; none is lost.
 */
export class SyncRunner {
  #requested = false;
  #requestedBy = Number.POSITIVE_INFINITY;
  #failures = 0;
  #tokens: number;
  readonly #burst: number;
  #refilledAt: number;
  #nextDue: number;
  /** Of the last run. */
  #minInterval: number;
  #timer: Timer | undefined;
  #wake: (() => void) | undefined;

  /** @throws RangeError when `maxInterval` is below a constant `minInterval`, or `burst` below 1. */
  constructor(private readonly options: SyncRunnerOptions) {
    const { minInterval, maxInterval, burst = 1, clock } = options;
    this.#minInterval = typeof minInterval === 'number' ? minInterval : 0;
    if (maxInterval < this.#minInterval) {
      throw new RangeError(`maxInterval (${maxInterval} ms) must not be less than minInterval (${minInterval} ms)`);
    }
    if (!(burst >= 1)) {
      throw new RangeError(`burst (${burst}) must be at least 1`);
    }
    this.#burst = burst;
    this.#tokens = burst;
    this.#refilledAt = clock.monotonic();
    this.#nextDue = clock.monotonic() + maxInterval;
  }

  /** Requests a run. Never blocks. */
  request(): void {
    // A run that is requested already begins as early as it may: to set its timer again for each change takes time.
    if (!this.#requested) {
      this.#requested = true;
      this.#wake?.();
    }
  }

  /**
   * Schedules a run for a time of the monotonic clock, unless one starts earlier; undefined cancels it. Called during a
   * run.
   */
  requestBy(time: number | undefined): void {
    this.#requestedBy = time ?? Number.POSITIVE_INFINITY;
  }

  /** Runs until the signal aborts; a run in progress is waited for. Called once. */
  async loop(signal: AbortSignal): Promise<void> {
    const { clock, run, minInterval, maxInterval, retryInterval } = this.options;
    const onAbort = () => this.#wake?.();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const wait = this.#waitTime();
        if (wait > 0) {
          await this.#sleep(wait);
          continue;
        }
        this.#requested = false;
        this.#requestedBy = Number.POSITIVE_INFINITY;
        const begin = clock.monotonic();
        const done = await run();
        const now = clock.monotonic();
        this.#refill(now);
        if (typeof minInterval === 'function') {
          this.#minInterval = minInterval(now - begin);
        }
        if (this.#tokens === this.#burst) {
          this.#refilledAt = now;
        }
        this.#tokens -= 1;
        this.#failures = done ? 0 : this.#failures + 1;
        this.#nextDue =
          now +
          (done ? maxInterval : Math.min(Math.max(retryInterval(this.#failures), this.#minInterval), maxInterval));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#timer?.cancel();
    }
  }

  /** Milliseconds until the next run may begin; 0 or less when it may begin now. */
  #waitTime(): number {
    const now = this.options.clock.monotonic();
    const due = this.#requested ? now : Math.min(this.#nextDue, this.#requestedBy);
    if (due > now) {
      return due - now;
    }
    this.#refill(now);
    return this.#tokens > 0 ? 0 : this.#refilledAt + this.#minInterval - now;
  }

  #refill(now: number): void {
    const minInterval = this.#minInterval;
    if (minInterval === 0) {
      this.#tokens = this.#burst;
      this.#refilledAt = now;
      return;
    }
    const earned = Math.floor((now - this.#refilledAt) / minInterval);
    if (earned > 0) {
      this.#tokens = Math.min(this.#burst, this.#tokens + earned);
      this.#refilledAt = this.#tokens === this.#burst ? now : this.#refilledAt + earned * minInterval;
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#timer?.cancel();
        this.#timer = undefined;
        this.#wake = undefined;
        resolve();
      };
      this.#wake = wake;
      this.#timer = this.options.clock.setTimer(milliseconds, wake);
    });
  }
}
