import type { IPFamily } from '@kube-proxier/core';
import { readU16, readU32 } from '../../netlink/attributes.js';
import { addressText } from '../../netlink/ip-bytes.js';

/** A match or target of xtables in a rule, as `nft_compat` lists it. */
export interface ListedExtension {
  readonly name: string;
  readonly revision: number;
  /** The structure of `linux/netfilter/xt_*.h`. */
  readonly info: Buffer;
}

/** Thrown within the decoders for a structure that is not supported. */
export class ExtensionNotDecoded extends Error {}

/** Appends words to a rule. */
type Decode = (info: Structure, words: string[], family: IPFamily) => void;

/** The fields of a structure, in host byte order where not noted. */
class Structure {
  constructor(readonly bytes: Buffer) {}

  u8(at: number): number {
    return this.bytes[at] ?? this.#short();
  }

  u16(at: number): number {
    return at + 2 <= this.bytes.length ? readU16(this.bytes, at) : this.#short();
  }

  be16(at: number): number {
    return at + 2 <= this.bytes.length ? this.bytes.readUInt16BE(at) : this.#short();
  }

  u32(at: number): number {
    return at + 4 <= this.bytes.length ? readU32(this.bytes, at) : this.#short();
  }

  text(at: number, length: number): string {
    const end = this.bytes.indexOf(0, at);
    return this.bytes.toString('utf8', at, end < 0 || end > at + length ? at + length : end);
  }

  /** The address in a field of 16 bytes. */
  address(at: number, family: IPFamily): string {
    return addressText(this.bytes.subarray(at, at + (family === 'IPv4' ? 4 : 16)), family);
  }

  /** Requires bits that are supported. */
  only(value: number, supported: number): number {
    if ((value & ~supported) !== 0) {
      throw new ExtensionNotDecoded();
    }
    return value;
  }

  #short(): never {
    throw new ExtensionNotDecoded();
  }
}

const hex = (value: number) => `0x${(value >>> 0).toString(16)}`;
/** `value/mask`; the mask is omitted where it has all bits. */
export const markText = (value: number, mask: number) =>
  mask >>> 0 === 0xffff_ffff ? hex(value) : `${hex(value)}/${hex(mask)}`;
const spread = (first: number, last: number, separator = ':') =>
  first === last ? `${first}` : `${first}${separator}${last}`;

function option(words: string[], isNot: boolean, ...text: readonly string[]): void {
  words.push(...(isNot ? ['!'] : []), ...text);
}

/** Names of the bits of a value, in this order. */
function bitNames(value: number, names: Readonly<Record<number, string>>, info: Structure): string {
  const all = Object.keys(names).map(Number);
  info.only(
    value,
    all.reduce((sum, bit) => sum | bit, 0),
  );
  return all
    .filter((bit) => (value & bit) !== 0)
    .map((bit) => names[bit])
    .join(',');
}

const TCP_FLAGS: Readonly<Record<number, string>> = { 1: 'FIN', 2: 'SYN', 4: 'RST', 8: 'PSH', 16: 'ACK', 32: 'URG' };

/** The flags of TCP as iptables-save prints them; undefined where it has no names for them. */
export function tcpFlagsText(bits: number): string | undefined {
  const names = Object.keys(TCP_FLAGS).map(Number);
  if ((bits & ~0x3f) !== 0) {
    return undefined;
  }
  return bits === 0
    ? 'NONE'
    : names
        .filter((bit) => (bits & bit) !== 0)
        .map((bit) => TCP_FLAGS[bit])
        .join(',');
}

/** Conditions of the match `tcp` or `udp`. */
export interface TransportConditions {
  readonly source?: PortRange;
  readonly destination?: PortRange;
  readonly flags?: { readonly mask: number; readonly value: number; readonly isNot: boolean };
}

export interface PortRange {
  readonly first: number;
  readonly last: number;
  readonly isNot: boolean;
}

/** Appends the options of the match `tcp` or `udp`. @returns whether they can be printed. */
export function appendTransport(words: string[], { source, destination, flags }: TransportConditions): boolean {
  if (source !== undefined) {
    option(words, source.isNot, '--sport', spread(source.first, source.last));
  }
  if (destination !== undefined) {
    option(words, destination.isNot, '--dport', spread(destination.first, destination.last));
  }
  if (flags !== undefined) {
    const [mask, value] = [tcpFlagsText(flags.mask), tcpFlagsText(flags.value)];
    if (mask === undefined || value === undefined) {
      return false;
    }
    option(words, flags.isNot, '--tcp-flags', mask, value);
  }
  return true;
}

