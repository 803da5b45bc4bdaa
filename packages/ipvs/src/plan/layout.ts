import type { IPFamily } from '@kube-proxier/core';
import type { IpSetDefinition, IpSetType } from '@kube-proxier/linux';

/** The interface that has the virtual addresses. A dummy: it makes the kernel accept their packets. */
export const INTERFACE = 'kube-ipvs0';

/** The sets by purpose; their names are {@link setName}. */
export type SetRole =
  /** Addresses that only {@link INTERFACE} has. */
  | 'ADDRESSES'
  /** Address and port of every virtual server that has them. */
  | 'FRONTENDS'
  /** Frontends whose packets are all masqueraded. */
  | 'MASQUERADE'
  /** Frontends whose packets are masqueraded unless they come from a pod. */
  | 'OFF-CLUSTER'
  /** Frontends whose packets are dropped. */
  | 'DROP'
  /** Of these, those whose packets of unknown connections reach this node, which resets them (spec R-4). */
  | 'RESETS'
  /** Frontends with allowed sources. */
  | 'GUARDED'
  /** Allowed sources. */
  | 'ALLOWED'
  /** Frontends with other endpoints for pods and the node itself, and the mark that selects these. */
  | 'SHORTCUT'
  /** Local endpoints, each as its own source (hairpin). */
  | 'HAIRPIN'
  /** Health check node ports. */
  | 'HEALTH-CHECK';

const TYPES: Readonly<Record<SetRole, IpSetType>> = {
  ADDRESSES: 'hash:ip',
  FRONTENDS: 'hash:ip,port',
  MASQUERADE: 'hash:ip,port',
  'OFF-CLUSTER': 'hash:ip,port',
  DROP: 'hash:ip,port',
  RESETS: 'hash:ip,port',
  GUARDED: 'hash:ip,port',
  ALLOWED: 'hash:ip,port,net',
  SHORTCUT: 'hash:ip,port',
  HAIRPIN: 'hash:ip,port,ip',
  'HEALTH-CHECK': 'hash:ip,port',
};

export const SET_ROLES = Object.keys(TYPES) as readonly SetRole[];

/** A set takes no memory for what it does not hold. */
const MAX_ENTRIES = 1_048_576;

export function setName(role: SetRole, family: IPFamily): string {
  return `${setPrefix(family)}${role}`;
}

function setPrefix(family: IPFamily): string {
  return family === 'IPv6' ? 'KUBE-IPVS6-' : 'KUBE-IPVS-';
}

export function setDefinition(role: SetRole, family: IPFamily): IpSetDefinition {
  return {
    name: setName(role, family),
    type: TYPES[role],
    family,
    maxEntries: MAX_ENTRIES,
    marks: role === 'SHORTCUT',
  };
}

/** Chains, in the tables that they stand in. None of kube-proxy's names: its own must not clean them up. */
export const CHAINS = {
  /** mangle: decides what happens to packets to frontends before IPVS receives them. */
  services: 'KUBE-IPVS-SERVICES',
  /** mangle: sets the mark of packets to a port range, which selects its virtual server. */
  ranges: 'KUBE-IPVS-RANGES',
  /** mangle: sets the mark that selects other endpoints. nat: clears it. */
  shortcut: 'KUBE-IPVS-SHORTCUT',
  /** nat: masquerades. */
  postrouting: 'KUBE-IPVS-POSTROUTING',
  /** filter: rejects other ports of virtual addresses. */
  input: 'KUBE-IPVS-INPUT',
  /** filter: accepts replies of endpoints. */
  forward: 'KUBE-IPVS-FORWARD',
} as const;

/** Sets that kube-proxy makes in its ipvs mode (spec V-10), as they are called for IPv4. */
const KUBE_PROXY_SETS = [
  ...['LOOP-BACK', 'CLUSTER-IP', 'EXTERNAL-IP', 'EXTERNAL-IP-LOCAL', 'LOAD-BALANCER', 'LOAD-BALANCER-LOCAL'],
  ...['LOAD-BALANCER-FW', 'LOAD-BALANCER-SOURCE-IP', 'LOAD-BALANCER-SOURCE-CIDR', 'NODE-PORT-TCP', 'NODE-PORT-UDP'],
  ...['NODE-PORT-LOCAL-TCP', 'NODE-PORT-LOCAL-UDP', 'NODE-PORT-SCTP-HASH', 'NODE-PORT-LOCAL-SCTP-HASH'],
  ...['HEALTH-CHECK-NODE-PORT', 'IPVS-IPS'],
];

