import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { TextStore } from '@kube-proxier/core';

/** Texts in one block: more of them compress better, and cost more to read one of. */
const BLOCK = 16;
/** Texts, and characters of them, that are kept as they are: the ones that were set last. */
const MAX_RECENT = 64;
const MAX_RECENT_SIZE = 64 * 1024;

/** Texts that are compressed together. Its data never changes. */
interface Block {
  readonly keys: readonly string[];
  /** One byte per character: it stays in the heap, where a short buffer would hold a share of a larger one. */
  readonly data: string;
  /** How many of its texts are still in force. */
  live: number;
}

/**
 * Texts without line breaks, compressed in blocks of a few, so that each can be read for some microseconds. Of similar texts, as
 * those of Kubernetes objects, it needs an eighth or less. A block with half of its texts replaced is dissolved.
 */
export class PackedTextStore implements TextStore {
  readonly #recent = new Map<string, string>();
  readonly #packed = new Map<string, Block>();
  /** The block that was read last: what is read is often replaced then. */
  #unpacked: { readonly block: Block; readonly texts: readonly string[] } | undefined;
  #recentSize = 0;
  #packedSize = 0;

  /** Bytes in use for texts; keys are not counted. */
  get size(): number {
    return this.#recentSize + this.#packedSize;
  }

  get(key: string): string | undefined {
    const block = this.#packed.get(key);
    if (block === undefined) {
      return this.#recent.get(key);
    }
    if (this.#unpacked?.block !== block) {
      this.#unpacked = { block, texts: unpack(block) };
    }
    return this.#unpacked.texts[block.keys.indexOf(key)];
  }

  set(key: string, text: string): void {
    this.#remove(key);
    this.#recent.set(key, text);
    this.#recentSize += text.length;
    this.#packRecent();
  }

  delete(key: string): void {
    this.#remove(key);
    this.#packRecent();
  }

  entries(): Iterable<readonly [key: string, text: string]> {
    return entriesOf([...this.#recent], [...this.#packed]);
  }

  #remove(key: string): void {
    const recent = this.#recent.get(key);
    if (recent !== undefined) {
      this.#recent.delete(key);
      this.#recentSize -= recent.length;
      return;
    }
    const block = this.#packed.get(key);
    if (block === undefined) {
      return;
    }
    this.#packed.delete(key);
    block.live -= 1;
    if (block.live * 2 <= block.keys.length) {
      this.#dissolve(block);
    }
  }

  #dissolve(block: Block): void {
    this.#packedSize -= block.data.length;
    const texts = this.#unpacked?.block === block ? this.#unpacked.texts : unpack(block);
    for (const [index, key] of block.keys.entries()) {
      const text = texts[index];
      if (text !== undefined && this.#packed.get(key) === block) {
        this.#packed.delete(key);
        this.#recent.set(key, text);
        this.#recentSize += text.length;
      }
    }
  }

  #packRecent(): void {
    while (this.#recent.size > MAX_RECENT || (this.#recentSize > MAX_RECENT_SIZE && this.#recent.size > 1)) {
      this.#pack();
    }
  }

  /** Compresses the texts that were set first. */
  #pack(): void {
    const keys: string[] = [];
    const texts: string[] = [];
    let size = 0;
    for (const [key, text] of this.#recent) {
      keys.push(key);
      texts.push(text);
      size += text.length;
      if (keys.length >= BLOCK || size > MAX_RECENT_SIZE / 2) {
        break;
      }
    }
    const block: Block = { keys, data: deflateRawSync(texts.join('\n')).toString('latin1'), live: keys.length };
    for (const key of keys) {
      this.#recent.delete(key);
      this.#packed.set(key, block);
    }
    this.#recentSize -= size;
    this.#packedSize += block.data.length;
  }
}

function unpack({ data }: Block): readonly string[] {
  return inflateRawSync(Buffer.from(data, 'latin1')).toString().split('\n');
}

function* entriesOf(
  recent: readonly (readonly [key: string, text: string])[],
  packed: readonly (readonly [key: string, block: Block])[],
): Generator<readonly [key: string, text: string]> {
  yield* recent;
  let last: Block | undefined;
  let texts: readonly string[] = [];
  for (const [key, block] of packed) {
    if (block !== last) {
      last = block;
      texts = unpack(block);
    }
    yield [key, texts[block.keys.indexOf(key)] ?? ''];
  }
}
