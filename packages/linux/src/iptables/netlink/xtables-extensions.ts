import type { IPFamily } from '@kube-proxier/core';
import { writeU16, writeU32 } from '../../netlink/attributes.js';
import { addressBytes } from '../../netlink/ip-bytes.js';
import {
  type ConntrackState,
  type IptablesMatch,
  type IptablesTarget,
  kernelProbability,
  PROBABILITY_STEPS,
} from '../iptables-rule-parts.js';

/**
 * A match or target extension of xtables, in the format of the kernel module `nft_compat`: the structure of
 * `linux/netfilter/xt_*.h`, in the size that a 64-bit kernel requires. All fields are zero until
 * {@link XtablesExtension.write}.
 */
export interface XtablesExtension<Options> {
  readonly name: string;
  readonly revision: number;
  /** Bytes of the structure: a multiple of eight (`XT_ALIGN`). */
  readonly size: number;
  /** Writes the fields into bytes that are zero. */
  readonly write: (into: Buffer, at: number, options: Options) => void;
}

type MatchOf<Name extends IptablesMatch['match']> = Extract<IptablesMatch, { match: Name }>;
type TargetOf<Name extends IptablesTarget['target']> = Extract<IptablesTarget, { target: Name }>;

/** A rule that this module cannot encode; the iptables program may support it. */
export class RuleNotEncodable extends Error {}

/** @throws RuleNotEncodable for text that is not a canonical address. */
export function addressOrFail(text: string): Buffer {
  if (!/^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]+)$/.test(text)) {
    throw new RuleNotEncodable(text);
  }
  return addressBytes(text);
}

const be16 = (into: Buffer, value: number, at: number) => void into.writeUInt16BE(value, at);

/** `struct xt_comment_info`: 256 characters. */
export const COMMENT: XtablesExtension<string> = {
  ...{ name: 'comment', revision: 0, size: 256 },
  write: (into, at, text) => void into.write(text, at, 255, 'latin1'),
};

/** `struct xt_sctp_info`: ports are in host byte order. */
export const SCTP_PORTS: XtablesExtension<{ readonly first: number; readonly last: number }> = {
  ...{ name: 'sctp', revision: 0, size: 296 },
  write: (into, at, { first, last }) => {
    writeU16(into, first, at);
    writeU16(into, last, at + 2);
    // `XT_SCTP_DEST_PORTS`.
    writeU32(into, 2, at + 284);
  },
};

/** `XT_CONNTRACK_STATE_BIT` and related constants. */
const STATES: Readonly<Record<ConntrackState, number>> = {
  ...{ INVALID: 1 << 0, ESTABLISHED: 1 << 1, RELATED: 1 << 2, NEW: 1 << 3 },
  ...{ SNAT: 1 << 6, DNAT: 1 << 7, UNTRACKED: 1 << 8 },
};
const CONNTRACK = { state: 1 << 0, originalDestination: 1 << 3 } as const;

/** `struct xt_conntrack_mtinfo3`. */
export const CONNECTION: XtablesExtension<MatchOf<'conntrack'>> = {
  ...{ name: 'conntrack', revision: 3, size: 168 },
  write: (into, at, { states, originalDestination, not }) => {
    if (originalDestination !== undefined) {
      const address = addressOrFail(originalDestination);
      into.set(address, at + 32);
      into.fill(0xff, at + 48, at + 64);
    }
    writeU16(into, CONNTRACK.state | (originalDestination === undefined ? 0 : CONNTRACK.originalDestination), at + 146);
    writeU16(into, not ? CONNTRACK.state : 0, at + 148);
    writeU16(
      into,
      states.reduce((bits, state) => bits | STATES[state], 0),
      at + 150,
    );
  },
};

/** `RTN_LOCAL` as a bit. */
const LOCAL = 1 << 2;

/** `struct xt_addrtype_info_v1`. */
export const ADDRESS_TYPE: XtablesExtension<MatchOf<'addrtype'>> = {
  ...{ name: 'addrtype', revision: 1, size: 8 },
  write: (into, at, { side, not }) => {
    writeU16(into, LOCAL, at + (side === 'src' ? 0 : 2));
    // `XT_ADDRTYPE_INVERT_SOURCE`, `XT_ADDRTYPE_INVERT_DEST`.
    writeU32(into, not ? (side === 'src' ? 1 : 2) : 0, at + 4);
  },
};

/** `struct xt_statistic_info`, mode random. */
export const RANDOM: XtablesExtension<MatchOf<'statistic'>> = {
  ...{ name: 'statistic', revision: 0, size: 24 },
  write: (into, at, { probability }) => writeU32(into, kernelProbability(probability) * PROBABILITY_STEPS, at + 4),
};

const RECENT = { check: 1 << 0, set: 1 << 1, reap: 1 << 5 } as const;
const RECENT_NAME = 200;

