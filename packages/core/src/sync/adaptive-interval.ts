/** Share of the time that syncs may take while changes arrive continuously. */
const SYNC_SHARE = 0.05;

/**
 * Milliseconds. A wake-up for a sync costs about as much CPU as a cheap sync itself (timers, system calls, garbage
 * collection), which the duration of the sync does not include: continuous changes cause at most 20 syncs a second.
 */
const MIN_INTERVAL = 50;

/** Milliseconds; kube-proxy's default minimum between two syncs. */
const MAX_INTERVAL = 1000;

/** Weight of the last sync in the average. */
const WEIGHT = 1 / 4;

/**
 * The minimum time between two syncs where no period is set: proportional to what recent syncs cost. A single change is
 * synced at once; expensive syncs coalesce more changes.
 */
export class AdaptiveInterval {
  /** Moving average of durations, in milliseconds. */
  #average: number | undefined;

  /**
   * @param duration of the last sync, in milliseconds.
   * @returns milliseconds from the end of that sync to the start of the next; 50 to 1000.
   */
  after(duration: number): number {
    const former = this.#average;
    // The first sync writes everything, and says nothing about the next ones.
    const isCheaper = former === undefined || duration * 2 < former;
    this.#average = isCheaper ? duration : duration * WEIGHT + former * (1 - WEIGHT);
    // One sync that took long, for example during a garbage collection, does not delay the next one as if all did.
    const cost = Math.min(duration, this.#average);
    return Math.min(MAX_INTERVAL, Math.max(MIN_INTERVAL, cost * (1 / SYNC_SHARE - 1)));
  }
}
