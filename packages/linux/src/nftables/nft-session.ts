import type { CommandRunner } from '../process/command-runner.js';
import { CommandSession } from '../process/command-session.js';

/** Output of nft for a line: empty on success, or `end` when the process has ended. */
export type NftAnswer = { readonly stderr: string } | { readonly end: 'ended' | 'timeout' };

/**
 * A long-running nft that reads one transaction after another (`nft -i`).
 *
 * Each line is a transaction, followed by an invalid word: the output before nft's error about that word is the answer.
 */
export class NftSession {
  readonly #session: CommandSession;
  #count = 0;

  private constructor(start: NonNullable<CommandRunner['start']>) {
    this.#session = new CommandSession(start, { command: 'nft', args: ['-i'] });
  }

  /** @returns undefined when nft does not support this: some builds lack interactive mode. */
  static async start(start: NonNullable<CommandRunner['start']>, timeout: number): Promise<NftSession | undefined> {
    const session = new NftSession(start);
    const answer = await session.exchange('', timeout);
    if ('stderr' in answer && answer.stderr === '') {
      return session;
    }
    session.stop();
    return undefined;
  }

  /** Resolves when the process has ended, for any reason. */
  get ended(): Promise<unknown> {
    return this.#session.ended;
  }

  get pid(): number | undefined {
    return this.#session.pid;
  }

  get hasEnded(): boolean {
    return this.#session.end !== undefined;
  }

  /** Characters sent so far; nft keeps them all in memory. */
  get written(): number {
    return this.#session.written;
  }

  /** One request at a time. `line` has no line breaks. After `end` the outcome is unknown. */
  async exchange(line: string, timeout: number): Promise<NftAnswer> {
    const session = this.#session;
    this.#count += 1;
    const word = `no-such-command-${this.#count}`;
    const complaint = new RegExp(`(?:^|\\n)[^\\n]*Error: [^\\n]*\\n${word}\\n[~^ ]*\\n`);
    const found = await session.exchange(
      `${line}\n${word}\n`,
      () => complaint.exec(session.stderr) ?? undefined,
      timeout,
    );
    session.stdout = '';
    if (found === undefined) {
      return { end: session.end === 'timeout' ? 'timeout' : 'ended' };
    }
    const stderr = session.stderr.slice(0, found.index);
    session.stderr = session.stderr.slice(found.index + found[0].length);
    return { stderr };
  }

  stop(): void {
    this.#session.stop();
  }
}
