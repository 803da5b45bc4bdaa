/** Initial buffer size in bytes. Most messages are nested and small. */
const INITIAL_SIZE = 128;

/** Writes values of protobuf. */
export class ProtobufWriter {
  #buffer: Buffer;
  #used = 0;

  /** @param size expected number of bytes: a buffer that grows is copied each time. */
  constructor(size = INITIAL_SIZE) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  /** What was written. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#used);
  }

  /** A field with a number: a varint of 64 bits, negative ones in ten bytes. */
  number(field: number, value: number): this {
    this.#varint(field * 8);
    if (value >= 0) {
      this.#varint(value);
    } else {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest > 0x7fn; rest >>= 7n) {
        this.#push(Number(rest & 0x7fn) | 0x80);
      }
      this.#push(Number(rest));
    }
    return this;
  }

  /** A field with bytes: a text or a message. */
  delimited(field: number, value: Uint8Array | string): this {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.header(field, size).#reserve(size);
    if (typeof value === 'string') {
      this.#buffer.write(value, this.#used);
    } else {
      this.#buffer.set(value, this.#used);
    }
    this.#used += size;
    return this;
  }

  /** The begin of a field with that many bytes, which follow. */
  header(field: number, size: number): this {
    this.#varint(field * 8 + 2);
    this.#varint(size);
    return this;
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
    return this;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) {
      this.#push((rest % 128) | 0x80);
    }
    this.#push(rest);
  }

  #push(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#used] = byte;
    this.#used += 1;
  }

  #reserve(size: number): void {
    if (this.#used + size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#used + size));
      this.#buffer.copy(larger, 0, 0, this.#used);
      this.#buffer = larger;
    }
  }
}
