import type { Clock, Timer } from '@kube-proxier/core';

/** Runs one scan at a time: at once, after a delay, and again after a change during a scan. */
export class ScanLoop {
  #timer: Timer | undefined;
  /** Time of the next scan by the monotonic clock. */
  #due = 0;
  #running: Promise<void> | undefined;
  #repeats = false;
  #stopped = false;

  /** @param scan one scan; resolves with the milliseconds until the next one, and never rejects. */
  constructor(
    private readonly clock: Clock,
    private readonly scan: () => Promise<number>,
  ) {}

  /** Scans now; after the current scan, if there is one. */
  run(): void {
    if (this.#stopped) {
      return;
    }
    if (this.#running) {
      this.#repeats = true;
      return;
    }
    this.#timer?.cancel();
    this.#running = this.scan().then((next) => {
      this.#running = undefined;
      if (this.#repeats) {
        this.#repeats = false;
        this.run();
      } else {
        this.#runIn(next);
      }
    });
  }

  /** Scans after this time at the latest; at once after the current scan, if there is one. */
  runWithin(milliseconds: number): void {
    if (this.#running) {
      this.#repeats = true;
    } else if (this.#due > this.clock.monotonic() + milliseconds) {
      this.#runIn(milliseconds);
    }
  }

  /** Stops starting scans. */
  cancel(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Resolves when no scan runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #runIn(milliseconds: number): void {
    this.#timer?.cancel();
    if (!this.#stopped) {
      this.#due = this.clock.monotonic() + milliseconds;
      this.#timer = this.clock.setTimer(milliseconds, () => this.run());
    }
  }
}
