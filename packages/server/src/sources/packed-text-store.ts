import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Slices, TextStore } from '@kube-proxier/core';
import { TextArena } from './text-arena.js';

/** Texts per block: more of them compress better, but make reads more expensive. */
const BLOCK = 16;
/** Maximum number of recent texts, and of their characters, that are kept uncompressed. */
const MAX_RECENT = 64;
const MAX_RECENT_SIZE = 64 * 1024;
/** Default of {@link PackedTextStoreOptions.maxEarlySize}: compression takes a twentieth of a start. */
const MAX_EARLY_SIZE = 4 * 1024 * 1024;
/**
 * A block has a few kilobytes: with a window of that size, compression takes a third of the time, most of which was
 * spent on tables. The level saves another third, for a result at most an eighth larger.
 */
const COMPRESSION = { level: 3, windowBits: 13, memLevel: 5, chunkSize: 2048 };
/** Bytes of a buffer: with zlib's defaults, each read of a text allocates 48 KB. One of fewer than 4 KB comes from the pool of Node.js. */
const DECOMPRESSION = { windowBits: COMPRESSION.windowBits, chunkSize: 4000 };

/** Options of a {@link PackedTextStore}. */
export interface PackedTextStoreOptions {
  /**
   * Maximum number of characters that are kept uncompressed before the first call of
   * {@link PackedTextStore.packInSlices}. Default 4 Mi.
   */
  readonly maxEarlySize?: number;
}

/** Texts that are compressed together, each in a line after its key. Its data never changes. */
interface Block {
  /** One byte per character: it stays in the heap, while a short Buffer would retain its pool. */
  readonly data: string;
  readonly count: number;
  /** Number of its texts that are current. */
  live: number;
}

/** A text: in a block, in the arena of a start at this position, or itself. */
type Stored = Block | number | string;

/** Bytes of replaced texts in the arena of a start that are not freed. */
const MAX_WASTE = 8 * 1024 * 1024;

/**
 * Texts without line breaks, under keys without line breaks, compressed in blocks of a few, so that each can be read in
 * some microseconds. Similar texts, such as Kubernetes objects, take an eighth or less. A block with half of its texts
 * replaced is dissolved.
 */
export class PackedTextStore implements TextStore {
  /** Entries are replaced rather than deleted, so that the map does not grow. */
  readonly #texts = new Map<string, Stored>();
  /** Texts that are set during a start; undefined when none are there. */
  #arena: TextArena | undefined;
  /** Bytes of texts in the arena that were replaced. */
  #waste = 0;
  /** Keys of texts that are not in a block, oldest first; none while these are not compressed in any number. */
  readonly #recent = new Set<string>();
  /** The last read block: a read text is often replaced next. */
  #unpacked: { readonly block: Block; readonly lines: string } | undefined;
  #recentSize = 0;
  #packedSize = 0;
  #isEarly = true;
  readonly #maxEarlySize: number;

  constructor({ maxEarlySize = MAX_EARLY_SIZE }: PackedTextStoreOptions = {}) {
    this.#maxEarlySize = maxEarlySize;
  }

  get count(): number {
    return this.#texts.size;
  }

  has(key: string): boolean {
    return this.#texts.has(key);
  }

  /** Bytes in use for texts; keys outside of blocks are not counted. */
  get size(): number {
    return this.#recentSize + this.#packedSize;
  }

