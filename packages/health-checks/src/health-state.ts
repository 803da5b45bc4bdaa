/** The verdict of the checks of an endpoint. */
export type HealthVerdict = 'unknown' | 'up' | 'down';

/** Number of consecutive results that change a verdict. */
export interface HealthThresholds {
  /** Passed checks that make an endpoint up, 1 or more. */
  readonly rise: number;
  /** Failed checks that make an endpoint down, 1 or more. */
  readonly fall: number;
}

/** The results of one check so far. Immutable. */
export interface HealthState {
  readonly verdict: HealthVerdict;
  /** Whether the next result alone decides: nothing was checked yet, or the settings have changed. */
  readonly isFresh: boolean;
  /** Number of consecutive results with the last outcome. Successes are counted up to `rise`. */
  readonly run: number;
  /** Whether the last check passed; undefined before the first one. */
  readonly passed: boolean | undefined;
  /** When the first check of the run ended, in milliseconds since the epoch. */
  readonly since: number;
  /** Why the last check failed; undefined when it passed. */
  readonly reason: string | undefined;
}

/** The state of an endpoint that was never checked. */
export const UNCHECKED: HealthState = {
  verdict: 'unknown',
  isFresh: true,
  run: 0,
  passed: undefined,
  since: 0,
  reason: undefined,
};

/**
 * The state after one more result. The first result decides at once; after that, a verdict changes when `rise` or `fall`
 * results in a row contradict it. Pure.
 *
 * @param failure why the check failed; undefined when it passed.
 * @param now milliseconds since the epoch.
 */
export function nextHealth(
  state: HealthState,
  failure: string | undefined,
  { rise, fall }: HealthThresholds,
  now: number,
): HealthState {
  const passed = failure === undefined;
  if (passed && state.passed && !state.isFresh && state.verdict === 'up' && state.run >= rise) {
    // As nearly always: how often it passed further is not counted.
    return state;
  }
  const continues = state.passed === passed;
  const run = continues ? state.run + 1 : 1;
  const isDecided = state.isFresh || run >= (passed ? rise : fall);
  return {
    verdict: isDecided ? (passed ? 'up' : 'down') : state.verdict,
    isFresh: false,
    run,
    passed,
    since: continues ? state.since : now,
    reason: failure,
  };
}
