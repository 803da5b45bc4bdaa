import { addressNumber, parseAddress } from '@kube-proxier/core';
import { DirectMappedCache } from '../caching/direct-mapped-cache.js';

/**
 * Cache of addresses as numbers, which the packets of a Service share. Small, as it is kept after a verification: the
 * addresses of 10,000 Services and their endpoints would take 3 MB.
 */
const KNOWN = new DirectMappedCache<bigint>(10);

/** The numeric value of an address; undefined when the text is not an address. */
export function bitsOf(address: string): bigint | undefined {
  const known = KNOWN.get(address);
  if (known !== undefined) {
    return known;
  }
  const parsed = parseAddress(address);
  if (parsed === undefined) {
    return undefined;
  }
  const bits = parsed.family === 'IPv4' ? BigInt(numberOfIPv4(parsed.text)) : addressNumber(parsed.text);
  KNOWN.set(address, bits);
  return bits;
}

const [DOT, ZERO] = [46, 48];

/** @param text canonical. */
function numberOfIPv4(text: string): number {
  let [bits, octet] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      bits = bits * 256 + octet;
      octet = 0;
    } else {
      octet = octet * 10 + code - ZERO;
    }
  }
  return bits * 256 + octet;
}

/** Addresses whose bits under `mask` are `value`. */
export interface BitNetwork {
  readonly value: bigint;
  readonly mask: bigint;
}

/**
 * A network as iptables prints it: `10.0.0.0/8`, `10.0.0.1`, `0.0.0.5/128.0.0.15`; undefined when it is not a network.
 */
export function networkOf(text: string): BitNetwork | undefined {
  const [base = '', length] = text.split('/');
  const bits = bitsOf(base);
  if (bits === undefined) {
    return undefined;
  }
  const width = base.includes(':') ? 128 : 32;
  const all = (1n << BigInt(width)) - 1n;
  if (length === undefined) {
    return { value: bits, mask: all };
  }
  const mask = /^\d+$/.test(length) ? prefixMask(width, Number(length)) : bitsOf(length);
  return mask === undefined ? undefined : { value: bits & mask, mask };
}

export function prefixMask(width: number, length: number): bigint {
  return ((1n << BigInt(width)) - 1n) ^ ((1n << BigInt(width - length)) - 1n);
}

export function isIn({ value, mask }: BitNetwork, bits: bigint): boolean {
  return (bits & mask) === value;
}