/** Ports at two positions; undefined where they match every port. */
function ports(info: Structure, at: number, isNot: boolean): PortRange | undefined {
  const [first, last] = [info.u16(at), info.u16(at + 2)];
  return first === 0 && last === 0xffff && !isNot ? undefined : { first, last, isNot };
}

function transport(source: PortRange | undefined, destination: PortRange | undefined): TransportConditions {
  return { ...(source === undefined ? {} : { source }), ...(destination === undefined ? {} : { destination }) };
}

/** `struct xt_tcp`. */
const tcp: Decode = (info, words) => {
  const inverted = info.only(info.u8(11), 0x7);
  const [mask, value] = [info.u8(9), info.u8(10)];
  const isNot = (inverted & 4) !== 0;
  if (info.u8(8) !== 0) {
    throw new ExtensionNotDecoded();
  }
  const conditions = transport(ports(info, 0, (inverted & 1) !== 0), ports(info, 4, (inverted & 2) !== 0));
  if (!appendTransport(words, { ...conditions, ...(mask === 0 && !isNot ? {} : { flags: { mask, value, isNot } }) })) {
    throw new ExtensionNotDecoded();
  }
};

/** `struct xt_udp`. */
const udp: Decode = (info, words) => {
  const inverted = info.only(info.u8(8), 0x3);
  appendTransport(words, transport(ports(info, 0, (inverted & 1) !== 0), ports(info, 4, (inverted & 2) !== 0)));
};

/** `struct xt_sctp_info`. */
const sctp: Decode = (info, words) => {
  const flags = info.only(info.u32(284), 0x3);
  const inverted = info.only(info.u32(288), 0x3);
  const range = (bit: number, at: number): PortRange | undefined =>
    (flags & bit) === 0 ? undefined : { first: info.u16(at), last: info.u16(at + 2), isNot: (inverted & bit) !== 0 };
  appendTransport(words, transport(range(1, 4), range(2, 0)));
};

const MULTIPORT_SIDES = ['--sports', '--dports', '--ports'] as const;

/** `struct xt_multiport_v1`. */
const multiport: Decode = (info, words) => {
  const side = MULTIPORT_SIDES[info.u8(0)];
  const texts: string[] = [];
  for (let index = 0; index < info.u8(1); index++) {
    const first = info.u16(2 + 2 * index);
    texts.push(info.u8(32 + index) === 0 ? `${first}` : `${first}:${info.u16(2 + 2 * ++index)}`);
  }
  if (side === undefined || texts.length === 0) {
    throw new ExtensionNotDecoded();
  }
  option(words, info.u8(47) !== 0, side, texts.join(','));
};

/** `XT_CONNTRACK_STATE_BIT` and related constants, in the order of iptables-save. */
const STATES: Readonly<Record<number, string>> = {
  ...{ 1: 'INVALID', 8: 'NEW', 4: 'RELATED', 2: 'ESTABLISHED', 256: 'UNTRACKED', 64: 'SNAT', 128: 'DNAT' },
};
const STATE_ORDER = [1, 8, 4, 2, 256, 64, 128] as const;
const STATUSES: Readonly<Record<number, string>> = { 1: 'EXPECTED', 2: 'SEEN_REPLY', 4: 'ASSURED', 8: 'CONFIRMED' };
const CT = {
  ...{ state: 1, protocol: 2, originalSource: 4, originalDestination: 8, replySource: 16, replyDestination: 32 },
  ...{ status: 64, originalSourcePort: 256, originalDestinationPort: 512, replySourcePort: 1024 },
  ...{ replyDestinationPort: 2048, direction: 4096, stateAlias: 8192 },
} as const;
const CT_KNOWN = Object.values(CT).reduce((sum, bit) => sum | bit, 0);

function stateNames(info: Structure, bits: number): string {
  if (bits === 0 || (bits & ~STATE_ORDER.reduce((sum, bit) => sum | bit, 0)) !== 0) {
    throw new ExtensionNotDecoded();
  }
  return STATE_ORDER.filter((bit) => (info.u16(150) & bit) !== 0)
    .map((bit) => STATES[bit])
    .join(',');
}

