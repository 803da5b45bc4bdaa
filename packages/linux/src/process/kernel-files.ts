import { readFile, writeFile } from 'node:fs/promises';
import { CommandError, type CommandRunner } from './command-runner.js';

/**
 * Reads and writes files of `/proc` and `/sys`. Their content depends on the network namespace of the process that
 * accesses them, so a test can use a process in another one.
 */
export interface KernelFiles {
  /** @throws Error with the system's `code`, for example `ENOENT`. */
  read(path: string): Promise<string>;
  /** @throws Error with the system's `code`, for example `EROFS` or `EINVAL`. */
  write(path: string, text: string): Promise<void>;
}

/** {@link KernelFiles} of this process. */
export const kernelFiles: KernelFiles = {
  read: (path) => readFile(path, 'utf8'),
  write: (path, text) => writeFile(path, text),
};

/**
 * {@link KernelFiles} as seen by programs that `runner` starts, by `cat` and `tee`: of the runner's network namespace.
 */
export function kernelFilesOf(runner: CommandRunner): KernelFiles {
  return {
    async read(path) {
      return (await withSystemCode(runner.run({ command: 'cat', args: ['--', path] }))).stdout;
    },
    async write(path, text) {
      await withSystemCode(runner.run({ command: 'tee', args: ['--', path], stdin: text, stdout: 'ignore' }));
    },
  };
}

/** Error texts of the tools for system error codes (in English, by `LC_ALL=C`). */
const SPELLINGS = new Map([
  ['No such file or directory', 'ENOENT'],
  ['Not a directory', 'ENOTDIR'],
  ['Permission denied', 'EACCES'],
  ['Operation not permitted', 'EPERM'],
  ['Read-only file system', 'EROFS'],
  ['Invalid argument', 'EINVAL'],
]);

async function withSystemCode<Result>(run: Promise<Result>): Promise<Result> {
  try {
    return await run;
  } catch (error) {
    const output = error instanceof CommandError ? error.stderr.trim() : '';
    const [, code] = [...SPELLINGS].find(([spelling]) => output.endsWith(spelling)) ?? [];
    throw code === undefined ? error : Object.assign(new Error(`${code}: ${output}`, { cause: error }), { code });
  }
}

/** The system error code, for example `ENOENT`; undefined when there is none. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
