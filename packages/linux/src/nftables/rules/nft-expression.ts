import type { NftFamily } from '../nft-family.js';

/**
 * A field in a header of the packet. `th` is the transport header, whatever its protocol. `protocol` is a field of the
 * header of IPv4 only; the kernel reads it faster than `meta l4proto`.
 */
export interface NftPayload {
  readonly kind: 'payload';
  readonly protocol: 'ip' | 'ip6' | 'th' | 'tcp' | 'udp' | 'sctp';
  readonly field: 'saddr' | 'daddr' | 'sport' | 'dport' | 'protocol';
}

/** Metadata of the packet. */
export interface NftMeta {
  readonly kind: 'meta';
  readonly key: 'l4proto' | 'mark' | 'priority' | 'iifname';
}

/** A property of the packet's connection. */
export interface NftConntrack {
  readonly kind: 'ct';
  readonly key: 'state' | 'status' | 'direction';
}

/** An address or a port of the packet's connection, in one direction, before translation. */
export interface NftTuple {
  readonly kind: 'ct-tuple';
  readonly direction: 'original' | 'reply';
  readonly field: NftTupleField;
}

/** nft reads ports only in rules that establish the protocol before. */
export type NftTupleField = 'ip saddr' | 'ip daddr' | 'ip6 saddr' | 'ip6 daddr' | 'proto-src' | 'proto-dst';

/** The kind of an address of the packet, by the routing tables. */
export interface NftFib {
  readonly kind: 'fib';
  readonly address: 'saddr' | 'daddr';
}

/** A random number from `offset` (default 0) to `offset + modulus - 1`. */
export interface NftRandom {
  readonly kind: 'numgen';
  readonly modulus: number;
  readonly offset?: number;
}

/** A number from `offset` (default 0) to `offset + modulus - 1`, by a hash of fields (Jenkins). */
export interface NftHash {
  readonly kind: 'jhash';
  readonly of: readonly NftPayload[];
  readonly modulus: number;
  readonly seed: number;
  readonly offset?: number;
}

/** One field of a key or value. */
export type NftField = NftPayload | NftMeta | NftConntrack | NftTuple | NftFib | NftRandom | NftHash;

/** A map lookup. A packet whose key is missing does not match. */
export interface NftLookup {
  readonly kind: 'lookup';
  readonly key: readonly NftField[];
  readonly map: string;
}

/** A field of 32 bits, combined with a number. */
export interface NftBitwise {
  readonly kind: 'bitwise';
  readonly left: NftMeta;
  readonly operator: '&' | '|' | '^';
  readonly right: number;
}

/**
 * One statement of a rule. The statements of a rule are executed in order, until the packet does not match.
 *
 * - `match`: `right` is written by the type of `left`: addresses and networks canonical, protocols, `new`, `dnat`,
 *   `reply` and `local` by name, interfaces by name, with a trailing `*` as a wildcard, and numbers.
 * - `member`: whether the key is in a set, or with `isNot`, is not.
 * - `one-of`: whether the protocol is one of these.
 * - `no-syn`: whether it is a TCP packet that does not open a connection.
 * - `reject`: answers as a closed port does, by ICMP, or `with` a reset where it is a TCP packet.
 * - `vmap`: executes the verdict of the key in a map.
 * - `assign`: sets a property of the packet.
 * - `write-element`: adds an element to a dynamic set or map, or renews its timeout (`update`), or deletes it.
 * - `count`: counts the packet in the counter of the key in a map.
 * - `dnat`: sends the packet to an address and port. `port`: a number, or a map lookup by the packet's port; undefined
 *   to keep the packet's port.
 */
