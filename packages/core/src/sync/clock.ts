/** The clock, injectable for tests and simulations. */
export interface Clock {
  /** Milliseconds since the epoch. It jumps when the host's clock is set: use it for timestamps, not for durations. */
  now(): number;
  /** Milliseconds since an arbitrary time in the past, constant while the process runs. Never jumps. */
  monotonic(): number;
  /** Calls back once after `milliseconds` (0 or more). Never calls back synchronously. */
  setTimer(milliseconds: number, callback: () => void): Timer;
}

/** A pending callback. */
export interface Timer {
  /** Cancels the callback. Idempotent. */
  cancel(): void;
}

/** The system clock. Its timers do not keep a process alive. */
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
