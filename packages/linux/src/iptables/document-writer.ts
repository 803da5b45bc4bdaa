import { CommandError, type CommandRunner } from '../process/command-runner.js';
import type { IptablesVersion } from './iptables.js';
import { refusalOf } from './iptables-diagnostics.js';
import { IptablesError } from './iptables-error.js';
import type { IptablesNetlink } from './netlink/iptables-netlink.js';
import { RestoreSession } from './restore-session.js';

export interface DocumentWriterOptions {
  readonly runner: CommandRunner;
  /** The name of iptables-restore. */
  readonly program: string;
  readonly args: readonly string[];
  /** Milliseconds that the program may take for a document. */
  readonly timeout: number;
  /** Whether small documents go to one long-running process, if the runner supports that. */
  readonly persistent: boolean;
  /** Default: the program writes everything. */
  readonly netlink?: IptablesNetlink | undefined;
  readonly version: () => Promise<IptablesVersion>;
  /** Retries the program while another process holds the xtables lock, and maps its errors. */
  readonly retrying: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Maximum size, in characters, of a document that is sent to a long-running iptables-restore. */
const MAX_SESSION_DOCUMENT = 65_536;
/** Milliseconds after which an idle iptables-restore is stopped. */
const IDLE = 30_000;
/** The first version of the nft variant that prints port and mark matches that are native nf_tables expressions. */
const PRINTS_NATIVE_MATCHES = [1, 8, 9] as const;

/**
 * Writes documents into the tables of one family: by netlink, if the installed version prints such rules unchanged;
 * otherwise, and for sections that netlink cannot write or the kernel refuses, by `iptables-restore --noflush`. Calls
 * must not overlap.
 */
export class DocumentWriter {
  #session: RestoreSession | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: DocumentWriterOptions) {}

  /** @throws IptablesDocumentRefused when the program rejects a line. */
  async write(document: string): Promise<void> {
    const netlink = await this.#netlinkToUse();
    for (let at = 0; at < document.length; ) {
      at = (await netlink?.write(document, at)) ?? at;
      if (at < document.length) {
        const end = netlink === undefined || netlink.isUnavailable ? document.length : endOfSection(document, at);
        await this.#writeByProgram(document, at, end);
        at = end;
      }
    }
  }

  /** A later call reopens everything. Idempotent. */
  close(): void {
    this.#closeSession();
    this.options.netlink?.close();
  }

  async #netlinkToUse(): Promise<IptablesNetlink | undefined> {
    const { netlink, version } = this.options;
    if (netlink === undefined || netlink.isUnavailable) {
      return undefined;
    }
    return isAtLeast((await version()).text, PRINTS_NATIVE_MATCHES) ? netlink : undefined;
  }

  async #writeByProgram(document: string, start: number, end: number): Promise<void> {
    const part = document.slice(start, end);
    try {
      await this.options.retrying(() => this.#runProgram(part));
    } catch (error) {
      // A tool that was killed has not rejected the document.
      const byItself = error instanceof IptablesError && error.code === 'IPTABLES_FAILED' ? error.cause : undefined;
      throw byItself instanceof CommandError && byItself.failure === 'exit-code' && byItself.exitCode !== 0
        ? refusalOf(document, byItself, document.slice(0, start).split('\n').length - 1)
        : error;
    }
  }

  async #runProgram(document: string): Promise<void> {
    const { runner, persistent, program: command, args, timeout } = this.options;
    const { start } = runner;
    if (start !== undefined && persistent && document.length <= MAX_SESSION_DOCUMENT) {
      await this.#runInSession(start, document);
    } else {
      await runner.run({ command, args, timeout, stdin: document, stdout: 'ignore' });
    }
  }

  async #runInSession(start: NonNullable<CommandRunner['start']>, document: string): Promise<void> {
    const { program, args, timeout } = this.options;
    clearTimeout(this.#idle);
    if (this.#session?.isSpent) {
      this.#closeSession();
    }
    this.#session ??= new RestoreSession(start, program, args);
    await this.#session.restore(document, timeout);
    this.#idle = setTimeout(() => this.#closeSession(), IDLE);
    this.#idle.unref();
  }

  #closeSession(): void {
    clearTimeout(this.#idle);
    this.#session?.stop();
    this.#session = undefined;
  }
}

function isAtLeast(version: string, [major, minor, patch]: readonly [number, number, number]): boolean {
  const [a = 0, b = 0, c = 0] = version.split('.').map(Number);
  return a !== major ? a > major : b !== minor ? b > minor : c >= patch;
}

/** The position after the `COMMIT` of the section that begins at a position. */
function endOfSection(document: string, start: number): number {
  const commit = document.indexOf('\nCOMMIT\n', start);
  return commit < 0 ? document.length : commit + '\nCOMMIT\n'.length;
}
