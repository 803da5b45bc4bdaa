import type { Clock } from '@kube-proxier/core';

const FIRST = 800;
const LONGEST = 30_000;
/** After this many milliseconds without a failure, the next failure counts as the first. */
const FORGET = 120_000;

/**
 * Delay after a failure: 800 ms, doubling to 30 s, each with up to 100% random jitter, so that the nodes of a cluster
 * do not reconnect all at once; at most 30 s. The same as client-go's reflector.
 */
export class Backoff {
  private next = FIRST;
  private last: number | undefined;

  /** @param random a number from 0 (included) to 1 (not included). */
  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** The current delay in milliseconds. */
  pause(): number {
    const now = this.clock.monotonic();
    if (this.last !== undefined && now - this.last > FORGET) {
      this.next = FIRST;
    }
    this.last = now;
    const base = this.next;
    this.next = Math.min(base * 2, LONGEST);
    return Math.min(base * (1 + this.random()), LONGEST);
  }
}
