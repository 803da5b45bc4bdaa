import { readFile, writeFile } from 'node:fs/promises';

/**
 * Reads and writes files of `/proc` and `/sys`. What they hold depends on the network namespace of the process that
 * asks, so a test can ask through a process in another one.
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

/** The system's code of an error, for example `ENOENT`; undefined when it has none. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
