import type { Clock, Timer } from '../sync/clock.js';

/** Milliseconds between two checks for changes. */
const CHECK_PERIOD = 100;

export interface ReadWhileCurrentOptions {
  readonly clock: Clock;
  /** Whether the data is unchanged; false makes the result useless. */
  readonly isCurrent: () => boolean;
  /** Aborts the read for another reason. Default: none. */
  readonly signal?: AbortSignal;
}

/** Passed to the function that reads. */
export interface Reading {
  /** Aborts when the result is outdated, and with the signal of the caller: programs that read must be killed. */
  readonly signal: AbortSignal;
  /** Changes from now on do not matter, for example because everything has been read. Idempotent. Default: when the function is done. */
  end(): void;
}

/** The result of a read. */
export interface CurrentReading<Value> {
  readonly value: Value;
  /** Nothing was changed until everything had been read. */
  readonly isCurrent: boolean;
}

/**
 * Reads data that may change during the read, and aborts the read after a change, which is checked every 100 ms.
 * Programs such as `iptables-nft-save` restart after each change, and may never end.
 *
 * @returns undefined when the read failed after a change.
 * @throws what `read` throws otherwise.
 */
export async function readWhileCurrent<Value>(
  read: (reading: Reading) => Promise<Value>,
  { clock, isCurrent, signal }: ReadWhileCurrentOptions,
): Promise<CurrentReading<Value> | undefined> {
  const aborted = new AbortController();
  let timer: Timer | undefined;
  let wasCurrent = true;
  let isOver = false;
  const abort = (): void => aborted.abort();
  const check = (): void => {
    wasCurrent = isCurrent();
    if (!wasCurrent) {
      abort();
      return;
    }
    timer = clock.setTimer(CHECK_PERIOD, check);
  };
  const end = (): void => {
    if (!isOver) {
      isOver = true;
      timer?.cancel();
      wasCurrent = wasCurrent && isCurrent();
    }
  };
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) {
    abort();
  }
  check();
  try {
    const value = await read({ signal: aborted.signal, end });
    end();
    return { value, isCurrent: wasCurrent };
  } catch (error) {
    end();
    if (wasCurrent) {
      throw error;
    }
    return undefined;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
