import type { Clock } from '@kube-proxier/core';

/** Minimum milliseconds between two readings. */
const MIN_PAUSE = 10_000;
/** Slow readings are repeated less often: the pause is at least this many times the duration of a reading. */
const PAUSE_RATIO = 50;
/** Milliseconds without a request after which reading stops. */
const IDLE_TIMEOUT = 150_000;

/**
 * A value that is slow to read, for callers that must not wait. It is read in the background while it is requested:
 * immediately at the first request, then every 10 s or more, until it has not been requested for 150 s. One read runs
 * at a time: if it hangs, the value ages, and nothing is blocked.
 */
export class BackgroundReading<T> {
  #value: T | undefined;
  /** When the reading of {@link #value} began, by the monotonic clock. */
  #readAt: number | undefined;
  #reading: Promise<void> | undefined;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #due = Number.NEGATIVE_INFINITY;
  #scheduled = false;

  /** @param onRead called with each value that was read. */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly clock: Clock,
    private readonly onRead: (value: T) => void = () => {},
  ) {}

  /** The last read value; undefined before the first read. Never waits. */
  latest(): T | undefined {
    this.#requestedAt = this.clock.monotonic();
    this.#readWhenDue();
    return this.#value;
  }

  /** Whether the value is being read: a caller that can wait should retry. */
  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** Milliseconds since the kernel had the value of {@link latest}; undefined before the first reading. */
  get age(): number | undefined {
    return this.#readAt === undefined ? undefined : this.clock.monotonic() - this.#readAt;
  }

  /** Reads the value now, or waits for the read in progress. On failure, the last value is kept. Never rejects. */
  refresh(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
      this.#readWhenDue();
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const begin = this.clock.monotonic();
    try {
      const value = await this.read();
      this.#value = value;
      this.#readAt = begin;
      this.onRead(value);
    } catch {
      // The last value is kept, and its age grows.
    } finally {
      const end = this.clock.monotonic();
      this.#due = end + Math.max(MIN_PAUSE, (end - begin) * PAUSE_RATIO);
    }
  }

  #readWhenDue(): void {
    const now = this.clock.monotonic();
    if (this.#reading !== undefined || this.#scheduled || now - this.#requestedAt > IDLE_TIMEOUT) {
      return;
    }
    if (now >= this.#due) {
      void this.refresh();
      return;
    }
    this.#scheduled = true;
    this.clock.setTimer(this.#due - now, () => {
      this.#scheduled = false;
      this.#readWhenDue();
    });
  }
}
