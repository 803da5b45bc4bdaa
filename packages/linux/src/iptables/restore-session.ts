import { CommandError, type CommandRunner } from '../process/command-runner.js';
import { CommandSession } from '../process/command-session.js';

/** It may keep a little of every document: after so many characters it is better to start anew. */
const MAX_CHARACTERS = 4_000_000;

/**
 * An `iptables-restore --noflush` that stays, and is given one document after the other. What is committed is in force
 * at once; the program's end, which has to wait for the kernel to forget what was replaced, is not waited for.
 *
 * With `--verbose` it repeats comments on its standard output when it comes to them: a comment after the document tells
 * that the document is done. What it does not accept it complains about, and ends.
 */
export class RestoreSession {
  readonly #session: CommandSession;
  #count = 0;
  /** Lines that it was given before this document. */
  #lines = 0;

  constructor(
    start: NonNullable<CommandRunner['start']>,
    private readonly program: string,
    args: readonly string[],
  ) {
    this.#session = new CommandSession(start, { command: program, args: [...args, '--verbose'] });
  }

  /** Whether it should be given no more. */
  get isSpent(): boolean {
    return this.#session.end !== undefined || this.#session.written > MAX_CHARACTERS;
  }

  /**
   * One document at a time.
   *
   * @throws CommandError as for a run of its own, with lines counted from the document's first. Then it is spent.
   */
  async restore(document: string, timeout: number): Promise<void> {
    const session = this.#session;
    const text = document.endsWith('\n') ? document : `${document}\n`;
    this.#count += 1;
    const word = `# done ${this.#count}\n`;
    const before = this.#lines;
    this.#lines += text.split('\n').length;
    const done = await session.ask(`${text}${word}`, () => session.stdout.includes(word) || undefined, timeout);
    session.stdout = '';
    if (done) {
      return;
    }
    const { end } = session;
    if (end === 'timeout') {
      const message = `${this.program} did not answer within ${timeout} ms and was stopped; look for what blocks it`;
      throw new CommandError('timeout', this.program, undefined, undefined, '', message);
    }
    const stderr = session.stderr.replace(/\bline:? (\d+)/g, (found, line: string) =>
      found.replace(line, String(Number(line) - before)),
    );
    const { failure = 'exit-code', exitCode, signal } = end ?? {};
    const how = exitCode === undefined ? 'was ended by somebody' : `ended with exit code ${exitCode}`;
    const said = stderr.trim().replace(/\s*\n\s*/g, '; ');
    const message = `${this.program} ${how}${said === '' ? '' : `: ${said}`}`;
    throw new CommandError(failure, this.program, exitCode, signal, stderr, message);
  }

  stop(): void {
    this.#session.stop();
  }
}
