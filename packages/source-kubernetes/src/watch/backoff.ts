const INITIAL_DELAY = 800;
const MAX_DELAY = 30_000;
/** After this many milliseconds without a failure, the next failure counts as the first. */
const RESET_AFTER = 120_000;

/** The backoff state. */
export interface BackoffState {
  /** The next delay in milliseconds, without jitter. */
  readonly next: number;
  /** Time of the last failure by the monotonic clock; undefined before the first. */
  readonly lastFailure: number | undefined;
}

export const NO_BACKOFF: BackoffState = { next: INITIAL_DELAY, lastFailure: undefined };

/**
 * Delay after a failure: 800 ms, doubling to 30 s, each with up to 100% random jitter, so that the nodes of a cluster
 * do not reconnect all at once; at most 30 s. The same as client-go's reflector. Pure.
 *
 * @param now milliseconds, by the monotonic clock.
 * @param random a number from 0 (included) to 1 (not included).
 * @returns the delay in milliseconds, and the state for the next failure.
 */
export function backOff(
  { next, lastFailure }: BackoffState,
  now: number,
  random: number,
): { readonly state: BackoffState; readonly delay: number } {
  const base = lastFailure !== undefined && now - lastFailure > RESET_AFTER ? INITIAL_DELAY : next;
  return {
    state: { next: Math.min(base * 2, MAX_DELAY), lastFailure: now },
    delay: Math.min(base * (1 + random), MAX_DELAY),
  };
}