/** `struct xt_conntrack_mtinfo3`. */
const conntrack: Decode = (info, words, family) => {
  const flags = info.only(info.u16(146), CT_KNOWN);
  const inverted = info.u16(148);
  const has = (bit: number) => (flags & bit) !== 0;
  const add = (bit: number, ...text: readonly string[]) => {
    if (has(bit)) {
      option(words, (inverted & bit) !== 0, ...text);
    }
  };
  const network = (at: number) => {
    const length = family === 'IPv4' ? 4 : 16;
    const mask = info.bytes.subarray(at + 16, at + 16 + length);
    const text = info.address(at, family);
    const prefix = prefixOf(mask);
    if (prefix === undefined) {
      throw new ExtensionNotDecoded();
    }
    return prefix === length * 8 ? text : `${text}/${prefix}`;
  };
  if (has(CT.stateAlias)) {
    info.only(flags, CT.stateAlias | CT.state);
    add(CT.state, '--state', stateNames(info, info.u16(150)));
    return;
  }
  if (has(CT.state)) {
    add(CT.state, '--ctstate', stateNames(info, info.u16(150)));
  }
  add(CT.protocol, '--ctproto', `${info.u16(136)}`);
  for (const [bit, name, at] of [
    [CT.originalSource, '--ctorigsrc', 0],
    [CT.originalDestination, '--ctorigdst', 32],
    [CT.replySource, '--ctreplsrc', 64],
    [CT.replyDestination, '--ctrepldst', 96],
  ] as const) {
    if (has(bit)) {
      add(bit, name, network(at));
    }
  }
  for (const [bit, name, first, last] of [
    [CT.originalSourcePort, '--ctorigsrcport', 138, 154],
    [CT.originalDestinationPort, '--ctorigdstport', 140, 156],
    [CT.replySourcePort, '--ctreplsrcport', 142, 158],
    [CT.replyDestinationPort, '--ctrepldstport', 144, 160],
  ] as const) {
    add(bit, name, spread(info.u16(first), info.u16(last)));
  }
  if (has(CT.status)) {
    const bits = info.u16(152);
    add(CT.status, '--ctstatus', bits === 0 ? 'NONE' : bitNames(bits, STATUSES, info));
  }
  // Inverted means the direction of replies.
  if (has(CT.direction)) {
    words.push('--ctdir', (inverted & CT.direction) === 0 ? 'ORIGINAL' : 'REPLY');
  }
};

const ADDRESS_TYPES: Readonly<Record<number, string>> = {
  ...{ 1: 'UNSPEC', 2: 'UNICAST', 4: 'LOCAL', 8: 'BROADCAST', 16: 'ANYCAST', 32: 'MULTICAST', 64: 'BLACKHOLE' },
  ...{ 128: 'UNREACHABLE', 256: 'PROHIBIT' },
};

/** `struct xt_addrtype_info_v1`. */
const addrtype: Decode = (info, words) => {
  const [source, destination] = [info.u16(0), info.u16(2)];
  const flags = info.only(info.u32(4), 0xf);
  if (source !== 0) {
    option(words, (flags & 1) !== 0, '--src-type', bitNames(source, ADDRESS_TYPES, info));
  }
  if (destination !== 0) {
    option(words, (flags & 2) !== 0, '--dst-type', bitNames(destination, ADDRESS_TYPES, info));
  }
  words.push(...((flags & 4) === 0 ? [] : ['--limit-iface-in']), ...((flags & 8) === 0 ? [] : ['--limit-iface-out']));
};

/** `struct xt_statistic_info`. */
const statistic: Decode = (info, words) => {
  const isNot = info.only(info.u16(2), 1) !== 0;
  switch (info.u16(0)) {
    case 0:
      words.push('--mode', 'random');
      option(words, isNot, '--probability', (info.u32(4) / 2 ** 31).toFixed(11));
      return;
    case 1:
      words.push('--mode', 'nth');
      option(words, isNot, '--every', `${info.u32(4) + 1}`);
      words.push('--packet', `${info.u32(8)}`);
      return;
    default:
      throw new ExtensionNotDecoded();
  }
};

const RECENT = { check: 1, set: 2, update: 4, remove: 8, ttl: 16, reap: 32 } as const;
const RECENT_NAME = 200;

