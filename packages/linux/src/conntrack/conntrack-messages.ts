import type { IPFamily, Protocol } from '@kube-proxier/core';
import {
  type Attribute,
  attributeEnd,
  be16,
  be32,
  encodeAttributes,
  findAttribute,
  u8,
  u32,
} from '../netlink/attributes.js';
import { ADDRESS_FAMILIES, addressBytes, addressText, familyOfNumber, PROTOCOL_NUMBERS } from '../netlink/ip-bytes.js';
import type { ConntrackEntry, ConntrackTranslation, ConntrackTuple, ReplySource } from './conntrack.js';

/** Commands of the conntrack subsystem of nfnetlink (`linux/netfilter/nfnetlink_conntrack.h`). */
export const CONNTRACK_COMMANDS = { get: 1, delete: 2, statistics: 5 } as const;

/** Message type: subsystem number in the high byte, command in the low byte. */
export function conntrackMessageType(command: keyof typeof CONNTRACK_COMMANDS): number {
  return (1 << 8) | CONNTRACK_COMMANDS[command];
}

const FLOW = { original: 1, reply: 2, id: 12, zone: 18, filter: 25 } as const;
const TUPLE = { address: 1, protocol: 2, zone: 3 } as const;
const ADDRESS = {
  IPv4: { source: 1, destination: 2, length: 4 },
  IPv6: { source: 3, destination: 4, length: 16 },
} as const;
const PROTOCOL = { number: 1, sourcePort: 2, destinationPort: 3 } as const;
const FILTER = { originalFlags: 1, replyFlags: 2 } as const;
/** Filter flags: the tuple fields that an entry must share with the request (`CTA_FILTER_F_…` in the kernel). */
const BY = {
  source: 1 << 0,
  destination: 1 << 1,
  protocol: 1 << 3,
  sourcePort: 1 << 4,
  destinationPort: 1 << 5,
} as const;
const STATISTICS = { entries: 1 } as const;
/** `struct nfgenmsg`: address family, version, resource id (unused). */
const HEAD = 4;
const ATTRIBUTE_HEAD = 4;

/** An entry, with the fields that identify exactly this entry to the kernel. */
export interface ConntrackFlow {
  readonly entry: ConntrackEntry;
  /** The 32-bit id that the kernel assigns. It also identifies the original tuple. */
  readonly id: number;
  /**
   * Zone of the reply direction; differs from the entry's zone where the rule that set the zone applies to one
   * direction only.
   */
  readonly replyZone: number;
}

function message(family: IPFamily | undefined, attributes: readonly Attribute[]): Buffer {
  return encodeAttributes(attributes, Buffer.of(family === undefined ? 0 : ADDRESS_FAMILIES[family], 0, 0, 0));
}

/** Requests the number of entries. */
export function encodeStatisticsRequest(): Buffer {
  return message(undefined, []);
}

/**
 * Requests the entries of one family, and of one protocol and source of replies where the kernel supports these filters
 * (Linux 5.8 and later; older kernels ignore them).
 *
 * @param protocol undefined for all.
 */
export function encodeListRequest(family: IPFamily, protocol: Protocol | undefined, repliesFrom?: ReplySource): Buffer {
  if (protocol === undefined) {
    return message(family, []);
  }
  const number = { type: PROTOCOL.number, value: u8(PROTOCOL_NUMBERS[protocol]) };
  if (repliesFrom !== undefined) {
    const port = { type: PROTOCOL.sourcePort, value: be16(repliesFrom.sourcePort) };
    const protocolAndPort = { type: TUPLE.protocol, value: [number, port] };
    const filter = (flags: number) => ({ type: FLOW.filter, value: [{ type: FILTER.replyFlags, value: u32(flags) }] });
    const flags = BY.protocol | BY.sourcePort;
    if (family === 'IPv6') {
      // Up to Linux 6.18 at least, a filter for an IPv6 address is inverted (`!ipv6_addr_cmp` in
      // nf_conntrack_netlink.c).
      return message(family, [{ type: FLOW.reply, value: [protocolAndPort] }, filter(flags)]);
    }
    const address = { type: ADDRESS[family].source, value: addressBytes(repliesFrom.source) };
    return message(family, [
      { type: FLOW.reply, value: [{ type: TUPLE.address, value: [address] }, protocolAndPort] },
      filter(flags | BY.source),
    ]);
  }
  return message(family, [
    { type: FLOW.original, value: [{ type: TUPLE.protocol, value: [number] }] },
    { type: FLOW.filter, value: [{ type: FILTER.originalFlags, value: u32(BY.protocol) }] },
  ]);
}

