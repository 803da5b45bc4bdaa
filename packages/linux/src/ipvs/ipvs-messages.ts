import type { IPFamily, Protocol } from '@kube-proxier/core';
import {
  type Attribute,
  asBe16,
  asText,
  asU16,
  asU32,
  asU64,
  attributeMap,
  be16,
  cString,
  encodeAttributes,
  u16,
  u32,
} from '../netlink/attributes.js';
import { ADDRESS_FAMILIES, addressBytes, addressText, familyOfNumber, PROTOCOL_NUMBERS } from '../netlink/ip-bytes.js';
import type {
  IpvsCommand,
  IpvsTimeouts,
  RealServer,
  RealServerCounts,
  RealServerStatus,
  VirtualServer,
  VirtualServerAddress,
} from './ipvs.js';

/** Commands of the generic netlink family `IPVS` (`linux/ip_vs.h`). */
export const IPVS_COMMANDS = {
  newService: 1,
  setService: 2,
  deleteService: 3,
  getService: 4,
  newDestination: 5,
  setDestination: 6,
  deleteDestination: 7,
  getDestination: 8,
  setConfig: 12,
  getConfig: 13,
  getInfo: 15,
} as const;

const COMMAND_ATTRIBUTE = { service: 1, destination: 2, timeoutTcp: 4, timeoutTcpFin: 5, timeoutUdp: 6 } as const;
const SERVICE = {
  family: 1,
  protocol: 2,
  address: 3,
  port: 4,
  mark: 5,
  scheduler: 6,
  flags: 7,
  timeout: 8,
  netmask: 9,
} as const;
const DESTINATION = {
  address: 1,
  port: 2,
  forwarding: 3,
  weight: 4,
  upperThreshold: 5,
  lowerThreshold: 6,
  active: 7,
  inactive: 8,
  persistent: 9,
  family: 11,
  statistics: 12,
} as const;
/** 64 bits each. */
const STATISTICS = { connections: 1, packetsIn: 2, packetsOut: 3, bytesIn: 4, bytesOut: 5 } as const;
const INFO_VERSION = 1;

const PERSISTENT = 0x1;
/** The flags that are settings: one-packet scheduling, and those of the scheduler. */
const SCHEDULER_FLAGS = 0x3c;
const FORWARDING_MASK = 0x7;
const MASQUERADE = 0;

function protocolOf(number: number): Protocol | undefined {
  return number === 6 ? 'TCP' : number === 17 ? 'UDP' : number === 132 ? 'SCTP' : undefined;
}

/** The kernel requires 16 bytes for both families. */
function wideAddress(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.set(addressBytes(address));
  return bytes;
}

function identity(at: VirtualServerAddress): Attribute[] {
  const family = { type: SERVICE.family, value: u16(ADDRESS_FAMILIES[at.family]) };
  return at.kind === 'mark'
    ? [family, { type: SERVICE.mark, value: u32(at.mark) }]
    : [
        family,
        { type: SERVICE.protocol, value: u16(PROTOCOL_NUMBERS[at.protocol]) },
        { type: SERVICE.address, value: wideAddress(at.address) },
        { type: SERVICE.port, value: be16(at.port) },
      ];
}

function service(virtual: VirtualServer): Attribute {
  const { at, scheduler, schedulerFlags, persistence } = virtual;
  const flags = Buffer.concat([u32(schedulerFlags | (persistence === undefined ? 0 : PERSISTENT)), u32(0xffff_ffff)]);
  return {
    type: COMMAND_ATTRIBUTE.service,
    value: [
      ...identity(at),
      { type: SERVICE.scheduler, value: cString(scheduler) },
      { type: SERVICE.flags, value: flags },
      { type: SERVICE.timeout, value: u32(persistence ?? 0) },
      // Netmask that identifies clients by their whole address: a mask for IPv4, a prefix length for IPv6.
      { type: SERVICE.netmask, value: at.family === 'IPv4' ? u32(0xffff_ffff) : u32(128) },
    ],
  };
}

function destination(family: IPFamily, { address, port, weight }: RealServer): Attribute {
  return {
    type: COMMAND_ATTRIBUTE.destination,
    value: [
      { type: DESTINATION.address, value: wideAddress(address) },
      { type: DESTINATION.port, value: be16(port) },
      { type: DESTINATION.forwarding, value: u32(MASQUERADE) },
      { type: DESTINATION.weight, value: u32(weight) },
      { type: DESTINATION.upperThreshold, value: u32(0) },
      { type: DESTINATION.lowerThreshold, value: u32(0) },
      { type: DESTINATION.family, value: u16(ADDRESS_FAMILIES[family]) },
    ],
  };
}

function serviceIdentity(at: VirtualServerAddress): Attribute {
  return { type: COMMAND_ATTRIBUTE.service, value: identity(at) };
}

/** A message body, with its command. */
export interface IpvsMessage {
  readonly command: number;
  readonly attributes: Buffer;
}

/** Pure. */
export function encodeIpvsCommand(command: IpvsCommand): IpvsMessage {
  switch (command.do) {
    case 'add-virtual':
      return message(IPVS_COMMANDS.newService, [service(command.virtual)]);
    case 'set-virtual':
      return message(IPVS_COMMANDS.setService, [service(command.virtual)]);
    case 'delete-virtual':
      return message(IPVS_COMMANDS.deleteService, [serviceIdentity(command.at)]);
    case 'add-real':
    case 'set-real':
      return message(command.do === 'add-real' ? IPVS_COMMANDS.newDestination : IPVS_COMMANDS.setDestination, [
        serviceIdentity(command.at),
        destination(command.at.family, command.real),
      ]);
    case 'delete-real':
      return message(IPVS_COMMANDS.deleteDestination, [
        serviceIdentity(command.at),
        destination(command.at.family, { ...command, weight: 0 }),
      ]);
  }
}