/** `struct xt_recent_mtinfo_v1`. */
const recent: Decode = (info, words, family) => {
  const operation = info.only(info.u8(8), 0x3f);
  const isNot = info.u8(9) !== 0;
  const [seconds, hits] = [info.u32(0), info.u32(4)];
  for (const [bit, name] of [
    [RECENT.set, '--set'],
    [RECENT.check, '--rcheck'],
    [RECENT.update, '--update'],
    [RECENT.remove, '--remove'],
  ] as const) {
    if ((operation & bit) !== 0) {
      option(words, isNot, name);
    }
  }
  words.push(...(seconds === 0 ? [] : ['--seconds', `${seconds}`]));
  words.push(...((operation & RECENT.reap) === 0 ? [] : ['--reap']));
  words.push(...(hits === 0 ? [] : ['--hitcount', `${hits}`]));
  words.push(...((operation & RECENT.ttl) === 0 ? [] : ['--rttl']));
  const name = info.text(10, RECENT_NAME);
  if (name === '') {
    throw new ExtensionNotDecoded();
  }
  words.push('--name', name, '--mask', info.address(12 + RECENT_NAME, family));
  words.push(info.u8(10 + RECENT_NAME) === 0 ? '--rsource' : '--rdest');
};

/** `struct xt_mark_mtinfo1`, `struct xt_connmark_mtinfo1`. */
const mark: Decode = (info, words) => {
  option(words, info.u8(8) !== 0, '--mark', markText(info.u32(0), info.u32(4)));
};

/** `struct xt_comment_info`. */
const comment: Decode = (info, words) => {
  words.push('--comment', quoted(info.text(0, 256)));
};

/** `struct xt_nfacct_match_info` and `xt_nfacct_match_info_v1`, which iptables 1.8.9 writes. */
const nfacct: Decode = (info, words) => {
  words.push('--nfacct-name', '', info.text(0, 32));
};

const PHYSDEV = { in: 1, out: 2, bridged: 4, isIn: 8, isOut: 16 } as const;

/** `struct xt_physdev_info`. */
const physdev: Decode = (info, words) => {
  const inverted = info.u8(64);
  const mask = info.only(info.u8(65), 0x1f);
  const add = (bit: number, ...text: readonly string[]) => {
    if ((mask & bit) !== 0) {
      option(words, (inverted & bit) !== 0, ...text);
    }
  };
  // The mask of a name has 0xff for each byte compared, and one for the terminating zero unless a `+` follows.
  const name = (at: number) => {
    const length = info.bytes.subarray(at + 16, at + 32).filter((byte) => byte === 0xff).length;
    const text = info.text(at, 16);
    return length > text.length || text.endsWith('+') ? text : `${text.slice(0, length)}+`;
  };
  add(PHYSDEV.isIn, '--physdev-is-in');
  add(PHYSDEV.in, '--physdev-in', name(0));
  add(PHYSDEV.isOut, '--physdev-is-out');
  add(PHYSDEV.out, '--physdev-out', name(32));
  add(PHYSDEV.bridged, '--physdev-is-bridged');
};

/** `struct xt_iprange_mtinfo`. */
const iprange: Decode = (info, words, family) => {
  const flags = info.only(info.u8(64), 0x33);
  const range = (at: number) => `${info.address(at, family)}-${info.address(at + 16, family)}`;
  if ((flags & 1) !== 0) {
    option(words, (flags & 16) !== 0, '--src-range', range(0));
  }
  if ((flags & 2) !== 0) {
    option(words, (flags & 32) !== 0, '--dst-range', range(32));
  }
};

/** `struct xt_rpfilter_info`. */
const rpfilter: Decode = (info, words) => {
  const flags = info.only(info.u8(0), 0xf);
  for (const [bit, name] of [
    [1, '--loose'],
    [2, '--validmark'],
    [4, '--accept-local'],
    [8, '--invert'],
  ] as const) {
    words.push(...((flags & bit) === 0 ? [] : [name]));
  }
};

const MATCHES: ReadonlyMap<string, Decode> = new Map([
  ...[['tcp 0', tcp] as const, ['udp 0', udp] as const, ['sctp 0', sctp] as const],
  ...[['multiport 1', multiport] as const, ['conntrack 3', conntrack] as const, ['addrtype 1', addrtype] as const],
  ...[['statistic 0', statistic] as const, ['recent 1', recent] as const, ['mark 1', mark] as const],
  ...[['connmark 1', mark] as const, ['comment 0', comment] as const, ['nfacct 0', nfacct] as const],
  ['nfacct 1', nfacct],
  ...[['physdev 0', physdev] as const, ['iprange 1', iprange] as const, ['rpfilter 0', rpfilter] as const],
]);

