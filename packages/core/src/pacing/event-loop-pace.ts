import { type Clock, systemClock } from '../sync/clock.js';
import type { Pace } from './slices.js';

/** Milliseconds of work between two pauses. */
const SLICE = 10;

/** Thrown by {@link EventLoopPace.pause} when the work is aborted. */
export class WorkEnded extends Error {}

/** Pauses after each 10 ms, so that this process answers requests while it works. */
export class EventLoopPace implements Pace {
  #begun: number;

  /**
   * @param clock default: the system's. With a clock that does not advance, as in tests, there is no pause.
   * @param signal aborts the work at the next pause. Default: none.
   */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'> = systemClock,
    private readonly signal?: AbortSignal,
  ) {
    this.#begun = clock.monotonic();
  }

  isPauseDue(): boolean {
    return this.clock.monotonic() - this.#begun >= SLICE;
  }

  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.signal?.aborted) {
      throw new WorkEnded('the work was ended');
    }
    this.#begun = this.clock.monotonic();
  }
}
