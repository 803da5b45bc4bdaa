import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { killGroup } from './process-group.js';

/** How a program ended, or why it could not be started. */
export interface ProgramEnd {
  /** Undefined when it did not exit on its own, or was not started. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it was not started: the error of the system call. Undefined when it was started. */
  readonly error: unknown;
}

export interface ChildProgramOptions {
  /** Environment variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: 'pipe' | 'ignore';
  readonly stdout: 'pipe' | 'ignore';
  readonly stderr: 'pipe' | 'ignore';
}

/** A program that was started. */
export interface ChildProgram {
  /** Undefined when it was not started. */
  readonly child: ChildProcess | undefined;
  /** Resolves when it has ended and its pipes are closed, or could not be started. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
}

/**
 * Starts a program as the leader of its own process group, so that it can be killed with its descendants. Never throws: the end has the reason
 * why a program was not started.
 */
export function startChildProgram(
  file: string,
  args: readonly string[],
  { env, stdin, stdout, stderr }: ChildProgramOptions,
): ChildProgram {
  const notStarted = (error: unknown): ProgramEnd => ({ exitCode: undefined, signal: undefined, error });
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: [stdin, stdout, stderr],
      detached: true,
    });
  } catch (error) {
    // Node throws some errors of the system call, such as ENOMEM, and emits others, such as ENOENT.
    return { child: undefined, ended: Promise.resolve(notStarted(error)) };
  }
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.on('error', (error) => resolve(notStarted(error)));
    child.once('close', (exitCode, signal) =>
      resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined, error: undefined }),
    );
  });
  // Writing to a program that has ended fails with EPIPE; `ended` reports the end. An unhandled error would end this process.
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    stream?.on('error', () => {});
  }
  return { child: child.pid === undefined ? undefined : child, ended };
}

/** Maximum number of bytes of one output of a program. */
export const MAX_OUTPUT = 256 * 1024 * 1024;

/** The output of a program as UTF-8, complete when it has ended. */
export class CollectedOutput {
  /** Decoded at once, so that the bytes are released: the rules of 10,000 Services are megabytes. */
  readonly #texts: string[] = [];
  readonly #decoder = new StringDecoder('utf8');
  #bytes = 0;
  #error: unknown;

  /**
   * @param output undefined for none.
   * @param pid kills its process group when it prints more than {@link MAX_OUTPUT}.
   */
  constructor(output: Readable | null | undefined, pid: number | undefined) {
    output?.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.isTooLong) {
        this.#texts.length = 0;
        killGroup(pid);
      } else {
        this.#texts.push(this.#decoder.write(chunk));
      }
    });
    output?.on('error', (error) => {
      this.#error = error;
    });
  }

  /** Why a part of it is missing: it could not be read. Undefined when it was read. */
  get error(): unknown {
    return this.#error;
  }

  /** Whether it was cut off at {@link MAX_OUTPUT}. */
  get isTooLong(): boolean {
    return this.#bytes > MAX_OUTPUT;
  }

  /** To be read when the output has ended. */
  get text(): string {
    this.#texts.push(this.#decoder.end());
    return this.#texts.join('');
  }
}
