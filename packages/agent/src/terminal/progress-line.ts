import { type Clock, systemClock, type Timer } from '@kube-proxier/core';

/** Milliseconds after which work is shown. */
const SHOWN_AFTER = 1000;
const INTERVAL = 1000;
/** Moves to the first column and clears the line. */
const CLEAR = '\r\u001b[K';

/** Shows the progress of work that takes longer than a second on a terminal. Removed when the work ends. */
export class ProgressLine {
  readonly #write: ((text: string) => void) | undefined;
  readonly #clock: Clock;
  readonly #running: { readonly what: string; readonly since: number }[] = [];
  #timer: Timer | undefined;
  #isShown = false;

  /** @param write to the terminal. Default: not a terminal, and nothing is shown. */
  constructor(write?: (text: string) => void, clock: Clock = systemClock) {
    this.#write = write;
    this.#clock = clock;
  }

  /**
   * Runs the work, and shows what is being done. Work within it replaces the text while it runs.
   *
   * @param what such as `Checking mode nftables`.
   */
  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.#write === undefined) {
      return await work();
    }
    const entry = { what, since: this.#clock.monotonic() };
    this.#running.push(entry);
    this.#timer ??= this.#clock.setTimer(SHOWN_AFTER, () => this.#show());
    try {
      return await work();
    } finally {
      this.#running.splice(this.#running.indexOf(entry), 1);
      if (this.#running.length === 0) {
        this.clear();
        this.#timer?.cancel();
        this.#timer = undefined;
      }
    }
  }

  /** Removes the line, before other output. It appears again later. */
  clear(): void {
    if (this.#isShown) {
      this.#write?.(CLEAR);
      this.#isShown = false;
    }
  }

  #show(): void {
    const last = this.#running.at(-1);
    if (last === undefined) {
      return;
    }
    const seconds = Math.floor((this.#clock.monotonic() - (this.#running[0] ?? last).since) / 1000);
    this.#write?.(`${CLEAR}${last.what} … ${seconds} s`);
    this.#isShown = true;
    this.#timer = this.#clock.setTimer(INTERVAL, () => this.#show());
  }
}
