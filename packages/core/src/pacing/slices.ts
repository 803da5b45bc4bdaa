/**
 * Work that can pause: at each `yield`, the event loop may run. Visible state is then either that before the work or
 * that after it.
 */
export type Slices<Result> = Generator<void, Result>;

/** Decides when work pauses. */
export interface Pace {
  /** Whether the work has taken long enough without a pause. Called often. */
  isPauseDue(): boolean;
  /** Lets the event loop run. Rejects to end the work. */
  pause(): Promise<void>;
}

/** Runs work without pauses. */
export function finish<Result>(slices: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
  }
}

/**
 * Runs work with pauses. Work that needs none completes synchronously, so that a small change has no delay.
 *
 * @returns a promise only where there was a pause. It rejects with what the work or a pause throws; the rest is then not done.
 */
export function finishWithPauses<Result>(slices: Slices<Result>, pace: Pace): Result | Promise<Result> {
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
    if (pace.isPauseDue()) {
      return finishLater(slices, pace);
    }
  }
}

async function finishLater<Result>(slices: Slices<Result>, pace: Pace): Promise<Result> {
  for (;;) {
    await pace.pause();
    do {
      const { done, value } = slices.next();
      if (done) {
        return value;
      }
    } while (!pace.isPauseDue());
  }
}
