import type { CommandRequest, CommandRunner, RunningCommand, RunningCommandEnd } from './command-runner.js';
import { reportWhenSlow } from './process-group.js';

/** Why a session has ended. */
export type SessionEnd = 'timeout' | RunningCommandEnd;

/**
 * A long-running program that answers requests one at a time: this saves starting and stopping a program, which
 * dominates the time of a small request.
 */
export class CommandSession {
  /** Output since the last answer. */
  stdout = '';
  stderr = '';
  /** Undefined while it accepts requests. */
  end: SessionEnd | undefined;
  /** Characters sent so far. */
  written = 0;
  readonly #running: RunningCommand;
  #wake: () => void = () => {};

  /** @param slowAfter milliseconds without an answer after which it is reported as a slow command. Default 30000. */
  constructor(
    start: NonNullable<CommandRunner['start']>,
    private readonly request: Pick<CommandRequest, 'command' | 'args'>,
    private readonly slowAfter?: number,
  ) {
    this.#running = start(request, {
      stdout: (text) => this.#heard(() => (this.stdout += text)),
      stderr: (text) => this.#heard(() => (this.stderr += text)),
    });
    void this.#running.ended.then((end) => this.#finish(end));
  }

  /** Resolves when its process has ended, for any reason. */
  get ended(): Promise<unknown> {
    return this.#running.ended;
  }

  get pid(): number | undefined {
    return this.#running.pid;
  }

  /**
   * Writes `text`, and waits until `answer` finds an answer in the output.
   *
   * @param timeout - milliseconds; then it is stopped, and the outcome of the request is unknown.
   * @returns undefined when the session has {@link end}ed without an answer.
   */
  async exchange<Answer>(text: string, answer: () => Answer | undefined, timeout: number): Promise<Answer | undefined> {
    this.written += text.length;
    this.#running.write(text);
    const timer = setTimeout(() => {
      this.#finish('timeout');
      this.stop();
    }, timeout);
    const forgetSlow = reportWhenSlow(this.request.command, this.pid, timeout, this.slowAfter);
    try {
      for (;;) {
        const found = answer();
        if (found !== undefined || this.end !== undefined) {
          return found;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
      forgetSlow();
    }
  }

  stop(): void {
    this.#running.stop();
  }

  #heard(note: () => void): void {
    note();
    this.#wake();
  }

  #finish(end: SessionEnd): void {
    this.end ??= end;
    this.#wake();
  }
}
