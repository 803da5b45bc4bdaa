/** Bytes that are allocated at a time: so many that the C library returns them to the system when they are freed. */
const CHUNK = 1024 * 1024;
/** Bytes of the size before each text. */
const HEAD = 4;
/** Maximum bytes of a character of UTF-16 in UTF-8. */
const MAX_BYTES = 3;

/**
 * Texts outside of the heap of V8, which neither copies nor compacts them. For many texts that live for some seconds: in the heap,
 * they would leave holes between objects that live longer. Nothing is removed from it; all of it is freed at once.
 */
export class TextArena {
  readonly #chunks: Buffer[] = [];
  /** Where each chunk begins. */
  readonly #starts: number[] = [];
  /** Bytes that are used of the last chunk. */
  #used = 0;
  #end = 0;
  #lastSize = 0;

  /** @returns the position of the text. */
  add(text: string): number {
    const needed = HEAD + text.length * MAX_BYTES;
    let chunk = this.#chunks.at(-1);
    if (chunk === undefined || chunk.length - this.#used < needed) {
      // V8 counts the bytes of an ArrayBuffer as its own: with more than 64 MB of them, each further one continues a collection at once.
      chunk = Buffer.from(new SharedArrayBuffer(Math.max(CHUNK, needed)));
      this.#starts.push(this.#end);
      this.#end += chunk.length;
      this.#chunks.push(chunk);
      this.#used = 0;
    }
    const at = this.#used;
    const size = chunk.write(text, at + HEAD);
    chunk.writeUInt32LE(size, at);
    this.#used = at + HEAD + size;
    this.#lastSize = size;
    return this.#end - chunk.length + at;
  }

  /** Bytes of the text that was added last. */
  get lastSize(): number {
    return this.#lastSize;
  }

  /** The text at a position that {@link add} returned. */
  get(position: number): string {
    const [chunk, at] = this.#find(position);
    return chunk.toString('utf8', at + HEAD, at + HEAD + chunk.readUInt32LE(at));
  }

  /** Bytes of the text at a position. */
  sizeAt(position: number): number {
    const [chunk, at] = this.#find(position);
    return chunk.readUInt32LE(at);
  }

  #find(position: number): readonly [chunk: Buffer, at: number] {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const chunk = this.#chunks[low];
    if (chunk === undefined) {
      throw new RangeError(`position ${position} of an arena without texts`);
    }
    return [chunk, position - (this.#starts[low] ?? 0)];
  }
}
