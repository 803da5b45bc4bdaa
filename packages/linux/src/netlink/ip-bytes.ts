import type { IPFamily, Protocol } from '@kube-proxier/core';

/** Address family numbers of the kernel. */
export const ADDRESS_FAMILIES: Readonly<Record<IPFamily, number>> = { IPv4: 2, IPv6: 10 };

/** Protocol numbers of the IP header. */
export const PROTOCOL_NUMBERS: Readonly<Record<Protocol, number>> = { TCP: 6, UDP: 17, SCTP: 132 };

export function familyOfNumber(number: number): IPFamily | undefined {
  return number === 2 ? 'IPv4' : number === 10 ? 'IPv6' : undefined;
}

/** The 4 or 16 bytes of a canonical address. */
export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) {
    const [a, b, c, d] = address.split('.');
    return Buffer.of(Number(a), Number(b), Number(c), Number(d));
  }
  const [head = '', tail] = address.split('::');
  const words = (text: string | undefined) => (text ? text.split(':').map((word) => Number.parseInt(word, 16)) : []);
  const left = words(head);
  const right = words(tail);
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const buffer = Buffer.allocUnsafe(16);
  for (const [index, word] of [...left, ...Array<number>(zeros).fill(0), ...right].entries()) {
    buffer.writeUInt16BE(word, index * 2);
  }
  return buffer;
}

/** The canonical text of 4 or 16 bytes (RFC 5952 for IPv6). */
export function addressText(bytes: Buffer, family: IPFamily): string {
  if (family === 'IPv4') {
    return `${bytes[0] ?? 0}.${bytes[1] ?? 0}.${bytes[2] ?? 0}.${bytes[3] ?? 0}`;
  }
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2));
  // The longest run of two zeros or more, the first of several, becomes "::".
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (words[at + length] === 0) {
      length++;
    }
    if (length > best.length) {
      best = { at, length };
    }
  }
  const hex = (part: readonly number[]) => part.map((word) => word.toString(16)).join(':');
  return best.at < 0 ? hex(words) : `${hex(words.slice(0, best.at))}::${hex(words.slice(best.at + best.length))}`;
}
