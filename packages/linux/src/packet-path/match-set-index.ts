import type { IPFamily } from '@kube-proxier/core';
import type { MatchSet, MatchSetEntry, MatchSetNetwork } from '../ipset/match-sets.js';
import { type Chance, UNKNOWN } from './chance.js';
import { bitsOf, prefixMask } from './ip-bits.js';
import type { PathSet } from './path-set.js';
import type { Walker } from './walker.js';

/** What the type of a set compares, in its order. */
const DIMENSIONS: Readonly<Record<string, readonly ('address' | 'port' | 'second')[]>> = {
  'hash:ip': ['address'],
  'hash:net': ['address'],
  'bitmap:ip': ['address'],
  'bitmap:port': ['port'],
  'hash:ip,port': ['address', 'port'],
  'hash:net,port': ['address', 'port'],
  'hash:net,net': ['address', 'second'],
  'hash:ip,port,ip': ['address', 'port', 'second'],
  'hash:ip,port,net': ['address', 'port', 'second'],
  'hash:net,port,net': ['address', 'port', 'second'],
};
const LIST = 'list:set';
/** Types whose netmask applies to the address of a packet. */
const WITH_NETMASK: ReadonlySet<string> = new Set(['hash:ip', 'bitmap:ip']);
const NUMBERS: Readonly<Record<Walker['protocol'], number>> = { tcp: 6, udp: 17, sctp: 132 };

/**
 * Evaluates the match `--match-set` for a set of any program, as the kernel does. Its result is unknown for types that
 * are not supported. A list cannot contain lists.
 *
 * @param memberOf finds the members of lists; undefined for one that was not read.
 */
export function indexMatchSet(
  set: MatchSet,
  family: IPFamily,
  memberOf: (name: string) => PathSet | undefined,
): PathSet {
  const has = set.type === LIST ? membersHave(set, memberOf) : entriesHave(set, family);
  return { has, markOf: () => undefined };
}

function membersHave({ entries }: MatchSet, memberOf: (name: string) => PathSet | undefined): PathSet['has'] {
  return (walker, sides) => {
    let isKnown = true;
    for (const { member } of entries) {
      const found = member === undefined ? undefined : memberOf(member);
      const value = found === undefined ? UNKNOWN : found.has(walker, sides);
      if (value === 1) {
        return 1;
      }
      isKnown &&= value !== UNKNOWN;
    }
    return isKnown ? 0 : UNKNOWN;
  };
}

function entriesHave(set: MatchSet, family: IPFamily): PathSet['has'] {
  const { entries, isSpecial = false, netmask, type } = set;
  const dimensions = DIMENSIONS[type];
  if (dimensions === undefined || isSpecial || (netmask !== undefined && !WITH_NETMASK.has(type))) {
    return () => UNKNOWN;
  }
  if (set.family !== undefined && set.family !== family) {
    return () => 0;
  }
  const width = family === 'IPv6' ? 128 : 32;
  const found = new Map<string, MatchSetEntry>();
  const firstLengths = new Set<number>();
  const secondLengths = new Set<number>();
  const part = (network: MatchSetNetwork | undefined, lengths: Set<number>): string => {
    const length = network?.length ?? netmask ?? width;
    lengths.add(length);
    return network === undefined ? '' : partOf(bitsOf(network.address) ?? 0n, length, width);
  };
  for (const entry of entries) {
    const first = part(entry.address, firstLengths);
    const second = part(entry.second, secondLengths);
    found.set(`${first} ${portOf(entry.port, entry.protocol)} ${second}`, entry);
  }
  // The kernel tries longer prefixes first, and the first hit decides.
  const firsts = [...firstLengths].sort((a, b) => b - a);
  const seconds = [...secondLengths].sort((a, b) => b - a);
  return (walker, sides): Chance => {
    // As in the kernel: a rule with fewer sides than the set has never matches.
    if (sides.length < dimensions.length) {
      return 0;
    }
    const side = (dimension: 'address' | 'port' | 'second') => sides[dimensions.indexOf(dimension)];
    const bits = (of: string | undefined) => (of === 'src' ? walker.sourceBits : walker.destinationBits);
    let port = '';
    if (dimensions.includes('port')) {
      const number = side('port') === 'src' ? walker.packet.sourcePort : walker.port;
      if (type === 'bitmap:port' && walker.protocol === 'sctp') {
        return 0;
      }
      port = portOf(number, type === 'bitmap:port' ? undefined : NUMBERS[walker.protocol]);
    }
    for (const length of firsts) {
      const first = dimensions.includes('address') ? partOf(bits(side('address')), length, width) : '';
      for (const secondLength of seconds) {
        const second = dimensions.includes('second') ? partOf(bits(side('second')), secondLength, width) : '';
        const entry = found.get(`${first} ${port} ${second}`);
        if (entry !== undefined) {
          return entry.isException === true ? 0 : 1;
        }
      }
    }
    return 0;
  };
}

function partOf(bits: bigint, length: number, width: number): string {
  return `${(bits & prefixMask(width, length)).toString(16)}/${length}`;
}

function portOf(port: number | undefined, protocol: number | undefined): string {
  return port === undefined ? '' : `${protocol ?? ''}:${port}`;
}
