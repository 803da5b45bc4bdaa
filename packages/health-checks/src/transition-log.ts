import type { Clock, LogFields, Logger, Timer } from '@kube-proxier/core';

/** Lines in one window at most; the rest is counted. */
const MAX_LINES = 50;
/** Milliseconds. */
const WINDOW = 10_000;

/** Logs changes of verdicts, and only their number when there are very many. */
export class TransitionLog {
  #lines = 0;
  #left = 0;
  #window: Timer | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {}

  log(level: 'info' | 'warn', message: string, fields: LogFields): void {
    this.#window ??= this.clock.setTimer(WINDOW, () => this.#endWindow());
    if (this.#lines < MAX_LINES) {
      this.#lines += 1;
      this.logger[level](message, fields);
    } else {
      this.#left += 1;
    }
  }

  stop(): void {
    this.#window?.cancel();
    this.#endWindow();
  }

  #endWindow(): void {
    this.#window = undefined;
    if (this.#left > 0) {
      this.logger.warn(`Health checks: ${this.#left} more endpoints changed within ${WINDOW / 1000} s`);
    }
    this.#lines = 0;
    this.#left = 0;
  }
}