/** `struct xt_mark_tginfo2`. */
const markTarget: Decode = (info, words) => {
  words.push('--set-xmark', `${hex(info.u32(0))}/${hex(info.u32(4))}`);
};

/** `struct xt_connmark_tginfo1`, and that of revision 2, which has shifts. */
const connmarkTarget =
  (revision: 1 | 2): Decode =>
  (info, words) => {
    const [first, second, third] = [info.u32(0), info.u32(4), info.u32(8)];
    const mode = info.u8(revision === 1 ? 12 : 14);
    if (revision === 2 && (info.u8(12) !== 0 || info.u8(13) !== 0)) {
      throw new ExtensionNotDecoded();
    }
    switch (mode) {
      case 0:
        words.push('--set-xmark', `${hex(first)}/${hex(second)}`);
        return;
      case 1:
        words.push('--save-mark', '--nfmask', hex(third), '--ctmask', hex(second));
        return;
      case 2:
        words.push('--restore-mark', '--nfmask', hex(third), '--ctmask', hex(second));
        return;
      default:
        throw new ExtensionNotDecoded();
    }
  };

const REJECTS: Readonly<Record<IPFamily, Readonly<Record<number, string>>>> = {
  IPv4: {
    ...{ 0: 'icmp-net-unreachable', 1: 'icmp-host-unreachable', 2: 'icmp-proto-unreachable' },
    ...{ 3: 'icmp-port-unreachable', 5: 'icmp-net-prohibited', 6: 'icmp-host-prohibited', 7: 'tcp-reset' },
    8: 'icmp-admin-prohibited',
  },
  IPv6: {
    ...{ 0: 'icmp6-no-route', 1: 'icmp6-adm-prohibited', 3: 'icmp6-addr-unreachable', 4: 'icmp6-port-unreachable' },
    6: 'tcp-reset',
  },
};

/** `struct ipt_reject_info` and `struct ip6t_reject_info`. */
const reject: Decode = (info, words, family) => {
  const name = REJECTS[family][info.u32(0)];
  if (name === undefined) {
    throw new ExtensionNotDecoded();
  }
  words.push('--reject-with', name);
};

/** `NF_NAT_RANGE_…` of `linux/netfilter/nf_nat.h`. */
const NAT = { addresses: 1, ports: 2, random: 4, persistent: 8, randomFully: 16, offset: 32 } as const;

interface NatRange {
  readonly flags: number;
  readonly first: string;
  readonly last: string;
  readonly ports: readonly [first: number, last: number];
  readonly base: number | undefined;
}

/**
 * `struct nf_nat_ipv4_multi_range_compat` with one range, `struct nf_nat_range`, or `struct nf_nat_range2`, which has a
 * base port.
 */
function natRange(info: Structure, family: IPFamily, kind: 'v4' | 'range' | 'range2'): NatRange {
  if (kind === 'v4') {
    if (family !== 'IPv4' || info.u32(0) !== 1) {
      throw new ExtensionNotDecoded();
    }
    return {
      flags: info.u32(4),
      first: info.address(8, family),
      last: info.address(12, family),
      ports: [info.be16(16), info.be16(18)],
      base: undefined,
    };
  }
  return {
    flags: info.u32(0),
    first: info.address(4, family),
    last: info.address(20, family),
    ports: [info.be16(36), info.be16(38)],
    base: kind === 'range2' ? info.be16(40) : undefined,
  };
}

function natTo({ flags, first, last, ports: [from, to], base }: NatRange, family: IPFamily): string {
  const hasPorts = (flags & NAT.ports) !== 0;
  let text = '';
  if ((flags & NAT.addresses) !== 0) {
    const addresses = first === last ? first : `${first}-${last}`;
    text = hasPorts && family === 'IPv6' ? `[${addresses}]` : addresses;
  }
  if (hasPorts) {
    const shifted = (flags & NAT.offset) === 0 ? '' : `/${base ?? 0}`;
    text += `:${spread(from, to, '-')}${shifted}`;
  }
  return text;
}

