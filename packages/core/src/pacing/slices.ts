/**
 * Work that can pause: each `yield` is a place where the event loop may run before the rest. There, what others see is as it was
 * before the work began, or as it will be after it.
 */
export type Slices<Result> = Generator<void, Result>;

/** When work pauses. */
export interface Pace {
  /** Whether the work has taken long enough without a pause. Called often. */
  isPauseDue(): boolean;
  /** Lets the event loop run. Rejects to end the work. */
  pause(): Promise<void>;
}

/** Carries out work without pauses. */
export function finish<Result>(slices: Generator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      return value;
    }
  }
}

/**
 * Carries out work with pauses. What needs none is done when this returns, so that a small change waits for nothing.
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