/** Requests the entry of an original tuple. The entry returned may have another reply tuple than expected. */
export function encodeFlowRequest({ family, protocol, original, zone }: ConntrackEntry): Buffer {
  return message(family, [tuple(FLOW.original, family, protocol, original), ...zoneOf(zone)]);
}

/**
 * Deletes an entry as it was read. The kernel finds it by its reply tuple and compares the id, so an entry that was
 * replaced in the meantime is kept.
 */
export function encodeDeletion({ entry: { family, protocol, reply }, id, replyZone }: ConntrackFlow): Buffer {
  return message(family, [
    tuple(FLOW.reply, family, protocol, reply),
    { type: FLOW.id, value: be32(id) },
    ...zoneOf(replyZone),
  ]);
}

/**
 * Deletes all entries with a translation (Linux 6.11 and later). Older kernels look up a single entry by the incomplete
 * tuple and fail with EINVAL. Without a tuple, they flush the whole table.
 */
export function encodeDeletionOfTranslated(
  family: 'IPv4',
  protocol: Protocol,
  { destination, destinationPort, source, sourcePort }: ConntrackTranslation,
): Buffer {
  const numbers = ADDRESS[family];
  const number = { type: PROTOCOL.number, value: u8(PROTOCOL_NUMBERS[protocol]) };
  return message(family, [
    {
      type: FLOW.original,
      value: [
        { type: TUPLE.address, value: [{ type: numbers.destination, value: addressBytes(destination) }] },
        { type: TUPLE.protocol, value: [number, { type: PROTOCOL.destinationPort, value: be16(destinationPort) }] },
      ],
    },
    {
      type: FLOW.reply,
      value: [
        { type: TUPLE.address, value: [{ type: numbers.source, value: addressBytes(source) }] },
        { type: TUPLE.protocol, value: [number, { type: PROTOCOL.sourcePort, value: be16(sourcePort) }] },
      ],
    },
    {
      type: FLOW.filter,
      value: [
        { type: FILTER.originalFlags, value: u32(BY.destination | BY.protocol | BY.destinationPort) },
        { type: FILTER.replyFlags, value: u32(BY.source | BY.protocol | BY.sourcePort) },
      ],
    },
  ]);
}

/** The number of entries, from the answer to {@link encodeStatisticsRequest}; undefined when absent. */
export function decodeStatistics(payload: Buffer): number | undefined {
  const at = findAttribute(payload, STATISTICS.entries, HEAD, payload.length);
  return valueLength(payload, at) === 4 ? payload.readUInt32BE(at + ATTRIBUTE_HEAD) : undefined;
}

/** The fields of a kernel entry that this module reads. */
export function encodeFlow({ entry, id, replyZone }: ConntrackFlow): Buffer {
  const { family, protocol, original, reply, zone } = entry;
  const inTuple = (number: number): readonly Attribute[] =>
    zone === replyZone || number === 0 ? [] : [{ type: TUPLE.zone, value: be16(number) }];
  return message(family, [
    tuple(FLOW.original, family, protocol, original, inTuple(zone)),
    tuple(FLOW.reply, family, protocol, reply, inTuple(replyZone)),
    { type: FLOW.id, value: be32(id) },
    ...(zone === replyZone ? zoneOf(zone) : []),
  ]);
}

/** A kernel without zones (`CONFIG_NF_CONNTRACK_ZONES`) refuses even the default one. */
function zoneOf(zone: number): readonly Attribute[] {
  return zone === 0 ? [] : [{ type: FLOW.zone, value: be16(zone) }];
}

