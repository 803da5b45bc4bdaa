import { asText, attributeMap, cString, encodeAttributes, readU32, u32, writeU32 } from '../netlink/attributes.js';
import { ADDRESS_FAMILIES, addressBytes, addressText, familyOfNumber } from '../netlink/ip-bytes.js';
import type { AddressCommand, Link, LinkAddress } from './links.js';

/** Message types of rtnetlink. */
export const ROUTE_MESSAGES = {
  newLink: 16,
  deleteLink: 17,
  getLink: 18,
  newAddress: 20,
  deleteAddress: 21,
  getAddress: 22,
} as const;

const LINK = { name: 3, info: 18 } as const;
const INFO_KIND = 1;
const ADDRESS = { address: 1, local: 2, lifetimes: 6, flags: 8 } as const;
const LINK_HEADER = 16;
const ADDRESS_HEADER = 8;
/** Address flags (`IFA_F_…`); `noDuplicateDetection`: usable at once, without duplicate address detection. */
const ADDRESS_FLAGS = { noDuplicateDetection: 0x02, optimistic: 0x04, duplicate: 0x08, tentative: 0x40 } as const;
/** Address scope that the kernel does not select as a source address, nor for masquerading. IPv4 only. */
const SCOPE_HOST = 254;
/**
 * Lifetimes in seconds: preferred 0, valid forever. IPv6 selects such an address as a source only if there is no other.
 */
const DEPRECATED = Buffer.concat([u32(0), u32(0xffff_ffff), u32(0), u32(0)]);

/** An interface by name; with a `kind`, one to create. */
export function encodeLink(name: string, kind?: string): Buffer {
  return encodeAttributes(
    [
      { type: LINK.name, value: cString(name) },
      ...(kind === undefined ? [] : [{ type: LINK.info, value: [{ type: INFO_KIND, value: cString(kind) }] }]),
    ],
    new Uint8Array(LINK_HEADER),
  );
}

export function decodeLink(payload: Buffer): Link {
  const map = attributeMap(payload.subarray(LINK_HEADER));
  const info = map.get(LINK.info);
  return {
    index: readU32(payload, 4),
    name: asText(map.get(LINK.name)),
    kind: info === undefined ? '' : asText(attributeMap(info).get(INFO_KIND)),
  };
}

/**
 * An address that only receives packets: the kernel does not select it as source of packets to other hosts.
 *
 * @param prefixLength default is that of a host address.
 */
export function encodeAddress(
  { link, address }: Pick<AddressCommand, 'link' | 'address'>,
  prefixLength?: number,
): Buffer {
  const bytes = addressBytes(address);
  const head = Buffer.alloc(ADDRESS_HEADER);
  head[0] = ADDRESS_FAMILIES[bytes.length === 4 ? 'IPv4' : 'IPv6'];
  head[1] = prefixLength ?? bytes.length * 8;
  head[3] = bytes.length === 4 ? SCOPE_HOST : 0;
  writeU32(head, link, 4);
  return encodeAttributes(
    [
      { type: ADDRESS.local, value: bytes },
      { type: ADDRESS.address, value: bytes },
      ...(bytes.length === 4
        ? []
        : [
            { type: ADDRESS.lifetimes, value: DEPRECATED },
            { type: ADDRESS.flags, value: u32(ADDRESS_FLAGS.noDuplicateDetection) },
          ]),
    ],
    head,
  );
}

/** @returns undefined for an address of another family than IP. */
export function decodeAddress(payload: Buffer): LinkAddress | undefined {
  const family = familyOfNumber(payload[0] ?? 0);
  const map = attributeMap(payload.subarray(ADDRESS_HEADER));
  const bytes = map.get(ADDRESS.local) ?? map.get(ADDRESS.address);
  if (family === undefined || bytes === undefined) {
    return undefined;
  }
  const flags = map.get(ADDRESS.flags);
  const usable = isUsable(flags === undefined ? (payload[2] ?? 0) : readU32(flags, 0));
  return { link: readU32(payload, 4), family, address: addressText(bytes, family), usable };
}

/** Prefix length of an address. */
export function decodePrefixLength(payload: Buffer): number {
  return payload[1] ?? 0;
}

/**
 * Whether the kernel treats an address with these flags as local: not during duplicate address detection, nor after its
 * failure.
 */
export function isUsable(flags: number): boolean {
  const { duplicate, optimistic, tentative } = ADDRESS_FLAGS;
  return (flags & duplicate) === 0 && ((flags & tentative) === 0 || (flags & optimistic) !== 0);
}

/** The header alone, which requests all. */
export function encodeEverything(length: 'links' | 'addresses'): Buffer {
  return Buffer.alloc(length === 'links' ? LINK_HEADER : ADDRESS_HEADER);
}
