import type { IPFamily } from '@kube-proxier/core';
import {
  type AttributeMap,
  asBe16,
  asBe32,
  asText,
  asU8,
  attributeMap,
  readAttributes,
} from '../netlink/attributes.js';
import { addressText, familyOfNumber } from '../netlink/ip-bytes.js';
import { NETLINK_FLAGS, type Netlink } from '../netlink/netlink.js';
import { NetlinkRefused } from '../netlink/netlink-error.js';
import { encodeSetName, IP_SET_COMMANDS, ipSetMessageType } from './ip-set-messages.js';

/** An IP set of any program, which rules match against. */
export interface MatchSet {
  readonly name: string;
  /** `hash:ip,port`, `list:set`. */
  readonly type: string;
  /** Undefined: of no family, as `bitmap:port` and `list:set`. */
  readonly family: IPFamily | undefined;
  /** Length of the prefix that addresses are compared with. Default: the whole address. */
  readonly netmask?: number;
  /** Entries are compared in a way that is not read here. Default false. */
  readonly isSpecial?: boolean;
  readonly entries: readonly MatchSetEntry[];
}

/** An entry of a {@link MatchSet}; its type determines which fields it has. */
export interface MatchSetEntry {
  readonly address?: MatchSetNetwork;
  readonly port?: number;
  /** Number of the protocol of the port. */
  readonly protocol?: number;
  readonly second?: MatchSetNetwork;
  /** A more specific exception (`nomatch`). Default false. */
  readonly isException?: boolean;
  /** The name of a set, for `list:set`. */
  readonly member?: string;
}

export interface MatchSetNetwork {
  /** Canonical. */
  readonly address: string;
  /** Undefined: the whole address. */
  readonly length: number | undefined;
}

const ENOENT = 2;
const COMMAND = { name: 2, type: 3, family: 5, data: 7, entries: 8 } as const;
const CREATION = { flags: 8, markMask: 11, bitmask: 12, netmask: 20 } as const;
const ENTRY = { address: 1, cidr: 3, port: 4, protocol: 7, flags: 8, name: 18, second: 20, secondCidr: 21 } as const;
const NO_MATCH = 1 << 2;
const HEADER = 4;
const ADDRESS_IPV4 = 1;

/**
 * Reads sets by name, and the members of lists of sets. Sets that do not exist are missing in the result.
 *
 * @param netlink to protocol `netfilter`.
 * @throws NetlinkError
 */
export async function readMatchSets(
  netlink: Pick<Netlink, 'request'>,
  names: Iterable<string>,
): Promise<ReadonlyMap<string, MatchSet>> {
  const sets = new Map<string, MatchSet>();
  const wanted = [...new Set(names)];
  for (const name of wanted) {
    const set = await readMatchSet(netlink, name);
    if (set !== undefined) {
      sets.set(name, set);
      for (const { member } of set.entries) {
        if (member !== undefined && !wanted.includes(member)) {
          wanted.push(member);
        }
      }
    }
  }
  return sets;
}

async function readMatchSet(netlink: Pick<Netlink, 'request'>, name: string): Promise<MatchSet | undefined> {
  const type = ipSetMessageType(IP_SET_COMMANDS.list);
  try {
    const answers = await netlink.request({ type, flags: NETLINK_FLAGS.dump, payload: encodeSetName(name) });
    const maps = answers.map(({ payload }) => attributeMap(payload.subarray(HEADER)));
    const head = maps.find((map) => map.has(COMMAND.type));
    const data = head?.get(COMMAND.data);
    if (head === undefined || data === undefined) {
      return undefined;
    }
    const creation = attributeMap(data);
    const netmask = creation.get(CREATION.netmask);
    return {
      ...{ name, type: asText(head.get(COMMAND.type)), family: familyOfNumber(asU8(head.get(COMMAND.family))) },
      ...(netmask === undefined ? {} : { netmask: asU8(netmask) }),
      ...(creation.has(CREATION.bitmask) || creation.has(CREATION.markMask) ? { isSpecial: true } : {}),
      entries: maps.flatMap((map) =>
        readAttributes(map.get(COMMAND.entries) ?? Buffer.alloc(0)).map(([, entry]) => entryOf(attributeMap(entry))),
      ),
    };
  } catch (error) {
    if (error instanceof NetlinkRefused && error.errno === ENOENT) {
      return undefined;
    }
    throw error;
  }
}

function entryOf(map: AttributeMap): MatchSetEntry {
  const address = networkAt(map, ENTRY.address, ENTRY.cidr);
  const second = networkAt(map, ENTRY.second, ENTRY.secondCidr);
  const name = map.get(ENTRY.name);
  const flags = map.get(ENTRY.flags);
  return {
    ...(address === undefined ? {} : { address }),
    ...(map.has(ENTRY.port) ? { port: asBe16(map.get(ENTRY.port)) } : {}),
    ...(map.has(ENTRY.protocol) ? { protocol: asU8(map.get(ENTRY.protocol)) } : {}),
    ...(second === undefined ? {} : { second }),
    ...(flags !== undefined && (asBe32(flags) & NO_MATCH) !== 0 ? { isException: true } : {}),
    ...(name === undefined ? {} : { member: asText(name) }),
  };
}

function networkAt(map: AttributeMap, type: number, cidr: number): MatchSetNetwork | undefined {
  const value = map.get(type);
  const [inner] = value === undefined ? [] : readAttributes(value);
  const length = map.get(cidr);
  return (
    inner && {
      address: addressText(inner[1], inner[0] === ADDRESS_IPV4 ? 'IPv4' : 'IPv6'),
      length: length === undefined ? undefined : asU8(length),
    }
  );
}
