import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRecord, messageOf, printable } from '@kube-proxier/core';
import { ManifestError } from './manifest-error.js';

/** One manifest file in a snapshot of the directory. */
export interface FileStamp {
  readonly name: string;
  readonly path: string;
  /** Changes when the file was written, replaced, or its symbolic link points elsewhere. */
  readonly stamp: string;
  /** Milliseconds since the epoch of the last change of content or attributes. */
  readonly changedAt: number;
}

/** A snapshot of all manifest files. */
export interface DirectorySnapshot {
  /** The directory to watch for changes. */
  readonly watched: string;
  /** Changes when another directory is at that path. */
  readonly watchedStamp: string;
  readonly files: ReadonlyMap<string, FileStamp>;
}

/** The content of a file. `changed`: it changed during the read, and has to be read again. */
export type FileContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'changed' }
  | { readonly kind: 'unreadable'; readonly reason: string };

const MANIFEST_NAME = /^[^.].*\.(ya?ml|json)$/i;

/**
 * Lists the files of a directory, without sub-directories, or one file. Skips hidden files, and everything but regular
 * files (after following symbolic links).
 *
 * @throws ManifestError when `path` does not exist or cannot be read.
 */
export async function readSnapshot(path: string): Promise<DirectorySnapshot> {
  try {
    const root = await stat(path, { bigint: true });
    const directory = root.isDirectory();
    if (!directory && !root.isFile()) {
      throw new ManifestError('MANIFESTS_UNREADABLE', `${printable(path)} is neither a directory nor a file`);
    }
    const watched = directory ? path : dirname(path);
    const names = directory
      ? (await readdir(path)).filter((name) => MANIFEST_NAME.test(name)).sort()
      : [basename(path)];
    const files = new Map<string, FileStamp>();
    for await (const file of ahead(names, (name) => stampOf(watched, name))) {
      if (file) {
        files.set(file.name, file);
      }
    }
    const { dev, ino } = directory ? root : await stat(watched, { bigint: true });
    return { watched, watchedStamp: `${dev}:${ino}`, files };
  } catch (error) {
    throw error instanceof ManifestError ? error : pathError(path, error);
  }
}

/** Number of concurrent file operations; sequential operations would mostly wait. */
const AT_A_TIME = 16;

/** Processes the next few items concurrently, and yields results in the order of the items. */
export async function* ahead<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  for (const item of items) {
    pending.push(work(item));
    if (pending.length >= AT_A_TIME) {
      yield (await pending.shift()) as Result;
    }
  }
  for (const result of pending) {
    yield await result;
  }
}

async function stampOf(directory: string, name: string): Promise<FileStamp | undefined> {
  const path = join(directory, name);
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) {
      return undefined;
    }
    const stamp = `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    return { name, path, stamp, changedAt: Math.max(Number(found.mtimeMs), Number(found.ctimeMs)) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      // Deleted since the directory was listed, or a dangling symbolic link.
      return undefined;
    }
    // Reading it fails too, and reports the reason.
    return { name, path, stamp: `unreadable:${code}`, changedAt: 0 };
  }
}

/** Reads a file of a snapshot, if it is still the same file. */
export async function readFileOf(stamp: FileStamp, maxBytes: number): Promise<FileContent> {
  try {
    // Without O_NONBLOCK, a named pipe in place of the file would block forever.
    const handle = await open(stamp.path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) {
        return { kind: 'unreadable', reason: `it has ${size} bytes, more than the ${maxBytes} that are read` };
      }
      const bytes = await readAtMost(handle, size + GROWTH);
      const after = await stampOf(dirname(stamp.path), stamp.name);
      return bytes !== undefined && after?.stamp === stamp.stamp ? { kind: 'bytes', bytes } : { kind: 'changed' };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return codeOf(error) === 'ENOENT'
      ? { kind: 'changed' }
      : { kind: 'unreadable', reason: `it cannot be read (${codeOf(error)})` };
  }
}

/** Number of bytes that a file may have beyond its reported size: files of `/proc` report size 0. */
const GROWTH = 4096;

/** The content of a file, in a separate buffer; undefined when it reaches this size, as it grows during the read. */
async function readAtMost(handle: FileHandle, limit: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(limit);
  let length = 0;
  while (length < limit) {
    const { bytesRead } = await handle.read(bytes, length, limit - length);
    if (bytesRead === 0) {
      return bytes.subarray(0, length);
    }
    length += bytesRead;
  }
  return undefined;
}

function pathError(path: string, error: unknown): ManifestError {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? new ManifestError('MANIFESTS_NOT_FOUND', `${printable(path)} does not exist (${code})`, { cause: error })
    : new ManifestError('MANIFESTS_UNREADABLE', `${printable(path)} cannot be read (${code})`, { cause: error });
}

/** The system error code, such as `EACCES`. */
function codeOf(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  return typeof code === 'string' ? code : printable(messageOf(error));
}
