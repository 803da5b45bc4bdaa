import { be16, readU32, writeU32 } from '../../netlink/attributes.js';
import { addressBytes, addressText } from '../../netlink/ip-bytes.js';
import { NFT_TYPE_SIZES, type NftType } from '../rules/nft-expression.js';
import { nftClassid } from '../rules/render-rule.js';

/** The key of the catch-all element. */
export const CATCH_ALL = '*';

/** Protocols with ports, by name. */
export const PROTOCOL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['tcp', 6],
  ['udp', 17],
  ['sctp', 132],
]);
const PROTOCOL_NAMES: ReadonlyMap<number, string> = new Map(
  [...PROTOCOL_NUMBERS].map(([name, number]) => [number, name]),
);

/** A port in network byte order. */
export function be16Value(port: number): Buffer {
  return be16(port);
}

/** Length in bytes of concatenated fields: each is aligned to four bytes, unless there is only one. */
export function nftFieldsLength(types: readonly NftType[]): number {
  const [only] = types;
  return types.length === 1 && only !== undefined
    ? NFT_TYPE_SIZES[only]
    : types.reduce((sum, type) => sum + ((NFT_TYPE_SIZES[type] + 3) & ~3), 0);
}

/** The text is not a value of its type. */
export class NftValueInvalid extends Error {
  constructor(text: string, type: string) {
    super(`"${text.slice(0, 100)}" is not of type ${type}`);
  }
}

const SEPARATOR = ' . ';

/**
 * Writes the fields of a key or value in transaction syntax, for example `10.0.0.1 . tcp . 80`.
 *
 * @param last receives the interval end: the last address of networks, the last port of ranges; same length. Default:
 *   networks and ranges are not accepted.
 * @throws NftValueInvalid
 */
export function writeNftFields(text: string, types: readonly NftType[], into: Buffer, at: number, last?: number): void {
  let from = 0;
  let to = at;
  for (let index = 0; index < types.length; index++) {
    const type = types[index] as NftType;
    const next = index === types.length - 1 ? text.length : text.indexOf(SEPARATOR, from);
    if (next < from) {
      throw new NftValueInvalid(text, types.join(SEPARATOR));
    }
    const dash = last !== undefined && type === 'inet_service' ? text.indexOf('-', from) : -1;
    if (last !== undefined && dash >= 0 && dash < next) {
      writeField(text, from, dash, type, into, to);
      writeField(text, dash + 1, next, type, into, last + to - at);
    } else {
      writeField(text, from, next, type, into, to);
    }
    if (last !== undefined && (dash < 0 || dash >= next)) {
      const network = text.indexOf('/', from);
      const size = NFT_TYPE_SIZES[type];
      const prefix = network >= 0 && network < next ? Number(text.slice(network + 1, next)) : size * 8;
      clearHostBits(into, to, size, prefix);
      into.copy(into, last + to - at, to, to + size);
      setHostBits(into, last + to - at, size, prefix);
    }
    from = next + SEPARATOR.length;
    to += (NFT_TYPE_SIZES[type] + 3) & ~3;
  }
}

/** Clears the bits of an address after its prefix. */
export function clearHostBits(into: Buffer, at: number, size: number, prefix: number): void {
  for (let bit = prefix; bit < size * 8; bit++) {
    into[at + (bit >> 3)] = (into[at + (bit >> 3)] ?? 0) & ~(0x80 >> (bit & 7));
  }
}

function setHostBits(into: Buffer, at: number, size: number, prefix: number): void {
  for (let bit = prefix; bit < size * 8; bit++) {
    into[at + (bit >> 3)] = (into[at + (bit >> 3)] ?? 0) | (0x80 >> (bit & 7));
  }
}

