import { createHash } from 'node:crypto';
import { type Clock, type Logger, printable } from '@kube-proxier/core';
import { ahead, type DirectorySnapshot, type FileContent, type FileStamp, readFileOf } from './manifest-directory.js';
import { ManifestParser } from './manifest-parser.js';
import type { ManifestProblem } from './manifest-problem.js';
import type { ManifestFile } from './manifest-set.js';
import type { Manifest } from './read-manifest.js';

/** One file: its last valid objects, and its problems. */
export interface FileState extends ManifestFile {
  /** Stamp of the content that was read last, valid or not. */
  readonly stamp: string;
  /** Hash of that content; empty when it could not be read. */
  readonly digest: string;
  /** It was read so soon after a change that a further change might have the same stamp. */
  readonly unsettled: boolean;
  readonly problems: readonly ManifestProblem[];
  /** Time of the next attempt without a change, by the monotonic clock: parsing it took too long. */
  readonly retryAt?: number;
}

/** By file name. */
export type FileStates = ReadonlyMap<string, FileState>;

/** The next state of all files, not in force yet. */
export interface Reading {
  readonly files: FileStates;
  /** A file changed during the read. */
  readonly incomplete: boolean;
}

/** Options of a {@link ManifestReader}. */
export interface ManifestReaderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxFileBytes: number;
  readonly allowLoopbackEndpoints: boolean;
  /** Called when a deferred file is parsed. */
  readonly onParsed: () => void;
  /** Default: one with threads of its own. */
  readonly parser?: Pick<ManifestParser, 'parse' | 'close'>;
}

/** A file that is being parsed, or whose parsed objects are not in force yet. */
interface Parsing {
  readonly digest: string;
  readonly done: Promise<Manifest>;
  /** Set on completion. */
  manifest?: Manifest;
  /** Other files did not wait for it. */
  late: boolean;
  /** Whether a read has taken its result. */
  used: boolean;
}

/** File systems may have timestamps of this resolution (milliseconds): two writes within one step look the same. */
const STAMP_GRANULARITY = 2000;
/** Milliseconds that other files wait for a slow one. */
const SLOW_FILE_TIMEOUT = 300;
/** Milliseconds before a retry of a file that took too long. */
const PARSE_RETRY_DELAY = 300_000;

/** Reads and parses the files that changed. Malformed or unreadable files keep their last valid objects. */
export class ManifestReader {
  readonly #parser: Pick<ManifestParser, 'parse' | 'close'>;
  /** By file name. */
  readonly #parsings = new Map<string, Parsing>();
  #closed = false;

  constructor(private readonly options: ManifestReaderOptions) {
    this.#parser = options.parser ?? new ManifestParser();
  }

