import type { Clock } from '@kube-proxier/core';

/** Milliseconds by which the two clocks of a host may differ without a clock that was set. */
const TOLERANCE = 1000;

/** A time in the past, whose age stays right when the clock of the host is set. */
export interface KeptTime {
  /** Milliseconds since the epoch, by the clock of that time. */
  readonly wall: number;
  /** Milliseconds, by the monotonic clock. */
  readonly monotonic: number;
}

/** The present time. */
export function keepTime(clock: Clock): KeptTime {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** Milliseconds since the epoch, by the present clock of the host. */
export function presentTime({ wall, monotonic }: KeptTime, clock: Clock): number {
  const byAge = clock.now() - (clock.monotonic() - monotonic);
  return Math.abs(byAge - wall) > TOLERANCE ? byAge : wall;
}
