/** Share of the time that syncs may take while changes arrive continuously. */
const SYNC_SHARE = 0.1;

/**
 * Milliseconds. A wake-up for a sync costs about as much CPU as a cheap sync itself (timers, system calls, garbage
 * collection), which the duration of the sync does not include: continuous changes cause at most 20 syncs a second.
 */
const MIN_INTERVAL = 50;

/** Milliseconds; kube-proxy's default minimum between two syncs. */
const MAX_INTERVAL = 1000;

/**
 * The minimum time between two syncs where no period is set: proportional to the cost of a sync. A single change is
 * synced at once; expensive syncs coalesce more changes.
 *
 * @param duration of the last sync, in milliseconds.
 * @returns milliseconds from the end of that sync to the start of the next; 50 to 1000.
 */
export function adaptiveInterval(duration: number): number {
  return Math.min(MAX_INTERVAL, Math.max(MIN_INTERVAL, duration * (1 / SYNC_SHARE - 1)));
}
