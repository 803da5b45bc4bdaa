import { CommandError, type CommandRunner } from '../process/command-runner.js';
import { CommandSession } from '../process/command-session.js';

/**
 * iptables-restore may keep part of every document in memory: after this number of characters, a new process replaces
 * it.
 */
const MAX_CHARACTERS = 4_000_000;

/**
 * A long-running `iptables-restore --noflush` that reads one document after another. A committed table is in force at
 * once; a call does not wait for the program's exit, which is slow because the kernel frees the replaced rules.
 *
 * With `--verbose` it echoes comments on its standard output: the echo of a comment after the document marks its end.
 * When it rejects a document, it prints an error and exits.
 */
export class RestoreSession {
  readonly #session: CommandSession;
  #count = 0;
  /** Number of lines sent before this document. */
  #lines = 0;

  constructor(
    start: NonNullable<CommandRunner['start']>,
    private readonly program: string,
    args: readonly string[],
  ) {
    this.#session = new CommandSession(start, { command: program, args: [...args, '--verbose'] });
  }

  /** Whether no further document should be sent to it. */
  get isSpent(): boolean {
    return this.#session.end !== undefined || this.#session.written > MAX_CHARACTERS;
  }

  /**
   * Runs one document at a time.
   *
   * @throws CommandError as for a separate run, with lines counted from the document's first. The session cannot be
   *   used afterwards.
   */
  async restore(document: string, timeout: number): Promise<void> {
    const session = this.#session;
    const text = document.endsWith('\n') ? document : `${document}\n`;
    this.#count += 1;
    const word = `# done ${this.#count}\n`;
    const before = this.#lines;
    this.#lines += text.split('\n').length;
    const done = await session.exchange(`${text}${word}`, () => session.stdout.includes(word) || undefined, timeout);
    session.stdout = '';
    if (done) {
      return;
    }
    const { end } = session;
    if (end === 'timeout') {
      const message = `${this.program} did not answer within ${timeout} ms and was stopped; find what blocks it`;
      throw new CommandError('timeout', this.program, undefined, undefined, '', message);
    }
    const stderr = session.stderr.replace(/\bline:? (\d+)/g, (found, line: string) =>
      found.replace(line, String(Number(line) - before)),
    );
    const { failure = 'exit-code', exitCode, signal } = end ?? {};
    const how = exitCode === undefined ? 'was killed' : `ended with exit code ${exitCode}`;
    const output = stderr.trim().replace(/\s*\n\s*/g, '; ');
    const message = `${this.program} ${how}${output === '' ? '' : `: ${output}`}`;
    throw new CommandError(failure, this.program, exitCode, signal, stderr, message);
  }

  stop(): void {
    this.#session.stop();
  }
}