  /** Whether a file was added, changed or removed since these states were read, or is due for another attempt. */
  differs(snapshot: DirectorySnapshot, files: FileStates): boolean {
    return (
      snapshot.files.size !== files.size ||
      [...snapshot.files.values()].some((found) => !this.#isCurrent(files.get(found.name), found))
    );
  }

  /**
   * Reads the files that differ from these states.
   *
   * @param when `start`: waits until every file is parsed, and uses the valid objects of malformed files, as there are no last
   *   valid ones; `later`: a slow file keeps its state for now.
   */
  async read(snapshot: DirectorySnapshot, files: FileStates, when: 'start' | 'later'): Promise<Reading> {
    const contents = ahead(snapshot.files.values(), async (found) => {
      const known = files.get(found.name);
      const content = this.#isCurrent(known, found) ? undefined : await readFileOf(found, this.options.maxFileBytes);
      const parsing = content?.kind === 'bytes' ? this.#parse(found, content.bytes, known) : undefined;
      return { found, known, content, parsing };
    });
    const timeout = when === 'start' ? undefined : after(SLOW_FILE_TIMEOUT);
    for (const name of this.#parsings.keys()) {
      if (!snapshot.files.has(name)) {
        this.#parsings.delete(name);
      }
    }
    const next = new Map<string, FileState>();
    let incomplete = false;
    for await (const { found, known, content, parsing } of contents) {
      if (this.#closed) {
        return { files: next, incomplete: true };
      }
      incomplete ||= content?.kind === 'changed';
      const state = await this.#nextState(found, known, content, parsing, timeout);
      if (state) {
        next.set(found.name, state);
      }
    }
    return { files: next, incomplete };
  }

  /** Called when the states are in force: releases their parse results. */
  release(files: FileStates): void {
    for (const [name, { digest, used }] of this.#parsings) {
      // A file that is parsed again after it took too long has the same digest before and after.
      if (used && files.get(name)?.digest === digest) {
        this.#parsings.delete(name);
      }
    }
  }

  /** Ends reading and parsing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#parser.close();
  }

  #isCurrent(known: FileState | undefined, found: FileStamp): boolean {
    return known?.stamp === found.stamp && !known.unsettled && !this.#isDueAgain(known);
  }

  #isDueAgain({ retryAt }: FileState): boolean {
    return retryAt !== undefined && this.options.clock.monotonic() >= retryAt;
  }

  /** The state of a file after it was read; the previous state when unchanged. */
  async #nextState(
    found: FileStamp,
    known: FileState | undefined,
    content: FileContent | undefined,
    parsing: Parsing | undefined,
    timeout: Promise<undefined> | undefined,
  ): Promise<FileState | undefined> {
    if (!content || content.kind === 'changed') {
      return known;
    }
    const { clock, logger } = this.options;
    const stamp = {
      name: found.name,
      stamp: found.stamp,
      unsettled: clock.now() - found.changedAt < STAMP_GRANULARITY,
    };
    if (content.kind === 'unreadable') {
      const place = { file: found.path, line: 0, column: 0, object: '', field: '' };
      const problem: ManifestProblem = { ...place, message: content.reason, severity: 'error' };
      return { ...stamp, digest: '', objects: known?.objects ?? [], problems: [problem] };
    }
    if (parsing === undefined) {
      // Unchanged since the last read.
      return known && { ...known, ...stamp };
    }
    const manifest = parsing.manifest ?? (await (timeout ? Promise.race([parsing.done, timeout]) : parsing.done));
    if (manifest === undefined) {
      // The next scan follows when it is done.
      parsing.late = true;
      return known;
    }
    parsing.used = true;
    for (const ignored of manifest.ignored) {
      logger.debug(4, `${printable(found.path)}: ignored ${ignored}`);
    }
    const { problems, objects, timedOut } = manifest;
    return {
      ...stamp,
      digest: parsing.digest,
      objects: isMalformed(manifest) ? (known?.objects ?? (timeout === undefined ? objects : [])) : objects,
      problems,
      ...(timedOut ? { retryAt: clock.monotonic() + PARSE_RETRY_DELAY } : {}),
    };
  }

  /** Starts parsing a file; undefined when its content is unchanged. */
  #parse({ name, path }: FileStamp, bytes: Uint8Array<ArrayBuffer>, known: FileState | undefined): Parsing | undefined {
    const digest = createHash('sha256').update(bytes).digest('base64');
    if (known?.digest === digest && !this.#isDueAgain(known)) {
      return undefined;
    }
    const under = this.#parsings.get(name);
    if (under?.digest === digest) {
      return under;
    }
    const { allowLoopbackEndpoints, onParsed } = this.options;
    const done = this.#parser.parse(path, bytes, { allowLoopbackEndpoints });
    const parsing: Parsing = { digest, done, late: false, used: false };
    this.#parsings.set(name, parsing);
    void done.then((manifest) => {
      parsing.manifest = manifest;
      if (parsing.late && this.#parsings.get(name) === parsing) {
        onParsed();
      }
    });
    return parsing;
  }
}

/** Whether the last valid objects stay in force. */
export function isMalformed({ problems }: { readonly problems: readonly ManifestProblem[] }): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds, undefined).unref();
  });
}