  get(key: string): string | undefined {
    const stored = this.#texts.get(key);
    return typeof stored === 'object'
      ? textIn(this.#unpack(stored), key)
      : stored === undefined
        ? undefined
        : this.#textOf(stored);
  }

  set(key: string, text: string): void {
    const previous = this.#texts.get(key);
    this.#put(key, text);
    this.#replaced(previous);
    this.#packRecent();
  }

  /**
   * Compresses the texts that were set before. Yields after each, so that a caller can pause. To be called after a start: until then, some megabytes of texts are not compressed.
   */
  *packInSlices(): Slices<void> {
    this.#isEarly = false;
    let keys: string[] = [];
    let size = 0;
    for (const [key, stored] of this.#texts) {
      if (typeof stored === 'object') {
        continue;
      }
      const text = this.#textOf(stored);
      keys.push(key);
      size += text.length;
      if (isBlockFull(keys.length, size)) {
        this.#packKeys(keys);
        [keys, size] = [[], 0];
      }
      yield;
    }
    for (const key of keys) {
      const stored = this.#texts.get(key);
      if (typeof stored === 'number') {
        const text = this.#textOf(stored);
        this.#recentSize -= this.#sizeOf(stored);
        this.#put(key, text);
      } else if (typeof stored === 'string') {
        this.#recent.add(key);
      }
    }
    this.#arena = undefined;
    this.#waste = 0;
    this.#packRecent();
  }

  delete(key: string): void {
    const previous = this.#texts.get(key);
    this.#texts.delete(key);
    this.#recent.delete(key);
    this.#replaced(previous);
    this.#packRecent();
  }

  keys(): Iterable<string> {
    return this.#texts.keys();
  }

  entries(): Iterable<readonly [key: string, text: string]> {
    return entriesOf([...this.#texts], this.#arena);
  }

  /** Stores a text that is not compressed. */
  #put(key: string, text: string): void {
    if (this.#isEarly) {
      this.#arena ??= new TextArena();
      const position = this.#arena.add(text);
      this.#texts.set(key, position);
      this.#recentSize += this.#arena.lastSize;
    } else {
      this.#texts.set(key, text);
      this.#recentSize += text.length;
    }
    if (!this.#isEarly || this.#maxEarlySize !== Number.POSITIVE_INFINITY) {
      this.#recent.add(key);
    }
  }

  #textOf(stored: Exclude<Stored, Block>): string {
    return textOf(stored, this.#arena);
  }

  /** Bytes of a text that is not compressed. */
  #sizeOf(stored: number | string): number {
    return typeof stored === 'number' ? (this.#arena?.sizeAt(stored) ?? 0) : stored.length;
  }

  #replaced(previous: Stored | undefined): void {
    if (typeof previous === 'string' || typeof previous === 'number') {
      this.#recentSize -= this.#sizeOf(previous);
      if (typeof previous === 'number') {
        this.#waste += this.#sizeOf(previous);
        this.#renewArena();
      }
    } else if (typeof previous === 'object') {
      previous.live -= 1;
      if (previous.live * 2 <= previous.count) {
        this.#dissolve(previous);
      }
    }
  }

  /** Without the texts that were replaced, if they are more than the others. Not when all are being compressed, which ends the arena. */
  #renewArena(): void {
    const arena = this.#arena;
    if (!this.#isEarly || arena === undefined || this.#waste < MAX_WASTE || this.#waste < this.#recentSize) {
      return;
    }
    this.#arena = new TextArena();
    this.#waste = 0;
    for (const [key, stored] of this.#texts) {
      if (typeof stored === 'number') {
        this.#texts.set(key, this.#arena.add(arena.get(stored)));
      }
    }
  }

  #dissolve(block: Block): void {
    this.#packedSize -= block.data.length;
    for (const [key, text] of textsIn(this.#unpack(block))) {
      if (this.#texts.get(key) === block) {
        this.#put(key, text);
      }
    }
    this.#unpacked = undefined;
  }

