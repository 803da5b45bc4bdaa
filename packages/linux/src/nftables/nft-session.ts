import type { CommandRunner, RunningCommand } from '../process/command-runner.js';

/** Why a session gave no answer. */
export type NftSessionEnd = 'ended' | 'timeout';

/** What nft said to a line: nothing when all is well, or `end` when it will not say any more. */
export type NftAnswer = { readonly stderr: string } | { readonly end: NftSessionEnd };

/** nft keeps every line that it was given: after so many characters it is better to start anew. */
const MOST_CHARACTERS = 4_000_000;

/**
 * An nft that stays, and is given one transaction after the other (`nft -i`). It spares what most of a small transaction
 * takes: starting a program.
 *
 * Each line is a transaction. It is followed by a word that nft does not know, and about which it complains: what it
 * says before that is the answer.
 */
export class NftSession {
  readonly #running: RunningCommand;
  #said = '';
  #written = 0;
  #count = 0;
  #end: NftSessionEnd | undefined;
  #wake: () => void = () => {};

  private constructor(start: NonNullable<CommandRunner['start']>) {
    this.#running = start(
      { command: 'nft', args: ['-i'] },
      {
        stderr: (text) => {
          this.#said += text;
          this.#wake();
        },
      },
    );
    void this.#running.ended.then(() => this.#finish('ended'));
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

  get pid(): number | undefined {
    return this.#running.pid;
  }

  /** Whether it should be given no more. */
  get isSpent(): boolean {
    return this.#end !== undefined || this.#written > MOST_CHARACTERS;
  }

  /** One question at a time. `line` has no line breaks. After `end` nothing is known of what became of it. */
  async ask(line: string, timeout: number): Promise<NftAnswer> {
    this.#count += 1;
    const word = `no-such-command-${this.#count}`;
    this.#written += line.length;
    this.#running.write(`${line}\n${word}\n`);
    const timer = setTimeout(() => this.#finish('timeout'), timeout);
    const complaint = new RegExp(`(?:^|\\n)[^\\n]*Error: [^\\n]*\\n${word}\\n[~^ ]*\\n`);
    try {
      for (;;) {
        const found = complaint.exec(this.#said);
        if (found !== null) {
          const stderr = this.#said.slice(0, found.index);
          this.#said = this.#said.slice(found.index + found[0].length);
          return { stderr };
        }
        if (this.#end !== undefined) {
          return { end: this.#end };
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

  #finish(how: NftSessionEnd): void {
    this.#end ??= how;
    if (how === 'timeout') {
      this.stop();
    }
    this.#wake();
  }
}
