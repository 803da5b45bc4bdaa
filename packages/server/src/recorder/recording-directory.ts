import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isRecord, type Logger, messageOf, printable, type Timer } from '@kube-proxier/core';
import { compressedLines } from './compressed-lines.js';

/** Flush delay in milliseconds: a crash may lose the last second. */
const FLUSH_INTERVAL = 500;
/** Number of files that the limits are divided into. */
const FILES = 4;
/** Maximum number of files of this process whose order is known. */
const MAX_OWN = 100;
/** Maximum number of buffered characters. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Milliseconds between two log lines about failures. */
const LOG_INTERVAL = 60_000;
const NAME = /^recording-[0-9TZ.-]+\.jsonl\.gz$/;

export interface RecordingDirectoryOptions {
  readonly directory: string;
  /** Milliseconds. */
  readonly maxAge: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The checkpoint for a new file, as it is at the time of the call. Not called by a handler of a change. */
  readonly checkpoint: () => Iterable<string>;
  /** Whether all recorded changes are programmed: a file begins then, unless there is none. */
  readonly isSettled: () => boolean;
  readonly onFailure?: (error: unknown) => void;
}

/** Lines for one file. */
interface Section {
  /** Undefined: they continue the file before. */
  readonly checkpoint: Iterable<string> | undefined;
  readonly lines: string[];
}

/**
 * Writes a recording to files in a directory. Each begins with a checkpoint, so each can be read alone. Lines are on disk
 * within a second. Files beyond the size are removed, the oldest first, and files beyond the age unless they are among the five newest:
 * a host's clock that is set does not remove the last hour.
 */
export class RecordingDirectory {
  readonly #options: RecordingDirectoryOptions;
  #sections: Section[] = [];
  #waiting = 0;
  #file: FileHandle | undefined;
  #path = '';
  /** Size and age of the current file. */
  #written = 0;
  #begunAt = Number.NEGATIVE_INFINITY;
  #needsFile = true;
  /** A file may begin when the handlers of this change have returned. */
  #isBeginning = false;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #stopped = false;
  #nextLog = Number.NEGATIVE_INFINITY;
  #obstacle: string | undefined;
  /** Files of this process, the oldest first. */
  readonly #own: string[] = [];

  constructor(options: RecordingDirectoryOptions) {
    this.#options = options;
  }

  /** Why it cannot be written; undefined while it can. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** Adds a line to the file. A file that is full is followed by another when all changes are programmed. */
  add(line: string): void {
    if (this.#stopped) {
      return;
    }
    if (this.#waiting > MAX_WAITING) {
      // The disk is too slow: the next file begins with a checkpoint.
      this.#sections = [];
      this.#waiting = 0;
      this.#needsFile = true;
    }
    if (!this.#needsFile) {
      this.#push(line);
    }
    const { maxAge, maxBytes, clock } = this.#options;
    const isFull = this.#written > maxBytes / FILES || clock.monotonic() - this.#begunAt > maxAge / FILES;
    if (this.#needsFile || isFull) {
      // The checkpoint has what the line says.
      this.#beginSoon();
    }
  }

  /** Begins another file, with a checkpoint. Not to be called by a handler of a change. */
  beginFile(): void {
    if (this.#stopped) {
      return;
    }
    this.#needsFile = false;
    this.#begunAt = this.#options.clock.monotonic();
    this.#written = 0;
    this.#sections.push({ checkpoint: this.#options.checkpoint(), lines: [] });
    this.#flushLater();
  }

