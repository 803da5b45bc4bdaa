import type { Clock } from '@kube-proxier/core';

/** Milliseconds between two readings at least. */
const SHORTEST_PAUSE = 10_000;
/** A reading that takes long is repeated less often: it is under way for one part of the time in so many at most. */
const PAUSE_RATIO = 20;
/** Milliseconds without a request for the value after which it is not read any more. */
const UNWATCHED_AFTER = 150_000;

/**
 * A value that takes time to read, for those who must not wait. It is read in the background while somebody asks for it:
 * at once at the first request, then every 10 s or more, and no more when it has not been requested for 150 s. One reading
 * at a time: one that hangs makes the value old, and holds nothing else up.
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

  /** The value as it was last read; undefined before the first reading. Never waits. */
  latest(): T | undefined {
    this.#requestedAt = this.clock.monotonic();
    this.#readWhenDue();
    return this.#value;
  }

  /** Milliseconds since the kernel had the value of {@link latest}; undefined before the first reading. */
  get age(): number | undefined {
    return this.#readAt === undefined ? undefined : this.clock.monotonic() - this.#readAt;
  }

  /** Reads it now, or waits for the reading that is under way. Where that fails, the value stays. Never rejects. */
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
      // What was read last stands, and gets older.
    } finally {
      const end = this.clock.monotonic();
      this.#due = end + Math.max(SHORTEST_PAUSE, (end - begin) * PAUSE_RATIO);
    }
  }

  #readWhenDue(): void {
    const now = this.clock.monotonic();
    if (this.#reading !== undefined || this.#scheduled || now - this.#requestedAt > UNWATCHED_AFTER) {
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
