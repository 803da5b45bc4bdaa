import type { Writable } from 'node:stream';
import type { CaseResult } from '../run/case-result.js';

/** Tells how a run comes along: in one line that is written over on a terminal, a line for each case elsewhere. */
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

  /** Takes the line away. */
  end(): void {
    if (this.output.isTTY) {
      this.output.write('\r\u001b[K');
    }
  }
}
