import type { Logger } from '@kube-proxier/core';
import { type SlowCommand, slowCommands } from '@kube-proxier/linux';

/** Logs a command that blocks the start or syncs for a long time, until stopped. */
export class SlowCommandLog {
  constructor(private readonly logger: Logger) {
    slowCommands.subscribe(this.#note);
  }

  async stop(): Promise<void> {
    slowCommands.unsubscribe(this.#note);
  }

  readonly #note = (message: unknown): void => {
    const { command, pid, elapsed, timeout } = message as SlowCommand;
    const seconds = Math.round(elapsed / 1000);
    const limit = Math.round(timeout / 1000);
    this.logger.warn(
      `${command} has been running for ${seconds} s; kube-proxier waits for it, and it is killed after ${limit} s: find out what blocks it`,
      pid === undefined ? {} : { pid },
    );
  };
}
