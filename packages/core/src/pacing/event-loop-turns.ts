/** The turns of the event loop, as several works share them. */
export class EventLoopTurns {
  /** When the first work of this turn began; undefined before. */
  #began: number | undefined;
  /** Works that wait for a turn, oldest first. */
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  /** Work begins or continues, at this time in milliseconds. */
  note(now: number): void {
    if (this.#began === undefined) {
      this.#began = now;
      this.#schedule();
    }
  }

  /** Milliseconds since the first work of this turn began. */
  elapsed(now: number): number {
    return now - (this.#began ?? now);
  }

  /** Resolves in a later turn, in which no other work that waits continues. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#begin());
    }
  }

  #begin(): void {
    this.#isScheduled = false;
    this.#began = undefined;
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) {
      this.#schedule();
    }
  }
}
