import type { CommandRequest, CommandRunner, RunningCommand, RunningCommandEnd } from './command-runner.js';

/** Why a session will give no more answers. */
export type SessionEnd = 'timeout' | RunningCommandEnd;

/**
 * A program that stays, and is asked one thing after another: it spares what most of a small request takes, starting
 * and ending a program.
 */
export class CommandSession {
  /** What it has said since the last answer. */
  stdout = '';
  stderr = '';
  /** Undefined while it can be asked. */
  end: SessionEnd | undefined;
  /** Characters that it was given. */
  written = 0;
  readonly #running: RunningCommand;
  #wake: () => void = () => {};

  constructor(start: NonNullable<CommandRunner['start']>, request: Pick<CommandRequest, 'command' | 'args'>) {
    this.#running = start(request, {
      stdout: (text) => this.#heard(() => (this.stdout += text)),
      stderr: (text) => this.#heard(() => (this.stderr += text)),
    });
    void this.#running.ended.then((end) => this.#finish(end));
  }

  /** Resolves when its process has ended, for whatever reason. */
  get ended(): Promise<unknown> {
    return this.#running.ended;
  }

  get pid(): number | undefined {
    return this.#running.pid;
  }

  /**
   * Says `text`, and waits until `answer` finds one in what comes back.
   *
   * @param timeout - milliseconds; then it is stopped, and nothing is known of what became of the request.
   * @returns undefined when the session has {@link end}ed without an answer.
   */
  async ask<Answer>(text: string, answer: () => Answer | undefined, timeout: number): Promise<Answer | undefined> {
    this.written += text.length;
    this.#running.write(text);
    const timer = setTimeout(() => {
      this.#finish('timeout');
      this.stop();
    }, timeout);
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
