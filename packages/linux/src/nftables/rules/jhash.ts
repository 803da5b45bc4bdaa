import { endianness } from 'node:os';
import { addressBytes } from '../../netlink/ip-bytes.js';

const INITIAL = 0xdeadbeef;

/**
 * The value of `jhash ip6 saddr mod MODULUS seed SEED`, or of `ip saddr`, as the kernel computes it for packets with
 * this address (Bob Jenkins' lookup3, scaled to the modulus). Pure.
 *
 * @param modulus 1…4294967295.
 */
export function jhashOf(address: string, modulus: number, seed: number): number {
  const bytes = addressBytes(address);
  const hash = jhash(bytes, seed);
  return Number((BigInt(hash) * BigInt(modulus)) >> 32n);
}

function jhash(bytes: Buffer, seed: number): number {
  const start = (INITIAL + bytes.length + seed) >>> 0;
  let [a, b, c] = [start, start, start];
  let at = 0;
  for (; bytes.length - at > 12; at += 12) {
    [a, b, c] = mix(a + word(bytes, at), b + word(bytes, at + 4), c + word(bytes, at + 8));
  }
  const rest = Buffer.alloc(12);
  bytes.copy(rest, 0, at);
  return final(a + rest.readUInt32LE(0), b + rest.readUInt32LE(4), c + rest.readUInt32LE(8));
}

/** All words but the last three are read in the byte order of the machine. */
function word(bytes: Buffer, at: number): number {
  return endianness() === 'LE' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mix(x: number, y: number, z: number): [number, number, number] {
  let [a, b, c] = [x | 0, y | 0, z | 0];
  a = (a - c) ^ rotate(c, 4);
  c = (c + b) | 0;
  b = (b - a) ^ rotate(a, 6);
  a = (a + c) | 0;
  c = (c - b) ^ rotate(b, 8);
  b = (b + a) | 0;
  a = (a - c) ^ rotate(c, 16);
  c = (c + b) | 0;
  b = (b - a) ^ rotate(a, 19);
  a = (a + c) | 0;
  c = (c - b) ^ rotate(b, 4);
  b = (b + a) | 0;
  return [a, b, c];
}

function final(x: number, y: number, z: number): number {
  let [a, b, c] = [x | 0, y | 0, z | 0];
  c = (c ^ b) - rotate(b, 14);
  a = (a ^ c) - rotate(c, 11);
  b = (b ^ a) - rotate(a, 25);
  c = (c ^ b) - rotate(b, 16);
  a = (a ^ c) - rotate(c, 4);
  b = (b ^ a) - rotate(a, 14);
  c = (c ^ b) - rotate(b, 24);
  return c >>> 0;
}
