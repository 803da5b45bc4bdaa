import type { Clock, Timer } from './clock.js';

/** Options of a {@link SyncRunner}; all times in milliseconds. */
export interface SyncRunnerOptions {
  readonly clock: Clock;
  /** The work. `true` when it is done, `false` when it failed and has to be tried again. Must not reject. */
  readonly run: () => Promise<boolean>;
  /** Least time between the end of one run and the start of the next, once the burst is used up. */
  readonly minInterval: number;
  /** Runs that may follow each other at once; one is given back per `minInterval`. At least 1. Default 1. */
  readonly burst?: number;
  /** The work is done again after so long without a request. */
  readonly maxInterval: number;
  /** How long to wait after the n-th failure in a row (from 1) at most before trying again. */
  readonly retryInterval: (failures: number) => number;
}

/**
 * Runs work on request: never twice at a time, not too often, again after a failure, and now and then unasked
 * (spec K-80…K-86). Requests that come while one waits or runs become one more run; none is lost.
 */
export class SyncRunner {
  private requested = false;
  private failures = 0;
  private tokens: number;
  private readonly burst: number;
  private refilledAt: number;
  private nextDue: number;
  private timer: Timer | undefined;
  private wake: (() => void) | undefined;

  /** @throws RangeError when `maxInterval` is below `minInterval`, or `burst` below 1. */
  constructor(private readonly options: SyncRunnerOptions) {
    const { minInterval, maxInterval, burst = 1, clock } = options;
    if (maxInterval < minInterval) {
      throw new RangeError(`maxInterval (${maxInterval} ms) must not be less than minInterval (${minInterval} ms)`);
    }
    if (!(burst >= 1)) {
      throw new RangeError(`burst (${burst}) must be at least 1`);
    }
    this.burst = burst;
    this.tokens = burst;
    this.refilledAt = clock.monotonic();
    this.nextDue = clock.monotonic() + maxInterval;
  }

  /** Asks for a run. Never blocks. */
  request(): void {
    this.requested = true;
    this.wake?.();
  }

  /** Runs until the signal aborts; a run in progress is waited for. Called once. */
  async loop(signal: AbortSignal): Promise<void> {
    const { clock, run, minInterval, maxInterval, retryInterval } = this.options;
    const onAbort = () => this.wake?.();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const wait = this.waitTime();
        if (wait > 0) {
          await this.sleep(wait);
          continue;
        }
        this.requested = false;
        const done = await run();
        const now = clock.monotonic();
        this.refill(now);
        if (this.tokens === this.burst) {
          this.refilledAt = now;
        }
        this.tokens -= 1;
        this.failures = done ? 0 : this.failures + 1;
        this.nextDue =
          now + (done ? maxInterval : Math.min(Math.max(retryInterval(this.failures), minInterval), maxInterval));
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.timer?.cancel();
    }
  }

  /** Milliseconds until the next run may begin; 0 or less when it may begin now. */
  private waitTime(): number {
    const now = this.options.clock.monotonic();
    const due = this.requested ? now : this.nextDue;
    if (due > now) {
      return due - now;
    }
    this.refill(now);
    return this.tokens > 0 ? 0 : this.refilledAt + this.options.minInterval - now;
  }

  private refill(now: number): void {
    const { minInterval } = this.options;
    if (minInterval === 0) {
      this.tokens = this.burst;
      this.refilledAt = now;
      return;
    }
    const earned = Math.floor((now - this.refilledAt) / minInterval);
    if (earned > 0) {
      this.tokens = Math.min(this.burst, this.tokens + earned);
      this.refilledAt = this.tokens === this.burst ? now : this.refilledAt + earned * minInterval;
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.timer?.cancel();
        this.timer = undefined;
        this.wake = undefined;
        resolve();
      };
      this.wake = wake;
      this.timer = this.options.clock.setTimer(milliseconds, wake);
    });
  }
}
