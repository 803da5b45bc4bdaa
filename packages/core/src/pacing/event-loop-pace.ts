import { type Clock, systemClock } from '../sync/clock.js';
import { EventLoopTurns } from './event-loop-turns.js';
import type { Pace } from './slices.js';

/** Milliseconds of work between two pauses. */
const SLICE = 5;
/** Milliseconds of work of all paces in one turn of the event loop, after which each of them pauses. */
const TURN = 2 * SLICE;
/**
 * Maximum number of checks for which the clock is not read: reading it takes longer than most steps of the work. Any step may take 10 ms
 * instead, as V8 continues a collection where memory is allocated.
 */
const MAX_SKIPPED = 3;
/** Milliseconds between two readings of the clock, below which fewer checks read it, and above which each check does. */
const SHORT = 0.1;
const LONG = 1;

/** The turns of the event loop, by the clock of the system. */
const systemTurns = new EventLoopTurns();

/** Thrown by {@link EventLoopPace.pause} when the work is aborted. */
export class WorkEnded extends Error {}

/**
 * Pauses after each 5 ms, so that this process answers requests while it works. Of several works at a time, one continues in
 * each turn of the event loop.
 */
export class EventLoopPace implements Pace {
  #begun: number;
  #read: number;
  /** Checks that do not read the clock, between two that do. */
  #skipped = 0;
  #left = 0;

  /**
   * @param clock default: the system's. With a clock that does not advance, as in tests, there is no pause.
   * @param signal aborts the work at the next pause. Default: none.
   * @param turns shared by all works that must not run one after another in the same turn. Default: those of all works with the system's
   *   clock; with another clock, none.
   */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'> = systemClock,
    private readonly signal?: AbortSignal,
    private readonly turns: EventLoopTurns = clock === systemClock ? systemTurns : new EventLoopTurns(),
  ) {
    this.#begun = clock.monotonic();
    this.#read = this.#begun;
    this.turns.note(this.#begun);
  }

  isPauseDue(): boolean {
    if (this.#left > 0) {
      this.#left -= 1;
      return false;
    }
    const now = this.clock.monotonic();
    const elapsed = now - this.#read;
    if (elapsed < SHORT) {
      this.#skipped = Math.min(2 * this.#skipped + 1, MAX_SKIPPED);
    } else if (elapsed > LONG) {
      this.#skipped = 0;
    }
    this.#left = this.#skipped;
    this.#read = now;
    return now - this.#begun >= SLICE || this.turns.elapsed(now) >= TURN;
  }

  async pause(): Promise<void> {
    await this.turns.next();
    if (this.signal?.aborted) {
      throw new WorkEnded('the work was ended');
    }
    this.#begun = this.clock.monotonic();
    this.#read = this.#begun;
    this.turns.note(this.#begun);
  }
}
