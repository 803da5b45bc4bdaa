/**
 * Netlink messages consist of attributes: length, type, value, padding to four bytes. Numbers are in host byte order,
 * except where a protocol requires network byte order.
 */
import { endianness } from 'node:os';

const LITTLE = endianness() === 'LE';
const NESTED = 0x8000;
const NET_BYTE_ORDER = 0x4000;
const TYPE_MASK = 0x3fff;
const HEADER = 4;

/** One attribute to encode. */
export interface Attribute {
  readonly type: number;
  readonly value: Uint8Array | readonly Attribute[];
  /** Sets the flag that the value is in network byte order; some protocols require it. Default false. */
  readonly netByteOrder?: boolean;
}

/** Decoded attributes by type; the last one if a type occurs several times. */
export type AttributeMap = ReadonlyMap<number, Buffer>;

export function align(length: number): number {
  return (length + 3) & ~3;
}

function lengthOf({ value }: Attribute): number {
  return HEADER + (value instanceof Uint8Array ? value.length : attributesLength(value));
}

/** Size of attributes in bytes, padding included. */
export function attributesLength(attributes: readonly Attribute[]): number {
  let length = 0;
  for (let index = 0; index < attributes.length; index += 1) {
    length += align(lengthOf(attributes[index] as Attribute));
  }
  return length;
}

/** Encodes attributes in sequence, after `head` (a fixed structure that some messages begin with). */
export function encodeAttributes(attributes: readonly Attribute[], head: Uint8Array = new Uint8Array()): Buffer {
  const start = align(head.length);
  const buffer = zeroes(start + attributesLength(attributes));
  buffer.set(head);
  writeAttributes(buffer, start, attributes);
  return buffer;
}

/**
 * A buffer in the pool of Node.js: messages are short and many, and `Buffer.alloc` allocates memory outside of the heap for each, which is freed
 * when the heap is collected. Not for buffers that are kept in any number: each retains its pool of 8 KB.
 */
export function zeroes(length: number): Buffer {
  return Buffer.allocUnsafe(length).fill(0);
}

/**
 * Encodes attributes into a zeroed part of a buffer, which must have room for {@link attributesLength}.
 *
 * @returns the position after them.
 */
export function writeAttributes(buffer: Buffer, start: number, attributes: readonly Attribute[]): number {
  let at = start;
  for (let index = 0; index < attributes.length; index += 1) {
    const { type, value, netByteOrder = false } = attributes[index] as Attribute;
    const flat = value instanceof Uint8Array;
    writeU16(buffer, type | (flat ? 0 : NESTED) | (netByteOrder ? NET_BYTE_ORDER : 0), at + 2);
    if (flat) {
      buffer.set(value, at + HEADER);
      writeU16(buffer, HEADER + value.length, at);
      at += align(HEADER + value.length);
    } else {
      const end = writeAttributes(buffer, at + HEADER, value);
      writeU16(buffer, end - at, at);
      at = end;
    }
  }
  return at;
}

/** Decodes the attributes in `buffer`, in order. A truncated attribute at the end is omitted. */
export function readAttributes(buffer: Buffer): readonly (readonly [type: number, value: Buffer])[] {
  const found: (readonly [number, Buffer])[] = [];
  for (let at = 0; at + HEADER <= buffer.length; ) {
    const length = readU16(buffer, at);
    if (length < HEADER || at + length > buffer.length) {
      break;
    }
    found.push([readU16(buffer, at + 2) & TYPE_MASK, buffer.subarray(at + HEADER, at + length)]);
    at += align(length);
  }
  return found;
}

/**
 * Finds an attribute without decoding the others: for messages that arrive by the hundred thousand. Its value begins
 * four bytes after the position, and ends at {@link attributeEnd}.
 *
 * @param start position of the first attribute.
 * @param end position after the last attribute.
 * @returns the position of the first attribute of this type; -1 when it is missing or truncated.
 */
export function findAttribute(buffer: Buffer, type: number, start: number, end: number): number {
  for (let at = start; at + HEADER <= end; ) {
    const length = readU16(buffer, at);
    if (length < HEADER || at + length > end) {
      return -1;
    }
    if ((readU16(buffer, at + 2) & TYPE_MASK) === type) {
      return at;
    }
    at += align(length);
  }
  return -1;
}

/** @param at position of an attribute, from {@link findAttribute}. */
export function attributeEnd(buffer: Buffer, at: number): number {
  return at + readU16(buffer, at);
}

export function attributeMap(buffer: Buffer): AttributeMap {
  return new Map(readAttributes(buffer));
}

/**
 * Numbers in host byte order. The methods of `Buffer` do the same in several calls each, which is much of the time of
 * writing a message.
 *
 * @throws RangeError when the number does not fit, or the buffer has no room for it.
 */
export function writeU16(buffer: Buffer, value: number, at: number): void {
  if (value >>> 16 !== 0 || at < 0 || at + 2 > buffer.length) {
    throw new RangeError(`cannot write ${value} as two bytes at position ${at} of ${buffer.length} bytes`);
  }
  buffer[at] = LITTLE ? value : value >>> 8;
  buffer[at + 1] = LITTLE ? value >>> 8 : value;
}

/** The lower 32 bits of a number. @throws RangeError when the buffer has no room for it. */
export function writeU32(buffer: Buffer, value: number, at: number): void {
  const low = value & 0xffff;
  const high = value >>> 16;
  writeU16(buffer, LITTLE ? low : high, at);
  writeU16(buffer, LITTLE ? high : low, at + 2);
}

export function readU16(buffer: Buffer, at: number): number {
  return LITTLE ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at);
}

export function readU32(buffer: Buffer, at: number): number {
  return LITTLE ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at);
}

export function u8(value: number): Buffer {
  return Buffer.of(value);
}

export function u16(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(2);
  writeU16(buffer, value, 0);
  return buffer;
}

export function u32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  writeU32(buffer, value, 0);
  return buffer;
}

/** In network byte order. */
export function be16(value: number): Buffer {
  return Buffer.of(value >>> 8, value & 0xff);
}

/** In network byte order. */
export function be32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value >>> 0);
  return buffer;
}

/** Text with a terminating zero. */
export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, 'latin1');
}

/** 0 when the attribute is missing or too short, as in every `as…` function. */
export function asU8(value: Buffer | undefined): number {
  return value?.[0] ?? 0;
}

export function asU16(value: Buffer | undefined): number {
  return value === undefined || value.length < 2 ? 0 : readU16(value, 0);
}

export function asU32(value: Buffer | undefined, at = 0): number {
  return value === undefined || value.length < at + 4 ? 0 : readU32(value, at);
}

/** In the byte order of the machine; exact up to 2⁵³. */
export function asU64(value: Buffer | undefined): number {
  if (value === undefined || value.length < 8) {
    return 0;
  }
  return Number(LITTLE ? value.readBigUInt64LE(0) : value.readBigUInt64BE(0));
}

export function asBe16(value: Buffer | undefined): number {
  return value === undefined || value.length < 2 ? 0 : value.readUInt16BE(0);
}

export function asBe32(value: Buffer | undefined, at = 0): number {
  return value === undefined || value.length < at + 4 ? 0 : value.readUInt32BE(at);
}

export function asText(value: Buffer | undefined): string {
  const end = value?.indexOf(0) ?? -1;
  return value?.toString('latin1', 0, end < 0 ? value.length : end) ?? '';
}
