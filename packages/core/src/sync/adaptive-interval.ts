/** Share of the time that syncs may take while changes arrive continuously. */
const SYNC_SHARE = 0.1;

/** Milliseconds; kube-proxy's default minimum between two syncs. */
const MAX_INTERVAL = 1000;

/**
 * The minimum time between two syncs where no period is set: proportional to what a sync costs. A cheap sync follows a change
 * at once; expensive syncs merge more changes each.
 *
 * @param duration of the last sync, in milliseconds.
 * @returns milliseconds from the end of that sync to the start of the next; at most 1000.
 */
export function adaptiveInterval(duration: number): number {
  return Math.min(MAX_INTERVAL, duration * (1 / SYNC_SHARE - 1));
}