function tuple(
  type: number,
  family: IPFamily,
  protocol: Protocol,
  { source, sourcePort, destination, destinationPort }: ConntrackTuple,
  more: readonly Attribute[] = [],
): Attribute {
  const numbers = ADDRESS[family];
  const addresses = [
    { type: numbers.source, value: addressBytes(source) },
    { type: numbers.destination, value: addressBytes(destination) },
  ];
  const ports = [
    { type: PROTOCOL.number, value: u8(PROTOCOL_NUMBERS[protocol]) },
    { type: PROTOCOL.sourcePort, value: be16(sourcePort) },
    { type: PROTOCOL.destinationPort, value: be16(destinationPort) },
  ];
  return {
    type,
    value: [{ type: TUPLE.address, value: addresses }, { type: TUPLE.protocol, value: ports }, ...more],
  };
}

/**
 * Reads an entry of one family and protocol.
 *
 * @returns undefined for an entry of another family or protocol, which is not decoded further, and for an entry that
 *   cannot be decoded: it must not be deleted either.
 */
export function decodeEntry(payload: Buffer, family: IPFamily, protocol: Protocol): ConntrackEntry | undefined {
  if (payload.length < HEAD || familyOfNumber(payload[0] ?? 0) !== family) {
    return undefined;
  }
  const originalAt = findAttribute(payload, FLOW.original, HEAD, payload.length);
  const original = readTuple(payload, originalAt, family, protocol);
  if (original === undefined) {
    return undefined;
  }
  const reply = readTuple(payload, findAttribute(payload, FLOW.reply, HEAD, payload.length), family, protocol);
  if (reply === undefined) {
    return undefined;
  }
  return { family, protocol, original, reply, zone: readZone(payload, originalAt) };
}

/**
 * Reads an entry with the fields needed to delete it; undefined where {@link decodeEntry} returns undefined, or the id
 * is missing.
 */
export function decodeFlow(payload: Buffer, family: IPFamily, protocol: Protocol): ConntrackFlow | undefined {
  const entry = decodeEntry(payload, family, protocol);
  const idAt = findAttribute(payload, FLOW.id, HEAD, payload.length);
  if (entry === undefined || valueLength(payload, idAt) !== 4) {
    return undefined;
  }
  const replyAt = findAttribute(payload, FLOW.reply, HEAD, payload.length);
  return { entry, id: payload.readUInt32BE(idAt + ATTRIBUTE_HEAD), replyZone: readZone(payload, replyAt) };
}

/** Where the fields of a translation are in a message: positions of their values. */
export interface TranslationFields {
  destination: number;
  destinationPort: number;
  source: number;
  sourcePort: number;
  /** Bytes of an address. */
  addressLength: number;
}

/**
 * Finds the fields of the translation of an entry.
 *
 * @param fields receives the positions. It is not created for each entry: a host has a million.
 * @returns false where {@link decodeEntry} returns undefined because of the family, the protocol or these fields.
 */
export function findTranslation(
  payload: Buffer,
  family: IPFamily,
  protocol: Protocol,
  fields: TranslationFields,
): boolean {
  if (payload.length < HEAD || familyOfNumber(payload[0] ?? 0) !== family) {
    return false;
  }
  const numbers = ADDRESS[family];
  const originalAt = findAttribute(payload, FLOW.original, HEAD, payload.length);
  const destinationAt = findAddress(payload, originalAt, numbers.destination, numbers.length);
  const destinationPortAt = findPort(payload, originalAt, protocol, PROTOCOL.destinationPort);
  if (destinationAt < 0 || destinationPortAt < 0) {
    return false;
  }
  const replyAt = findAttribute(payload, FLOW.reply, HEAD, payload.length);
  const sourceAt = findAddress(payload, replyAt, numbers.source, numbers.length);
  const sourcePortAt = findPort(payload, replyAt, protocol, PROTOCOL.sourcePort);
  if (sourceAt < 0 || sourcePortAt < 0) {
    return false;
  }
  fields.destination = destinationAt;
  fields.destinationPort = destinationPortAt;
  fields.source = sourceAt;
  fields.sourcePort = sourcePortAt;
  fields.addressLength = numbers.length;
  return true;
}

