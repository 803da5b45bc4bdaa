import type { IPFamily, Protocol } from '@kube-proxier/core';
import {
  type Attribute,
  type AttributeMap,
  asBe16,
  asBe32,
  asText,
  asU8,
  attributeMap,
  be16,
  be32,
  cString,
  encodeAttributes,
  readAttributes,
  u8,
} from '../netlink/attributes.js';
import { ADDRESS_FAMILIES, addressBytes, addressText, familyOfNumber, PROTOCOL_NUMBERS } from '../netlink/ip-bytes.js';
import type { IpSetDefinition, IpSetEntry, IpSetType } from './ip-sets.js';

/** Commands of the ipset subsystem of nfnetlink (`linux/netfilter/ipset/ip_set.h`). */
export const IP_SET_COMMANDS = { create: 2, destroy: 3, flush: 4, list: 7, add: 9, delete: 10, type: 13 } as const;

/** Message type: subsystem number in the high byte, command in the low byte. */
export function ipSetMessageType(command: number): number {
  return (6 << 8) | command;
}

const PROTOCOL_VERSION = 6;
const COMMAND = { protocol: 1, name: 2, type: 3, revision: 4, family: 5, data: 7, entries: 8 } as const;
const DATA = {
  address: 1,
  cidr: 3,
  port: 4,
  protocol: 7,
  flags: 8,
  maxElements: 19,
  second: 20,
  secondCidr: 21,
  mark: 27,
} as const;
const ADDRESS_TYPE: Readonly<Record<IPFamily, number>> = { IPv4: 1, IPv6: 2 };
const WITH_MARKS = 0x40;
const HEADER = 4;
const TYPES: readonly IpSetType[] = ['hash:ip', 'hash:ip,port', 'hash:ip,port,ip', 'hash:ip,port,net'];

function message(family: IPFamily | undefined, attributes: readonly Attribute[]): Buffer {
  const head = Buffer.of(family === undefined ? 0 : ADDRESS_FAMILIES[family], 0, 0, 0);
  return encodeAttributes([{ type: COMMAND.protocol, value: u8(PROTOCOL_VERSION) }, ...attributes], head);
}

/** Requests the revisions of a set type that the kernel supports. */
export function encodeTypeRequest(type: IpSetType, family: IPFamily): Buffer {
  return message(family, [
    { type: COMMAND.type, value: cString(type) },
    { type: COMMAND.family, value: u8(ADDRESS_FAMILIES[family]) },
  ]);
}

export function decodeRevision(payload: Buffer): number {
  return asU8(attributeMap(payload.subarray(HEADER)).get(COMMAND.revision));
}

export function encodeSetCreation(
  { name, type, family, maxEntries, marks }: IpSetDefinition,
  revision: number,
): Buffer {
  return message(family, [
    { type: COMMAND.name, value: cString(name) },
    { type: COMMAND.type, value: cString(type) },
    { type: COMMAND.revision, value: u8(revision) },
    { type: COMMAND.family, value: u8(ADDRESS_FAMILIES[family]) },
    {
      type: COMMAND.data,
      value: [
        { type: DATA.maxElements, value: be32(maxEntries), netByteOrder: true },
        ...(marks ? [{ type: DATA.flags, value: be32(WITH_MARKS), netByteOrder: true }] : []),
      ],
    },
  ]);
}

/** For commands that need only the name of a set; without a name, they apply to all sets. */
export function encodeSetName(name?: string): Buffer {
  return message(undefined, name === undefined ? [] : [{ type: COMMAND.name, value: cString(name) }]);
}

export function encodeEntry(set: string, entry: IpSetEntry): Buffer {
  const family: IPFamily = entry.address.includes(':') ? 'IPv6' : 'IPv4';
  const [network, prefixLength] = entry.network?.split('/') ?? [];
  const second = entry.second ?? network;
  const data: Attribute[] = [
    address(DATA.address, entry.address),
    ...(entry.port === undefined
      ? []
      : [
          { type: DATA.port, value: be16(entry.port), netByteOrder: true },
          { type: DATA.protocol, value: u8(PROTOCOL_NUMBERS[entry.protocol ?? 'TCP']) },
        ]),
    ...(second === undefined ? [] : [address(DATA.second, second)]),
    ...(prefixLength === undefined ? [] : [{ type: DATA.secondCidr, value: u8(Number(prefixLength)) }]),
    ...(entry.mark === undefined
      ? []
      : [{ type: DATA.mark, value: Buffer.concat([be32(entry.mark), be32(0xffff_ffff)]), netByteOrder: true }]),
  ];
  return message(family, [
    { type: COMMAND.name, value: cString(set) },
    { type: COMMAND.data, value: data },
  ]);
}

function address(type: number, text: string): Attribute {
  const bytes = addressBytes(text);
  const inner = { type: ADDRESS_TYPE[bytes.length === 4 ? 'IPv4' : 'IPv6'], value: bytes, netByteOrder: true };
  return { type, value: [inner] };
}

/** The content of one message of a dump. The entries of a large set are spread over several messages. */
export interface IpSetListing {
  readonly name: string;
  /** Only in the first message of a set. */
  readonly definition: IpSetDefinition | undefined;
  readonly entries: readonly IpSetEntry[];
}

export function decodeListing(payload: Buffer): IpSetListing {
  const map = attributeMap(payload.subarray(HEADER));
  const name = asText(map.get(COMMAND.name));
  const type = TYPES.find((candidate) => candidate === asText(map.get(COMMAND.type)));
  const family = familyOfNumber(asU8(map.get(COMMAND.family)));
  const data = map.get(COMMAND.data);
  const facts = data && attributeMap(data);
  return {
    name,
    definition:
      type === undefined || family === undefined || facts === undefined
        ? undefined
        : {
            name,
            type,
            family,
            maxEntries: asBe32(facts.get(DATA.maxElements)),
            marks: (asBe32(facts.get(DATA.flags)) & WITH_MARKS) !== 0,
          },
    entries: readAttributes(map.get(COMMAND.entries) ?? Buffer.alloc(0)).flatMap(([, entry]) => decodeEntry(entry)),
  };
}

function decodeEntry(data: Buffer): readonly IpSetEntry[] {
  const map = attributeMap(data);
  const first = addressOf(map, DATA.address);
  const second = addressOf(map, DATA.second);
  const protocol = (Object.keys(PROTOCOL_NUMBERS) as Protocol[]).find(
    (candidate) => PROTOCOL_NUMBERS[candidate] === asU8(map.get(DATA.protocol)),
  );
  if (first === undefined) {
    return [];
  }
  const length = map.get(DATA.secondCidr);
  const mark = map.get(DATA.mark);
  return [
    {
      address: first,
      ...(map.has(DATA.port) && protocol !== undefined ? { port: asBe16(map.get(DATA.port)), protocol } : {}),
      ...(second === undefined ? {} : length === undefined ? { second } : { network: `${second}/${asU8(length)}` }),
      ...(mark === undefined ? {} : { mark: asBe32(mark) }),
    },
  ];
}

function addressOf(map: AttributeMap, type: number): string | undefined {
  const value = map.get(type);
  const [inner] = value === undefined ? [] : readAttributes(value);
  return inner && addressText(inner[1], inner[0] === ADDRESS_TYPE.IPv4 ? 'IPv4' : 'IPv6');
}