/** `struct xt_recent_mtinfo_v1`. */
export const RECENT_SOURCES: XtablesExtension<MatchOf<'recent'>> = {
  ...{ name: 'recent', revision: 1, size: 232 },
  write: (into, at, match) => {
    if (match.operation === 'rcheck') {
      writeU32(into, match.seconds, at);
      into[at + 8] = RECENT.check | RECENT.reap;
    } else {
      into[at + 8] = RECENT.set;
    }
    into.write(match.list, at + 10, RECENT_NAME - 1, 'latin1');
    into.set(addressOrFail(match.mask), at + 12 + RECENT_NAME);
  },
};

/** `struct xt_nfacct_match_info`. */
export const COUNTER: XtablesExtension<MatchOf<'nfacct'>> = {
  ...{ name: 'nfacct', revision: 0, size: 40 },
  write: (into, at, { counter }) => void into.write(counter, at, 31, 'latin1'),
};

/** `struct xt_mark_tginfo2`. */
export const MARK: XtablesExtension<TargetOf<'MARK'>> = {
  ...{ name: 'MARK', revision: 2, size: 8 },
  write: (into, at, { value, mask }) => {
    writeU32(into, value >>> 0, at);
    writeU32(into, mask >>> 0, at + 4);
  },
};

/** `struct ipt_reject_info` and `struct ip6t_reject_info`. */
export function rejectOf(family: IPFamily): XtablesExtension<TargetOf<'REJECT'>> {
  const numbers =
    family === 'IPv4'
      ? { 'icmp-port-unreachable': 3, 'tcp-reset': 7, 'icmp6-port-unreachable': undefined }
      : { 'icmp6-port-unreachable': 4, 'tcp-reset': 6, 'icmp-port-unreachable': undefined };
  return {
    ...{ name: 'REJECT', revision: 0, size: 8 },
    write: (into, at, { with: answer }) => {
      const number = numbers[answer];
      if (number === undefined) {
        throw new RuleNotEncodable(`${answer} is not for ${family}`);
      }
      writeU32(into, number, at);
    },
  };
}

/** `NF_NAT_RANGE_…` of `linux/netfilter/nf_nat.h`. */
const NAT_RANGE = { addresses: 1 << 0, ports: 1 << 1, randomFully: 1 << 4, offset: 1 << 5 } as const;

/** `struct nf_nat_ipv4_multi_range_compat` with one range, and `struct nf_nat_range`. */
const RANGE = {
  IPv4: { size: 24, flags: 4, ports: 16, hasCount: true },
  IPv6: { size: 40, flags: 0, ports: 36, hasCount: false },
} as const;

function writeRange(into: Buffer, at: number, family: IPFamily, flags: number, port = 0): void {
  const range = RANGE[family];
  if (range.hasCount) {
    writeU32(into, 1, at);
  }
  writeU32(into, flags, at + range.flags);
  be16(into, port, at + range.ports);
  be16(into, port, at + range.ports + 2);
}

export function masqueradeOf(family: IPFamily): XtablesExtension<TargetOf<'MASQUERADE'>> {
  return {
    ...{ name: 'MASQUERADE', revision: 0, size: RANGE[family].size },
    write: (into, at, { randomFully }) => writeRange(into, at, family, randomFully ? NAT_RANGE.randomFully : 0),
  };
}

export function redirectOf(family: IPFamily): XtablesExtension<TargetOf<'REDIRECT'>> {
  return {
    ...{ name: 'REDIRECT', revision: 0, size: RANGE[family].size },
    write: (into, at, { toPort }) => writeRange(into, at, family, NAT_RANGE.ports, toPort),
  };
}

interface Destination {
  readonly address: string;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly base: number | undefined;
}

/** Reads `10.0.0.1`, `10.0.0.1:80` or `[fd00::1]:80-280/10000`. */
function readDestination(to: string, family: IPFamily): Destination {
  const end = family === 'IPv4' ? to.indexOf(':') : to.indexOf(']:') + 1;
  const address = family === 'IPv4' ? to.slice(0, end < 0 ? undefined : end) : end > 0 ? to.slice(1, end - 1) : to;
  if (end <= 0) {
    return { address, first: undefined, last: undefined, base: undefined };
  }
  const [range = '', base] = to.slice(end + 1).split('/');
  const [first, last] = range.split('-');
  return {
    address,
    first: Number(first),
    last: last === undefined ? undefined : Number(last),
    base: base === undefined ? undefined : Number(base),
  };
}

/** `struct nf_nat_range2`. */
export function destinationNatOf(family: IPFamily): XtablesExtension<TargetOf<'DNAT'>> {
  return {
    ...{ name: 'DNAT', revision: 2, size: 48 },
    write: (into, at, { to }) => {
      const { address, first, last, base } = readDestination(to, family);
      const bytes = addressOrFail(address);
      into.set(bytes, at + 4);
      into.set(bytes, at + 20);
      writeU32(
        into,
        NAT_RANGE.addresses | (first === undefined ? 0 : NAT_RANGE.ports) | (base === undefined ? 0 : NAT_RANGE.offset),
        at,
      );
      be16(into, first ?? 0, at + 36);
      be16(into, last ?? first ?? 0, at + 38);
      be16(into, base ?? 0, at + 40);
    },
  };
}