  get #isPackDue(): boolean {
    return this.#isEarly
      ? this.#recentSize > this.#maxEarlySize
      : this.#recent.size > MAX_RECENT || (this.#recentSize > MAX_RECENT_SIZE && this.#recent.size > 1);
  }

  /** Compresses a few blocks, more than one change makes necessary: the rest of a start is left to {@link packInSlices}. */
  #packRecent(): void {
    for (let blocks = 0; blocks < 2 && this.#isPackDue; blocks += 1) {
      this.#pack();
      this.#renewArena();
    }
  }

  /** Compresses the oldest texts. */
  #pack(): void {
    const keys: string[] = [];
    let size = 0;
    for (const key of this.#recent) {
      const stored = this.#texts.get(key);
      if (typeof stored === 'string' || typeof stored === 'number') {
        keys.push(key);
        size += this.#sizeOf(stored);
        if (isBlockFull(keys.length, size)) {
          break;
        }
      }
    }
    this.#packKeys(keys);
  }

  /** Compresses these texts, if they are still there. */
  #packKeys(keys: readonly string[]): void {
    const packed: string[] = [];
    const lines: string[] = [];
    // A key can be named twice when its text was deleted and set again.
    for (const key of new Set(keys)) {
      const stored = this.#texts.get(key);
      if (typeof stored === 'string' || typeof stored === 'number') {
        packed.push(key);
        lines.push(key, this.#textOf(stored));
        this.#recentSize -= this.#sizeOf(stored);
        this.#waste += typeof stored === 'number' ? this.#sizeOf(stored) : 0;
      }
    }
    if (packed.length === 0) {
      return;
    }
    const data = deflate(lines.join('\n'));
    const block: Block = { data, count: packed.length, live: packed.length };
    for (const key of packed) {
      this.#recent.delete(key);
      this.#texts.set(key, block);
    }
    this.#packedSize += data.length;
  }

  /** Its lines. */
  #unpack(block: Block): string {
    if (this.#unpacked?.block !== block) {
      this.#unpacked = { block, lines: unpack(block) };
    }
    return this.#unpacked.lines;
  }
}

function isBlockFull(texts: number, size: number): boolean {
  return texts >= BLOCK || size > MAX_RECENT_SIZE / 2;
}

/** Where a text is encoded: a new buffer for each would be memory outside of the heap, which is freed late. */
const ENCODED = Buffer.allocUnsafeSlow(3 * MAX_RECENT_SIZE);

function deflate(text: string): string {
  const input = 3 * text.length > ENCODED.length ? text : ENCODED.subarray(0, ENCODED.write(text));
  return deflateRawSync(input, COMPRESSION).toString('latin1');
}

function unpack({ data }: Block): string {
  return inflateRawSync(Buffer.from(data, 'latin1'), DECOMPRESSION).toString();
}

/** The text of a key in lines of keys and texts. */
function textIn(lines: string, key: string): string | undefined {
  const line = `${key}\n`;
  let at = 0;
  while (!lines.startsWith(line, at)) {
    const end = lines.indexOf('\n', lines.indexOf('\n', at) + 1);
    if (end < 0) {
      return undefined;
    }
    at = end + 1;
  }
  const start = at + line.length;
  const end = lines.indexOf('\n', start);
  return lines.slice(start, end < 0 ? lines.length : end);
}

function textsIn(lines: string): ReadonlyMap<string, string> {
  const split = lines.split('\n');
  const texts = new Map<string, string>();
  for (let line = 0; line < split.length; line += 2) {
    texts.set(split[line] ?? '', split[line + 1] ?? '');
  }
  return texts;
}

function textOf(stored: Exclude<Stored, Block>, arena: TextArena | undefined): string {
  return typeof stored === 'number' ? (arena?.get(stored) ?? '') : stored;
}

/** @param arena of texts at a position. */
function* entriesOf(
  all: readonly (readonly [key: string, text: Stored])[],
  arena: TextArena | undefined,
): Generator<readonly [key: string, text: string]> {
  const blocks = new Map<Block, string[]>();
  for (const [key, text] of all) {
    if (typeof text !== 'object') {
      yield [key, textOf(text, arena)];
      continue;
    }
    const keys = blocks.get(text);
    if (keys === undefined) {
      blocks.set(text, [key]);
    } else {
      keys.push(key);
    }
  }
  for (const [block, keys] of blocks) {
    const texts = textsIn(unpack(block));
    for (const key of keys) {
      yield [key, texts.get(key) ?? ''];
    }
  }
}