/** Spec V-10: names of IPv6 are truncated at 31 characters. */
export function kubeProxySets(family: IPFamily): readonly string[] {
  return KUBE_PROXY_SETS.map((name) => `${family === 'IPv6' ? 'KUBE-6-' : 'KUBE-'}${name}`.slice(0, 31));
}

/** Chains that only kube-proxy's ipvs mode makes; those that it shares with other modes are cleaned up with these. */
export const KUBE_PROXY_CHAINS: Readonly<Record<'filter' | 'nat', readonly string[]>> = {
  nat: ['KUBE-LOAD-BALANCER', 'KUBE-NODE-PORT'],
  filter: [...['KUBE-NODE-PORT', 'KUBE-SOURCE-RANGES-FIREWALL', 'KUBE-IPVS-FILTER', 'KUBE-IPVS-OUT-FILTER']],
};

const MARK_BITS = 22;
/** Prefix of marks that select a virtual server: nine bits that other programs are unlikely to use. */
const MARK_BEGINNING = 0b1_0110_1011;
/** The same for ranges of ports: packets that keep their source, those that are masqueraded, those that are dropped. */
const RANGE_BEGINNINGS = { kept: 0b1_0110_1000, masqueraded: 0b1_0110_1001, dropped: 0b1_0110_1010 } as const;
/** The bits that all of these have in common. */
const COMMON_BITS = 0x1fc;

/** Number of distinct values: 0 up to, but excluding, this. */
export const MARK_NUMBERS = 2 ** MARK_BITS;

/**
 * Packet marks that identify virtual servers in IPVS. The masquerade bit is excluded, so 31 bits are used: nine
 * distinguish them from foreign marks, the rest is the number.
 */
export class MarkLayout {
  /** Bits that all of them have in common, but for those of ranges. */
  readonly value: number;
  readonly mask: number;
  /** Bits that marks of ranges have in common: of all of them, and of those whose packets are masqueraded. */
  readonly ranges: { readonly value: number; readonly mask: number };
  readonly masqueradedRanges: { readonly value: number; readonly mask: number };
  /** Packets with it are dropped before IPVS. */
  readonly dropMark: number;

  /** @param masqueradeBit 0…31 */
  constructor(private readonly masqueradeBit: number) {
    this.value = this.#spread(MARK_BEGINNING * MARK_NUMBERS);
    this.mask = this.#spread(0x1ff * MARK_NUMBERS);
    const { kept, masqueraded, dropped } = RANGE_BEGINNINGS;
    this.ranges = { value: this.#spread(kept * MARK_NUMBERS), mask: this.#spread(0x1fe * MARK_NUMBERS) };
    this.masqueradedRanges = { value: this.#spread(masqueraded * MARK_NUMBERS), mask: this.mask };
    this.dropMark = this.#spread(dropped * MARK_NUMBERS);
  }

  mark(number: number): number {
    return (this.value | this.#spread(number)) >>> 0;
  }

  isOurs(mark: number): boolean {
    const common = this.#spread(COMMON_BITS * MARK_NUMBERS);
    return (mark & common) >>> 0 === (this.value & common) >>> 0;
  }

  /** The mark of an endpoint list of a service port with a range. */
  rangeMark(number: number, isMasqueraded: boolean): number {
    const { value } = isMasqueraded ? this.masqueradedRanges : this.ranges;
    return (value | this.#spread(number)) >>> 0;
  }

  /** Makes room for the masquerade bit. */
  #spread(bits: number): number {
    const low = 2 ** this.masqueradeBit;
    return Math.floor(bits / low) * low * 2 + (bits % low);
  }
}
