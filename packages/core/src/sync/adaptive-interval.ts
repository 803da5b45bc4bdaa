/** Share of the time that syncs may take while changes arrive continuously. */
const SYNC_SHARE = 0.1;

/**
 * Milliseconds. A process that wakes up for a sync uses about as much CPU as a cheap sync itself (timers, system calls, garbage), which the
 * duration of the sync does not show: so continuous changes lead to 20 syncs a second at most.
 */
const MIN_INTERVAL = 50;

/** Milliseconds; kube-proxy's default minimum between two syncs. */
const MAX_INTERVAL = 1000;

/**
 * The minimum time between two syncs where no period is set: proportional to what a sync costs. A change that comes alone is
 * synced at once; expensive syncs merge more changes each.
 *
 * @param duration of the last sync, in milliseconds.
 * @returns milliseconds from the end of that sync to the start of the next; 50 to 1000.
 */
export function adaptiveInterval(duration: number): number {
  return Math.min(MAX_INTERVAL, Math.max(MIN_INTERVAL, duration * (1 / SYNC_SHARE - 1)));
}
