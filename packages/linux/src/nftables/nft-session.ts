import type { CommandRunner } from '../process/command-runner.js';
import { CommandSession } from '../process/command-session.js';

/** What nft said to a line: nothing when all is well, or `end` when it will not say any more. */
export type NftAnswer = { readonly stderr: string } | { readonly end: 'ended' | 'timeout' };

/**
 * An nft that is given one transaction after the other (`nft -i`).
 *
 * Each line is a transaction. It is followed by a word that nft does not know, and about which it complains: what it
 * says before that is the answer.
 */
export class NftSession {
  readonly #session: CommandSession;
  #count = 0;

  private constructor(start: NonNullable<CommandRunner['start']>) {
    this.#session = new CommandSession(start, { command: 'nft', args: ['-i'] });
  }

  /**
   * @returns undefined where nft cannot stay: some are built without that.
   */
  static async start(start: NonNullable<CommandRunner['start']>, timeout: number): Promise<NftSession | undefined> {
    const session = new NftSession(start);
    const answer = await session.ask('', timeout);
    if ('stderr' in answer && answer.stderr === '') {
      return session;
    }
    session.stop();
    return undefined;
  }

  /** Resolves when it has ended, for whatever reason. */
  get ended(): Promise<unknown> {
    return this.#session.ended;
  }

  get pid(): number | undefined {
    return this.#session.pid;
  }

  get hasEnded(): boolean {
    return this.#session.end !== undefined;
  }

  /** Characters that it was given; nft keeps them all. */
  get written(): number {
    return this.#session.written;
  }

  /** One question at a time. `line` has no line breaks. After `end` nothing is known of what became of it. */
  async ask(line: string, timeout: number): Promise<NftAnswer> {
    const session = this.#session;
    this.#count += 1;
    const word = `no-such-command-${this.#count}`;
    const complaint = new RegExp(`(?:^|\\n)[^\\n]*Error: [^\\n]*\\n${word}\\n[~^ ]*\\n`);
    const found = await session.ask(`${line}\n${word}\n`, () => complaint.exec(session.stderr) ?? undefined, timeout);
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
