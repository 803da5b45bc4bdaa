import {
  type Attribute,
  align,
  attributesLength,
  writeAttributes,
  writeU16,
  writeU32,
} from '../../netlink/attributes.js';
import { NETLINK_FLAGS } from '../../netlink/netlink.js';
import { HEADER } from '../../netlink/request-batches.js';

const ATTRIBUTE_HEADER = 4;
const NESTED = 0x8000;
const FIRST_SIZE = 4096;

/** Writes netlink messages into one growing buffer, without intermediate copies. */
export class MessageWriter {
  #buffer: Buffer;
  #end = 0;
  #message = 0;

  /**
   * @param size estimated number of bytes. A high estimate costs nothing, as the kernel allocates only touched pages.
   */
  constructor(size = FIRST_SIZE) {
    this.#buffer = Buffer.alloc(Math.max(size, FIRST_SIZE));
  }

  /** Resets the buffer: earlier contents become invalid. */
  clear(): void {
    this.#buffer.fill(0, 0, this.#end);
    this.#end = 0;
    this.#message = 0;
  }

  /** Bytes that can be written before the buffer grows. */
  get capacity(): number {
    return this.#buffer.length;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#end;
  }

  /** Offset of the current message. */
  get messageStart(): number {
    return this.#message;
  }

  /** All messages. Valid until more is written. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  /** Begins a message. `head` is the structure that it begins with. */
  begin(type: number, flags: number, head: Uint8Array): void {
    this.#message = this.#end;
    this.reserve(HEADER + head.length);
    writeU16(this.#buffer, type, this.#message + 4);
    writeU16(this.#buffer, flags | NETLINK_FLAGS.request, this.#message + 6);
    this.#buffer.set(head, this.#message + HEADER);
  }

  /** Ends the current message. */
  end(): void {
    writeU32(this.#buffer, this.#end - this.#message, this.#message);
  }

  attributes(attributes: readonly Attribute[]): void {
    const at = this.reserve(attributesLength(attributes));
    writeAttributes(this.#buffer, at, attributes);
  }

  /** Begins a nested attribute. @returns the argument for {@link endNested}. */
  beginNested(type: number): number {
    const at = this.reserve(ATTRIBUTE_HEADER);
    writeU16(this.#buffer, type | NESTED, at + 2);
    return at;
  }

  endNested(at: number): void {
    writeU16(this.#buffer, this.#end - at, at);
  }

  /** Begins an attribute of a known size. @returns the position of its value, whose bytes are zero. */
  value(type: number, length: number): number {
    const at = this.reserve(ATTRIBUTE_HEADER + length);
    writeU16(this.#buffer, ATTRIBUTE_HEADER + length, at);
    writeU16(this.#buffer, type, at + 2);
    return at + ATTRIBUTE_HEADER;
  }

  /** An attribute with bytes. */
  bytesValue(type: number, bytes: Uint8Array): void {
    const at = this.value(type, bytes.length);
    this.#buffer.set(bytes, at);
  }

  /** An attribute with a text of ASCII characters, and a terminating zero. */
  textValue(type: number, text: string): void {
    const at = this.value(type, text.length + 1);
    this.#buffer.write(text, at, 'latin1');
  }

  /** Appends raw bytes, padded to four, for pre-encoded attributes. @returns the position after them. */
  append(bytes: Uint8Array): number {
    const at = this.reserve(bytes.length);
    this.#buffer.set(bytes, at);
    return this.#end;
  }

  /** The buffer that positions refer to. It is replaced when it grows. */
  get buffer(): Buffer {
    return this.#buffer;
  }

  /** @returns the position of that many bytes, padded to four; they are zero. */
  reserve(length: number): number {
    const at = this.#end;
    this.#end += align(length);
    if (this.#end > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, align(this.#end)));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    return at;
  }
}
