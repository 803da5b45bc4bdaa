import { gunzipSync } from 'node:zlib';
import type {
  BeginEntry,
  FamilyEntry,
  IPFamily,
  JournalObject,
  ModeEntry,
  ObjectJournal,
  ReadyEntry,
  RecordedEntry,
  SyncEntry,
} from '@kube-proxier/core';
import { compressedLines, compressedText, textOf } from './compressed-lines.js';

/** Characters of a part: larger parts compress better, smaller parts are dropped more precisely. */
const PART_SIZE = 128 * 1024;
/** Parts that begin while changes are not programmed are inexact; they are avoided up to this size. */
const LARGEST_PART = 2 * PART_SIZE;
/** Characters of JSON in a byte of a compressed part, as an estimate until it is compressed. */
const TYPICAL_RATIO = 8;

/** The state at one time, besides objects. */
export interface RecordingContext {
  readonly begin: BeginEntry;
  readonly mode: ModeEntry | undefined;
  readonly families: ReadonlyMap<IPFamily, FamilyEntry>;
  readonly lastSyncs: ReadonlyMap<IPFamily, SyncEntry>;
  readonly ready: ReadyEntry | undefined;
}

interface Part {
  readonly context: RecordingContext;
  readonly endAt: number;
  /** Undefined when it is compressed. */
  lines: string | undefined;
  data: Buffer | undefined;
}

/** The recorded changes of the last hour, or less, in memory: compressed parts, and the initial objects. */
export class RecordingWindow {
  readonly #parts: Part[] = [];
  #context: RecordingContext;
  #lines: string[] = [];
  #size = 0;

  constructor(
    private readonly journal: ObjectJournal,
    private readonly limits: { readonly maxAge: number; readonly maxBytes: number },
    context: RecordingContext,
  ) {
    this.#context = context;
  }

  /** Bytes in use: recorded changes, and the first versions of objects that have changed. */
  get bytes(): number {
    const parts = this.#parts.reduce((sum, part) => sum + sizeOf(part), 0);
    return parts + this.#size + this.journal.originSize;
  }

  /**
   * Adds a line.
   *
   * @param isSettled whether all recorded changes are programmed: a new part may begin after it.
   * @param context after the line.
   */
  add(line: string, at: number, isSettled: boolean, context: () => RecordingContext): void {
    this.#lines.push(line);
    this.#size += line.length + 1;
    if (this.#size < PART_SIZE || (!isSettled && this.#size < LARGEST_PART)) {
      return;
    }
    const part: Part = { context: this.#context, endAt: at, lines: textOf(this.#lines), data: undefined };
    this.#parts.push(part);
    this.#lines = [];
    this.#size = 0;
    this.#context = context();
    void compressedText(part.lines ?? '').then((data) => {
      part.data = exactCopy(data);
      part.lines = undefined;
    });
    // Once the handlers of this change have returned: it reads objects of the sources, which may be ahead of it.
    queueMicrotask(() => this.expire(at));
  }

  /** Drops expired parts, and the oldest ones beyond the size limit. */
  expire(at: number): void {
    const { maxAge, maxBytes } = this.limits;
    let bytes = this.bytes;
    for (let oldest = this.#parts[0]; oldest !== undefined; oldest = this.#parts[0]) {
      if (oldest.endAt >= at - maxAge && bytes <= maxBytes) {
        return;
      }
      this.#parts.shift();
      this.#forget(oldest);
      bytes = this.bytes;
    }
  }

  /** The window as a file: gzip, in several members, with one JSON object per line. */
  async *dump(): AsyncGenerator<Buffer> {
    const { begin, ...context } = this.#parts[0]?.context ?? this.#context;
    const parts = [...this.#parts];
    const rest = textOf(this.#lines);
    const objects = this.journal.origin();
    yield* compressedLines(checkpointLines({ begin, ...context }, objects));
    for (const part of parts) {
      yield part.data ?? (await compressedText(part.lines ?? ''));
    }
    if (rest !== '') {
      yield await compressedText(rest);
    }
  }

  #forget({ lines, data }: Part): void {
    for (const line of (lines ?? gunzipSync(data ?? Buffer.alloc(0)).toString()).split('\n')) {
      if (line.includes('"entry":"object"')) {
        const entry = JSON.parse(line) as RecordedEntry;
        if (entry.entry === 'object') {
          this.journal.forget(entry);
        }
      }
    }
  }
}

/** The checkpoint of a recording: the context and all objects at one time. */
export function* checkpointLines(
  { begin, mode, families, lastSyncs, ready }: RecordingContext,
  objects: Iterable<JournalObject>,
): Generator<string> {
  const { at } = begin;
  const context: RecordedEntry[] = [begin, ...(mode ? [mode] : []), ...families.values()];
  yield* context.map((entry) => JSON.stringify(entry));
  for (const { kind, name, text } of objects) {
    yield `{"at":${at},"entry":"object","kind":${JSON.stringify(kind)},"name":${JSON.stringify(name)},"is":${text}}`;
  }
  const inOrder = [...lastSyncs.values()].sort((left, right) => left.at - right.at);
  const syncs = inOrder.flatMap((sync): RecordedEntry[] => [
    { at: sync.at, entry: 'resolved', family: sync.family },
    sync,
  ]);
  const rest: RecordedEntry[] = [{ at, entry: 'checkpoint' }, ...syncs, ...(ready ? [ready] : [])];
  yield* rest.map((entry) => JSON.stringify(entry));
}

/**
 * Copies into separate memory: the buffer of zlib is larger than its content, and `Buffer.from` allocates small copies
 * from a shared 8 KiB pool.
 */
function exactCopy(data: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(data.length);
  data.copy(copy);
  return copy;
}

function sizeOf({ data, lines }: Part): number {
  return data?.length ?? (lines?.length ?? 0) / TYPICAL_RATIO;
}