export type NftStatement =
  | {
      readonly kind: 'match';
      readonly left: NftField | NftBitwise;
      /** Default `==`. */
      readonly operator?: '==' | '!=';
      readonly right: string | number;
    }
  | { readonly kind: 'member'; readonly key: readonly NftField[]; readonly set: string; readonly isNot?: boolean }
  | { readonly kind: 'one-of'; readonly left: NftMeta; readonly values: readonly string[] }
  | { readonly kind: 'vmap'; readonly key: readonly NftField[]; readonly map: string }
  | { readonly kind: 'assign'; readonly to: NftMeta; readonly value: number | NftBitwise | NftLookup }
  | {
      readonly kind: 'write-element';
      readonly operation: 'update' | 'delete';
      readonly set: string;
      readonly key: readonly NftField[];
      /** Undefined in a set. */
      readonly value?: NftMeta;
      /** Default: that of the set or map. */
      readonly timeoutSeconds?: number;
    }
  | { readonly kind: 'count'; readonly key: readonly NftField[]; readonly map: string }
  | {
      readonly kind: 'dnat';
      readonly family: NftFamily;
      readonly to:
        | NftLookup
        | {
            readonly kind: 'endpoint';
            readonly address: string;
            readonly port: number | NftLookup | undefined;
          };
    }
  | { readonly kind: 'masquerade'; readonly fullyRandom: boolean }
  | { readonly kind: 'no-syn' }
  | { readonly kind: 'reject'; readonly with?: 'tcp-reset' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'jump'; readonly chain: string }
  | { readonly kind: 'goto'; readonly chain: string };

/** Data types of nftables, by the names that `nft -j` lists. */
export type NftType =
  | 'ipv4_addr'
  | 'ipv6_addr'
  | 'inet_proto'
  | 'inet_service'
  | 'mark'
  | 'classid'
  | 'ifname'
  | 'ct_state'
  | 'ct_status'
  | 'ct_dir'
  | 'fib_addrtype'
  | 'integer';

/** The data type of a field. */
export function nftTypeOf(field: NftField): NftType {
  switch (field.kind) {
    case 'payload':
      return field.field === 'protocol'
        ? 'inet_proto'
        : field.protocol === 'ip'
          ? 'ipv4_addr'
          : field.protocol === 'ip6'
            ? 'ipv6_addr'
            : 'inet_service';
    case 'meta':
      return META_TYPES[field.key];
    case 'ct':
      return CONNECTION_TYPES[field.key];
    case 'ct-tuple':
      return field.field.startsWith('ip ')
        ? 'ipv4_addr'
        : field.field.startsWith('ip6 ')
          ? 'ipv6_addr'
          : 'inet_service';
    case 'fib':
      return 'fib_addrtype';
    case 'numgen':
    case 'jhash':
      return 'integer';
  }
}

const CONNECTION_TYPES = { state: 'ct_state', status: 'ct_status', direction: 'ct_dir' } as const;
const META_TYPES = { l4proto: 'inet_proto', mark: 'mark', priority: 'classid', iifname: 'ifname' } as const;

/** Size of a value in bytes. */
export const NFT_TYPE_SIZES: Readonly<Record<NftType, number>> = {
  ipv4_addr: 4,
  ipv6_addr: 16,
  inet_proto: 1,
  inet_service: 2,
  mark: 4,
  classid: 4,
  ifname: 16,
  ct_state: 4,
  ct_status: 4,
  ct_dir: 1,
  fib_addrtype: 4,
  integer: 4,
};

/** Packet fields that rules of this project use. */
export const nftFields = {
  address: (family: NftFamily, field: 'saddr' | 'daddr'): NftPayload => ({ kind: 'payload', protocol: family, field }),
  port: (protocol: 'th' | 'tcp' | 'udp' | 'sctp', field: 'sport' | 'dport' = 'dport'): NftPayload => ({
    ...{ kind: 'payload', protocol, field },
  }),
  protocol: { kind: 'meta', key: 'l4proto' },
  protocolOfIPv4: { kind: 'payload', protocol: 'ip', field: 'protocol' },
  mark: { kind: 'meta', key: 'mark' },
  priority: { kind: 'meta', key: 'priority' },
  tuple: (direction: NftTuple['direction'], field: NftTupleField): NftTuple => ({ kind: 'ct-tuple', direction, field }),
} as const satisfies Readonly<Record<string, NftField | ((...args: never[]) => NftField)>>;
