import ipaddr from 'ipaddr.js';

/** The first address of a network in canonical spelling. */
export function firstAddress(cidr: string): string {
  return cidr.slice(0, cidr.indexOf('/'));
}

/** The last address of a network in canonical spelling. */
export function lastAddress(cidr: string): string {
  const [address, prefixLength] = ipaddr.parseCIDR(cidr);
  const bytes = address.toByteArray().map((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefixLength - index * 8));
    return byte | (0xff >> bits);
  });
  return textOf(bytes);
}

/** An address as a number. */
export function addressNumber(address: string): bigint {
  return numberOf(ipaddr.parse(address).toByteArray());
}

/** The address at an offset of `distance`, canonical; undefined outside the address space of the family. */
export function addressAt(address: string, distance: number): string | undefined {
  const bytes = ipaddr.parse(address).toByteArray();
  const bits = BigInt(bytes.length * 8);
  const value = numberOf(bytes) + BigInt(distance);
  if (value < 0n || value >= 1n << bits) {
    return undefined;
  }
  return textOf(bytes.map((_byte, index) => Number((value >> (bits - 8n * BigInt(index + 1))) & 0xffn)));
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function textOf(bytes: number[]): string {
  const address = ipaddr.fromByteArray(bytes);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}
