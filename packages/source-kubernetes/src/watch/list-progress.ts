import { type Clock, countOf, formatBytes, type Timer } from '@kube-proxier/core';

/** Milliseconds after which a list is reported for the first time; then after twice the time, and so on. */
const LONG = 30_000;

/** Measures a running list, and reports it while it takes long. */
export class ListProgress {
  readonly #begin: number;
  #bytes = 0;
  #isLong = false;
  #timer: Timer;

  /**
   * @param countObjects objects of the list so far.
   * @param report called after 30 s, 60 s, 120 s and so on.
   */
  constructor(
    private readonly clock: Clock,
    private readonly countObjects: () => number,
    private readonly report: (text: string) => void,
  ) {
    this.#begin = clock.monotonic();
    this.#timer = this.#wait(LONG);
  }

  /** Records received bytes, decompressed. */
  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** The progress so far; undefined while the list does not take long. */
  text(): string | undefined {
    if (!this.#isLong) {
      return undefined;
    }
    const seconds = Math.round((this.clock.monotonic() - this.#begin) / 1000);
    const received = `${formatBytes(this.#bytes)} with ${countOf(this.countObjects(), 'object')}`;
    return `the list is not complete after ${seconds} s: ${received} so far`;
  }

  /** Ends the reports. Idempotent. */
  end(): void {
    this.#timer.cancel();
  }

  #wait(milliseconds: number): Timer {
    return this.clock.setTimer(milliseconds, () => {
      this.#isLong = true;
      this.report(this.text() ?? '');
      this.#timer = this.#wait(this.clock.monotonic() - this.#begin);
    });
  }
}