  /** Once the handlers of this change have returned. */
  #beginSoon(): void {
    if (!this.#isBeginning) {
      this.#isBeginning = true;
      queueMicrotask(() => {
        this.#isBeginning = false;
        if (this.#needsFile || this.#options.isSettled()) {
          this.beginFile();
        }
      });
    }
  }

  /** Resolves when added lines are on disk, or could not be written. */
  flush(): Promise<void> {
    this.#flush();
    return this.#writing;
  }

  /** Flushes buffered lines and closes the file. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.flush();
    await this.#file?.close();
    this.#file = undefined;
  }

  #push(line: string): void {
    if (this.#sections.length === 0) {
      this.#sections.push({ checkpoint: undefined, lines: [] });
    }
    this.#sections.at(-1)?.lines.push(line);
    this.#waiting += line.length + 1;
    this.#flushLater();
  }

  #flushLater(): void {
    this.#timer ??= this.#options.clock.setTimer(FLUSH_INTERVAL, () => this.#flush());
  }

  #flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const sections = this.#sections;
    this.#sections = [];
    this.#waiting = 0;
    this.#writing = this.#writing.then(() => this.#write(sections)).catch((error: unknown) => this.#failed(error));
  }

  async #write(sections: readonly Section[]): Promise<void> {
    for (const { checkpoint, lines } of sections) {
      if (checkpoint !== undefined) {
        await this.#open();
        for await (const data of compressedLines(checkpoint)) {
          await this.#append(data);
        }
      }
      if (this.#file === undefined) {
        continue;
      }
      for await (const data of compressedLines(lines)) {
        await this.#append(data);
      }
      await this.#file.datasync();
      this.#obstacle = undefined;
    }
  }

  async #append(data: Buffer): Promise<void> {
    await this.#file?.appendFile(data);
    this.#written += data.length;
  }

  async #open(): Promise<void> {
    const { directory, clock } = this.#options;
    await this.#file?.close();
    this.#file = undefined;
    await makeDirectory(directory);
    const time = new Date(clock.now()).toISOString().replaceAll(':', '-');
    this.#path = join(directory, `recording-${time}.jsonl.gz`);
    // Existing files are not overwritten: after a restart, the file before the crash is the relevant one.
    this.#file = await open(this.#path, 'a', 0o600);
    this.#own.splice(0, this.#own.length - MAX_OWN);
    this.#own.push(this.#path);
    const folder = await open(directory);
    await folder.sync().finally(() => folder.close());
    await this.#removeOld();
  }

  /** Removes files beyond the limits, the oldest first, and never the current one. */
  async #removeOld(): Promise<void> {
    const { directory, maxAge, maxBytes, clock } = this.#options;
    const found = (await readdir(directory)).filter((name) => NAME.test(name)).map((name) => join(directory, name));
    const files = await Promise.all(found.map(async (path) => ({ path, ...(await stat(path)) })));
    // The host's clock may have been set, so times give no order for the files of this process.
    files.sort((a, b) => this.#own.indexOf(b.path) - this.#own.indexOf(a.path) || b.mtimeMs - a.mtimeMs);
    let bytes = 0;
    for (const [index, { path, size, mtimeMs }] of files.entries()) {
      bytes += size;
      // Space for the current file is reserved.
      const isOver = bytes > maxBytes - maxBytes / FILES;
      const isOld = index > FILES && Math.abs(clock.now() - mtimeMs) > maxAge;
      if ((isOver || isOld) && path !== this.#path) {
        await rm(path, { force: true });
      }
    }
  }

  #failed(error: unknown): void {
    const { clock, logger, directory, onFailure } = this.#options;
    this.#needsFile = true;
    // Data after a partly written member could not be read.
    const file = this.#file;
    this.#file = undefined;
    file?.close().catch(() => {});
    this.#obstacle = `recording cannot be written to ${directory}: ${printable(messageOf(error))}`;
    onFailure?.(error);
    if (clock.monotonic() >= this.#nextLog) {
      this.#nextLog = clock.monotonic() + LOG_INTERVAL;
      logger.warn(
        `The recording cannot be written to ${directory}, and is kept in memory only: ${messageOf(error)}; check the free space and the permissions of --recording-directory`,
      );
    }
  }
}

/** With its parents. */
async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const code = isRecord(error) ? error.code : undefined;
    if (code === 'ENOENT') {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    } else if (code !== 'EEXIST') {
      // A recursive mkdir reports ENOENT for a read-only file system.
      throw error;
    }
  }
}