function writeField(text: string, from: number, end: number, type: NftType, into: Buffer, at: number): void {
  switch (type) {
    case 'ipv4_addr':
      writeIPv4(text, from, end, into, at);
      return;
    case 'ipv6_addr': {
      const address = text.slice(from, end).split('/', 1)[0] ?? '';
      if (!address.includes(':')) {
        throw new NftValueInvalid(text, type);
      }
      into.set(addressBytes(address), at);
      return;
    }
    case 'inet_proto':
      into[at] = PROTOCOL_NUMBERS.get(text.slice(from, end)) ?? decimal(text, from, end, type, 0xff);
      return;
    case 'inet_service': {
      const port = decimal(text, from, end, type, 0xffff);
      into[at] = port >>> 8;
      into[at + 1] = port & 0xff;
      return;
    }
    case 'classid': {
      const [, major, minor] = /^([\da-f]{1,4}):([\da-f]{1,4})$/.exec(text.slice(from, end)) ?? [];
      if (major === undefined || minor === undefined) {
        throw new NftValueInvalid(text, type);
      }
      writeU32(into, (Number.parseInt(major, 16) << 16) | Number.parseInt(minor, 16), at);
      return;
    }
    case 'mark':
    case 'integer':
      writeU32(into, decimal(text, from, end, type, 0xffff_ffff), at);
      return;
    default:
      throw new NftValueInvalid(text, `${type}, which elements cannot have`);
  }
}

const [ZERO, NINE, DOT, SLASH] = [48, 57, 46, 47] as const;

function decimal(text: string, from: number, end: number, type: NftType, most: number): number {
  let number = 0;
  for (let index = from; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code < ZERO || code > NINE) {
      throw new NftValueInvalid(text, type);
    }
    number = number * 10 + code - ZERO;
  }
  if (end === from || number > most) {
    throw new NftValueInvalid(text, type);
  }
  return number;
}

/** Parses by character, as transactions have hundreds of thousands. */
function writeIPv4(text: string, from: number, end: number, into: Buffer, at: number): void {
  let part = 0;
  let digits = 0;
  let index = 0;
  for (let position = from; position < end; position++) {
    const code = text.charCodeAt(position);
    if (code === SLASH) {
      break;
    }
    if (code === DOT && digits > 0 && index < 3) {
      into[at + index] = part;
      index++;
      part = 0;
      digits = 0;
    } else if (code < ZERO || code > NINE || digits > 2 || part * 10 + code - ZERO > 0xff) {
      throw new NftValueInvalid(text, 'ipv4_addr');
    } else {
      part = part * 10 + code - ZERO;
      digits++;
    }
  }
  if (index !== 3 || digits === 0) {
    throw new NftValueInvalid(text, 'ipv4_addr');
  }
  into[at + 3] = part;
}

/**
 * The text of fields. Inverse of {@link writeNftFields}.
 *
 * @param start position of the first.
 * @param last position of the last address of an interval, in the same bytes.
 */
export function readNftFields(bytes: Buffer, types: readonly NftType[], start = 0, last?: number): string {
  let text = '';
  let at = start;
  for (let index = 0; index < types.length; index++) {
    const type = types[index] as NftType;
    const size = NFT_TYPE_SIZES[type];
    text += index === 0 ? '' : SEPARATOR;
    text += readField(bytes, at, type);
    const end = last === undefined ? at : last + at - start;
    if (end !== at && bytes.compare(bytes, end, end + size, at, at + size) !== 0) {
      const prefix = type === 'inet_service' ? undefined : prefixLength(bytes, at, end, size);
      text += prefix === undefined ? `-${readField(bytes, end, type)}` : `/${prefix}`;
    }
    at += (size + 3) & ~3;
  }
  return text;
}

/** The prefix length of an interval; undefined when it is not a prefix. */
function prefixLength(bytes: Buffer, first: number, last: number, size: number): number | undefined {
  const bitOf = (at: number, bit: number) => ((bytes[at + (bit >> 3)] ?? 0) >> (7 - (bit & 7))) & 1;
  let prefix = 0;
  while (prefix < size * 8 && bitOf(first, prefix) === bitOf(last, prefix)) {
    prefix++;
  }
  for (let bit = prefix; bit < size * 8; bit++) {
    if (bitOf(first, bit) !== 0 || bitOf(last, bit) !== 1) {
      return undefined;
    }
  }
  return prefix;
}

function readField(bytes: Buffer, at: number, type: NftType): string {
  switch (type) {
    case 'ipv4_addr':
      return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
    case 'ipv6_addr':
      return addressText(bytes.subarray(at, at + 16), 'IPv6');
    case 'inet_proto':
      return PROTOCOL_NAMES.get(bytes[at] ?? 0) ?? String(bytes[at]);
    case 'inet_service':
      return String(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
    case 'classid':
      return nftClassid(readU32(bytes, at));
    default:
      return String(readU32(bytes, at));
  }
}