function message(command: number, attributes: readonly Attribute[]): IpvsMessage {
  return { command, attributes: encodeAttributes(attributes) };
}

/** Requests one virtual server. */
export function encodeVirtualServerRequest(at: VirtualServerAddress): IpvsMessage {
  return message(IPVS_COMMANDS.getService, [serviceIdentity(at)]);
}

/** Requests the real servers of a virtual server. */
export function encodeRealServersRequest(at: VirtualServerAddress): IpvsMessage {
  return message(IPVS_COMMANDS.getDestination, [serviceIdentity(at)]);
}

/** @returns undefined for unsupported services, such as another transport protocol. */
export function decodeVirtualServer(attributes: Buffer): VirtualServer | undefined {
  const body = attributeMap(attributes).get(COMMAND_ATTRIBUTE.service);
  if (body === undefined) {
    return undefined;
  }
  const map = attributeMap(body);
  const family = familyOfNumber(asU16(map.get(SERVICE.family)));
  const mark = asU32(map.get(SERVICE.mark));
  const protocol = protocolOf(asU16(map.get(SERVICE.protocol)));
  const address = map.get(SERVICE.address);
  if (family === undefined || (mark === 0 && (protocol === undefined || address === undefined))) {
    return undefined;
  }
  const flags = asU32(map.get(SERVICE.flags));
  return {
    at:
      mark !== 0
        ? { kind: 'mark', family, mark }
        : {
            kind: 'address',
            family,
            protocol: protocol as Protocol,
            address: addressText(address as Buffer, family),
            port: asBe16(map.get(SERVICE.port)),
          },
    scheduler: asText(map.get(SERVICE.scheduler)),
    schedulerFlags: flags & SCHEDULER_FLAGS,
    persistence: (flags & PERSISTENT) === 0 ? undefined : asU32(map.get(SERVICE.timeout)),
  };
}

/** `family` is that of the virtual server, which kernels before 3.18 omit. */
export function decodeRealServer(attributes: Buffer, family: IPFamily): RealServerStatus | undefined {
  const body = attributeMap(attributes).get(COMMAND_ATTRIBUTE.destination);
  if (body === undefined) {
    return undefined;
  }
  const map = attributeMap(body);
  const address = map.get(DESTINATION.address);
  const own = familyOfNumber(asU16(map.get(DESTINATION.family))) ?? family;
  if (address === undefined) {
    return undefined;
  }
  return {
    address: addressText(address, own),
    port: asBe16(map.get(DESTINATION.port)),
    weight: asU32(map.get(DESTINATION.weight)),
    forwarding: asU32(map.get(DESTINATION.forwarding)) & FORWARDING_MASK,
    connectionLimit: asU32(map.get(DESTINATION.upperThreshold)),
    activeConnections: asU32(map.get(DESTINATION.active)),
    inactiveConnections: asU32(map.get(DESTINATION.inactive)),
    persistentConnections: asU32(map.get(DESTINATION.persistent)),
  };
}

/** Kernel counters of a real server; undefined when the kernel lists no 64-bit counters. */
export function decodeRealServerCounts(attributes: Buffer, family: IPFamily): RealServerCounts | undefined {
  const real = decodeRealServer(attributes, family);
  const body = attributeMap(attributes).get(COMMAND_ATTRIBUTE.destination);
  const statistics = body && attributeMap(body).get(DESTINATION.statistics);
  if (real === undefined || statistics === undefined) {
    return undefined;
  }
  const map = attributeMap(statistics);
  return {
    address: real.address,
    port: real.port,
    connections: asU64(map.get(STATISTICS.connections)),
    packetsToServer: asU64(map.get(STATISTICS.packetsIn)),
    packetsToClients: asU64(map.get(STATISTICS.packetsOut)),
    bytesToServer: asU64(map.get(STATISTICS.bytesIn)),
    bytesToClients: asU64(map.get(STATISTICS.bytesOut)),
  };
}

export function encodeTimeouts({ tcp, tcpFin, udp }: IpvsTimeouts): IpvsMessage {
  return message(IPVS_COMMANDS.setConfig, [
    { type: COMMAND_ATTRIBUTE.timeoutTcp, value: u32(tcp) },
    { type: COMMAND_ATTRIBUTE.timeoutTcpFin, value: u32(tcpFin) },
    { type: COMMAND_ATTRIBUTE.timeoutUdp, value: u32(udp) },
  ]);
}

export function decodeTimeouts(attributes: Buffer): IpvsTimeouts {
  const map = attributeMap(attributes);
  return {
    tcp: asU32(map.get(COMMAND_ATTRIBUTE.timeoutTcp)),
    tcpFin: asU32(map.get(COMMAND_ATTRIBUTE.timeoutTcpFin)),
    udp: asU32(map.get(COMMAND_ATTRIBUTE.timeoutUdp)),
  };
}

/** `1.2.1` */
export function decodeVersion(attributes: Buffer): string {
  const version = asU32(attributeMap(attributes).get(INFO_VERSION));
  return `${(version >> 16) & 0xff}.${(version >> 8) & 0xff}.${version & 0xff}`;
}
