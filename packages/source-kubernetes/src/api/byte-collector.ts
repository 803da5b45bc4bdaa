const FIRST = 4096;

/**
 * Collects bytes that arrive in chunks of any size, in at most twice the memory of the bytes: a separate buffer for
 * each small chunk takes much more than its bytes.
 */
export class ByteCollector {
  #buffer = Buffer.alloc(0);
  #used = 0;

  get length(): number {
    return this.#used;
  }

  push(piece: Uint8Array): void {
    const needed = this.#used + piece.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2, FIRST));
      this.#buffer.copy(larger, 0, 0, this.#used);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#used);
    this.#used = needed;
  }

  /** @returns all of them as text, and clears the collector. */
  take(): string {
    const text = this.#buffer.toString('utf8', 0, this.#used);
    this.clear();
    return text;
  }

  /** @returns all of them, valid until the next call, and clears the collector. */
  takeBytes(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#used);
    this.#used = 0;
    return bytes;
  }

  /** Discards all of them. */
  clear(): void {
    this.#used = 0;
    if (this.#buffer.length > 16 * FIRST) {
      this.#buffer = Buffer.alloc(0);
    }
  }
}
