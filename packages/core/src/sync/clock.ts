/** Time, so that tests and simulations can own it. */
export interface Clock {
  /** Milliseconds since the epoch. It jumps when the time of the host is set: good for telling when, not for how long. */
  now(): number;
  /** Milliseconds since some time in the past, the same while the process runs. Never jumps. */
  monotonic(): number;
  /** Calls back once after `milliseconds` (0 or more). Never calls back synchronously. */
  setTimer(milliseconds: number, callback: () => void): Timer;
}

/** A callback that is due later. */
export interface Timer {
  /** Makes sure that the callback is not called any more. Idempotent. */
  cancel(): void;
}

/** The real thing. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(milliseconds, callback) {
    const timeout = setTimeout(callback, milliseconds);
    timeout.unref();
    return { cancel: () => clearTimeout(timeout) };
  },
};

/** Waits `milliseconds`, or until `signal` aborts. Never rejects. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      timer.cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimer(milliseconds, end);
    signal.addEventListener('abort', end);
  });
}
