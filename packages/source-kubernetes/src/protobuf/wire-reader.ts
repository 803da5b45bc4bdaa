import { isUtf8 } from 'node:buffer';
import { ProtobufError } from './protobuf-error.js';

/** How a value is encoded (protobuf's wire types). Groups (3 and 4) are in no message of Kubernetes, and are refused. */
export const VARINT = 0;
export const FIXED64 = 1;
export const DELIMITED = 2;
export const FIXED32 = 5;

/** Maximum size of a message that protobuf allows. */
const MAX_LENGTH = 0x7fff_ffff;
const MAX_VARINT_BYTES = 10;
/** Maximum size of a cached text. */
const SHARED_BYTES = 64;
/** Number of cached texts: a power of two. */
const SHARED_TEXTS = 2048;
/** Bytes of a text that select its place in the cache. */
const HASHED_BYTES = 6;

/**
 * Reads protobuf values from a buffer, never beyond the set end.
 *
 * Short texts are cached: a recently read one is returned as the same string.
 */
export class WireReader {
  /** Position of the next byte. */
  at = 0;
  /** Position after the last byte of the message that is read. */
  end = 0;
  #bytes: Buffer = Buffer.alloc(0);
  readonly #texts: string[] = Array.from({ length: SHARED_TEXTS }, () => '');
  /** The upper half of the last varint. */
  #high = 0;

  /** Sets the buffer to read from. */
  open(bytes: Buffer, from: number, to: number): void {
    this.#bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** The number and the wire type of the next field, as `number << 3 | type`. */
  tag(): number {
    const low = this.#varint();
    return this.#high === 0 ? checkedTag(low) : checkedTag(0);
  }

  /** A signed 32-bit integer; of a longer one, the lower half, as Go reads it. */
  int32(): number {
    return this.#varint() | 0;
  }

  bool(): boolean {
    const low = this.#varint();
    return low !== 0 || this.#high !== 0;
  }

  /** A signed 64-bit integer, exact up to 2^53. */
  int64(): number {
    const low = this.#varint();
    return (this.#high | 0) * 2 ** 32 + low;
  }

  /** The position after the value that follows; `at` is where it begins. */
  delimited(): number {
    const length = this.#varint();
    if (this.#high !== 0 || length > this.end - this.at) {
      throw new ProtobufError('a length exceeds the message that it is in');
    }
    return this.at + length;
  }

  /** A text with its length. */
  text(): string {
    const to = this.delimited();
    return this.textUntil(this.at, to);
  }

  /** The text from one position to another, where reading continues. */
  textUntil(from: number, to: number): string {
    this.at = to;
    const length = to - from;
    const bytes = this.#bytes;
    if (length > SHARED_BYTES) {
      return this.#decoded(from, to);
    }
    // Texts of Kubernetes differ at their ends.
    let hash = length;
    for (let at = Math.max(from, to - HASHED_BYTES); at < to; at += 1) {
      hash = (hash << 4) ^ (bytes[at] ?? 0);
    }
    const place = (hash ^ (hash >>> 11) ^ (hash >>> 22)) & (SHARED_TEXTS - 1);
    const known = this.#texts[place] ?? '';
    if (known.length === length && isSame(known, bytes, from)) {
      return known;
    }
    let all = 0;
    for (let at = from; at < to; at += 1) {
      all |= bytes[at] ?? 0;
    }
    if (all > 0x7f) {
      return this.#decoded(from, to);
    }
    // Without an encoding, Node.js does not look up how to decode.
    const text = bytes.toString(undefined, from, to);
    this.#texts[place] = text;
    return text;
  }

  /** Skips the value of a field. */
  skip(type: number): void {
    if (type === VARINT) {
      this.#varint();
      return;
    }
    if (type === DELIMITED) {
      this.at = this.delimited();
      return;
    }
    const size = fixedSize(type);
    if (size > this.end - this.at) {
      throw new ProtobufError('a message ends within a field');
    }
    this.at += size;
  }

  #decoded(from: number, to: number): string {
    const bytes = this.#bytes;
    if (!isUtf8(bytes.subarray(from, to))) {
      throw new ProtobufError('a text is not UTF-8');
    }
    return bytes.toString('utf8', from, to);
  }

  /** @returns the lower half, unsigned. */
  #varint(): number {
    const bytes = this.#bytes;
    const { at, end } = this;
    const first = bytes[at] ?? 0;
    if (first < 0x80 && at < end) {
      this.at = at + 1;
      this.#high = 0;
      return first;
    }
    return this.#longVarint();
  }

  #longVarint(): number {
    const bytes = this.#bytes;
    let low = 0;
    let high = 0;
    for (let index = 0; index < MAX_VARINT_BYTES; index += 1) {
      if (this.at >= this.end) {
        throw new ProtobufError('a message ends within a number');
      }
      const byte = bytes[this.at] ?? 0;
      this.at += 1;
      const bits = byte & 0x7f;
      if (index < 4) {
        low |= bits << (7 * index);
      } else if (index === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else {
        high |= bits << (7 * index - 32);
      }
      if (byte < 0x80) {
        if (index === MAX_VARINT_BYTES - 1 && byte > 1) {
          break;
        }
        this.#high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new ProtobufError('a number has more than 64 bits');
  }
}

/** @throws ProtobufError for types without a fixed size. */
export function fixedSize(type: number): number {
  if (type === FIXED64) {
    return 8;
  }
  if (type === FIXED32) {
    return 4;
  }
  throw new ProtobufError(`a field has the unknown wire type ${type}`);
}

/** Decodes a varint that arrives byte by byte. */
export class VarintCollector {
  #value = 0;
  #count = 0;

  /**
   * @returns its value once it is complete; undefined before.
   * @throws ProtobufError when it is longer than a tag or a length may be.
   */
  push(byte: number): number | undefined {
    this.#value += (byte & 0x7f) * 2 ** (7 * this.#count);
    this.#count += 1;
    if (byte >= 0x80) {
      if (this.#count === MAX_VARINT_BYTES) {
        throw new ProtobufError('a number has more than 64 bits');
      }
      return undefined;
    }
    const value = this.#value;
    this.#value = 0;
    this.#count = 0;
    return value;
  }

  /** Whether no byte of a number has arrived. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }
}

/** @throws ProtobufError for a length that no message has. */
export function checkedLength(length: number): number {
  if (length > MAX_LENGTH) {
    throw new ProtobufError('a length exceeds 2 GiB');
  }
  return length;
}

function isSame(text: string, bytes: Buffer, from: number): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) !== bytes[from + index]) {
      return false;
    }
  }
  return true;
}

/** @throws ProtobufError for the number of a field that no message has. */
export function checkedTag(tag: number): number {
  if (tag < 8 || tag > 0xffff_ffff) {
    throw new ProtobufError('a field has an impossible number');
  }
  return tag;
}
