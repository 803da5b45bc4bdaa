import type { Writable } from 'node:stream';
import type { CaseResult } from '../run/case-result.js';

/** Prints the progress of a run: in one line that is overwritten on a terminal, else a line for each case. */
export class Progress {
  #failed = 0;

  constructor(
    private readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number },
    private readonly label: string,
  ) {}

  result({ case: one, outcome, milliseconds }: CaseResult, done: number, total: number): void {
    this.#failed += outcome === 'failed' ? 1 : 0;
    const { output } = this;
    if (output.isTTY) {
      const line = `${this.label}: ${done} of ${total} cases${this.#failed > 0 ? `, ${this.#failed} failed` : ''}  ${one.id}`;
      output.write(`\r\u001b[K${line.slice(0, (output.columns ?? 80) - 1)}`);
    } else {
      const word = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' }[outcome];
      output.write(`${word} ${one.id}  ${one.title} (${milliseconds.toFixed(0)} ms)\n`);
    }
  }

  /** Clears the line. */
  end(): void {
    if (this.output.isTTY) {
      this.output.write('\r\u001b[K');
    }
  }
}