/** @param fields positions in this message, from {@link findTranslation}. */
export function readTranslation(payload: Buffer, family: IPFamily, fields: TranslationFields): ConntrackTranslation {
  return {
    destination: readAddress(payload, fields.destination, fields.addressLength, family),
    destinationPort: payload.readUInt16BE(fields.destinationPort),
    source: readAddress(payload, fields.source, fields.addressLength, family),
    sourcePort: payload.readUInt16BE(fields.sourcePort),
  };
}

/** @returns the position of the value of an address in a tuple; -1 when it is missing or has another length. */
function findAddress(payload: Buffer, tupleAt: number, type: number, length: number): number {
  const at = findInside(payload, type, findInside(payload, TUPLE.address, tupleAt));
  return valueLength(payload, at) === length ? at + ATTRIBUTE_HEAD : -1;
}

/** @returns the position of the value of a port in a tuple; -1 when it is missing, or the tuple has another protocol. */
function findPort(payload: Buffer, tupleAt: number, protocol: Protocol, type: number): number {
  const protocolAt = findInside(payload, TUPLE.protocol, tupleAt);
  const numberAt = findInside(payload, PROTOCOL.number, protocolAt);
  if (valueLength(payload, numberAt) !== 1 || payload[numberAt + ATTRIBUTE_HEAD] !== PROTOCOL_NUMBERS[protocol]) {
    return -1;
  }
  const at = findInside(payload, type, protocolAt);
  return valueLength(payload, at) === 2 ? at + ATTRIBUTE_HEAD : -1;
}

/** Zone of a direction: the zone of the flow, or the zone in the tuple. */
function readZone(payload: Buffer, tupleAt: number): number {
  const wholeAt = findAttribute(payload, FLOW.zone, HEAD, payload.length);
  const at = wholeAt >= 0 ? wholeAt : findInside(payload, TUPLE.zone, tupleAt);
  return valueLength(payload, at) === 2 ? payload.readUInt16BE(at + ATTRIBUTE_HEAD) : 0;
}

function readTuple(payload: Buffer, at: number, family: IPFamily, protocol: Protocol): ConntrackTuple | undefined {
  const { source, destination, length } = ADDRESS[family];
  const sourceAt = findAddress(payload, at, source, length);
  const destinationAt = findAddress(payload, at, destination, length);
  const sourcePortAt = findPort(payload, at, protocol, PROTOCOL.sourcePort);
  const destinationPortAt = findPort(payload, at, protocol, PROTOCOL.destinationPort);
  if (sourceAt < 0 || destinationAt < 0 || sourcePortAt < 0 || destinationPortAt < 0) {
    return undefined;
  }
  return {
    source: readAddress(payload, sourceAt, length, family),
    sourcePort: payload.readUInt16BE(sourcePortAt),
    destination: readAddress(payload, destinationAt, length, family),
    destinationPort: payload.readUInt16BE(destinationPortAt),
  };
}

function readAddress(payload: Buffer, at: number, length: number, family: IPFamily): string {
  return family === 'IPv4'
    ? `${payload[at]}.${payload[at + 1]}.${payload[at + 2]}.${payload[at + 3]}`
    : addressText(payload.subarray(at, at + length), family);
}

/** As `findAttribute`, nested in another attribute; -1 also when the outer attribute is missing. */
function findInside(payload: Buffer, type: number, outerAt: number): number {
  return outerAt < 0 ? -1 : findAttribute(payload, type, outerAt + ATTRIBUTE_HEAD, attributeEnd(payload, outerAt));
}

function valueLength(payload: Buffer, at: number): number {
  return at < 0 ? -1 : attributeEnd(payload, at) - at - ATTRIBUTE_HEAD;
}