function natFlags(words: string[], flags: number): void {
  words.push(
    ...((flags & NAT.random) === 0 ? [] : ['--random']),
    ...((flags & NAT.randomFully) === 0 ? [] : ['--random-fully']),
    ...((flags & NAT.persistent) === 0 ? [] : ['--persistent']),
  );
}

const translate =
  (name: string, kind: (family: IPFamily) => 'v4' | 'range' | 'range2'): Decode =>
  (info, words, family) => {
    const range = natRange(info, family, kind(family));
    info.only(range.flags, kind(family) === 'range2' ? 0x3f : 0x1f);
    const to = natTo(range, family);
    words.push(...(to === '' ? [] : [name, to]));
    natFlags(words, range.flags);
  };

const plainRange = (family: IPFamily) => (family === 'IPv4' ? 'v4' : 'range');

/** `MASQUERADE` and `REDIRECT`: a range of ports of the host. */
const ownPorts: Decode = (info, words, family) => {
  const { flags, ports: range } = natRange(info, family, plainRange(family));
  info.only(flags, NAT.ports | NAT.random | NAT.randomFully);
  words.push(...((flags & NAT.ports) === 0 ? [] : ['--to-ports', spread(...range, '-')]));
  natFlags(words, flags);
};

/** `struct xt_ct_target_info_v1`, without helpers, timeouts and zones. */
const ct: Decode = (info, words) => {
  const flags = info.only(info.u16(0), 0x1);
  if (info.bytes.subarray(2).some((byte) => byte !== 0)) {
    throw new ExtensionNotDecoded();
  }
  words.push(...(flags === 0 ? [] : ['--notrack']));
};

const TARGETS: ReadonlyMap<string, Decode> = new Map([
  ...[['MARK 2', markTarget] as const, ['CONNMARK 1', connmarkTarget(1)] as const],
  ...[['CONNMARK 2', connmarkTarget(2)] as const, ['REJECT 0', reject] as const],
  ...[['MASQUERADE 0', ownPorts] as const, ['REDIRECT 0', ownPorts] as const, ['CT 2', ct] as const],
  ['SNAT 0', translate('--to-source', plainRange)] as const,
  ['SNAT 1', translate('--to-source', () => 'range')] as const,
  ['DNAT 0', translate('--to-destination', plainRange)] as const,
  ['DNAT 1', translate('--to-destination', () => 'range')] as const,
  ['DNAT 2', translate('--to-destination', () => 'range2')] as const,
]);

/** `XT_CT_NOTRACK | XT_CT_NOTRACK_ALIAS`. */
const NOTRACK_ALIAS = 3;
/** `XT_CONNTRACK_STATE_ALIAS`. */
const STATE_ALIAS = CT.stateAlias;

/**
 * The words of an extension as iptables-save prints them, with its name; undefined when the structure is not supported.
 */
export function decodeExtension(
  kind: 'match' | 'target',
  { name, revision, info }: ListedExtension,
  family: IPFamily,
): readonly string[] | undefined {
  const structure = new Structure(info);
  if (kind === 'target' && name === 'CT' && info.length >= 2 && structure.u16(0) === NOTRACK_ALIAS) {
    return info.subarray(2).some((byte) => byte !== 0) ? undefined : ['-j', 'NOTRACK'];
  }
  const decode = (kind === 'match' ? MATCHES : TARGETS).get(`${name} ${revision}`);
  if (decode === undefined) {
    return undefined;
  }
  const isState =
    decode === conntrack && info.length >= 148 && (structure.u16(146) & STATE_ALIAS) !== 0 ? 'state' : name;
  const words = [kind === 'match' ? '-m' : '-j', isState];
  try {
    decode(structure, words, family);
  } catch (error) {
    if (error instanceof ExtensionNotDecoded) {
      return undefined;
    }
    throw error;
  }
  return words;
}

/** The length of the prefix that a mask has; undefined when it is not contiguous. */
export function prefixOf(mask: Uint8Array): number | undefined {
  let length = 0;
  let isOver = false;
  for (const byte of mask) {
    for (let bit = 7; bit >= 0; bit--) {
      const isSet = ((byte >> bit) & 1) === 1;
      if (isSet && isOver) {
        return undefined;
      }
      isOver ||= !isSet;
      length += Number(isSet);
    }
  }
  return length;
}

/** A word, quoted as iptables-save does. */
function quoted(text: string): string {
  return /^[\w-]+$/.test(text) ? text : `"${text.replace(/["\\']/g, '\\$&')}"`;
}
