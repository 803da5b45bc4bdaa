import { type IPFamily, LinearMap, type PathRule } from '@kube-proxier/core';
import { DirectMappedCache } from '../caching/direct-mapped-cache.js';
import type { IpSet } from '../ipset/ip-sets.js';
import type { MatchSet } from '../ipset/match-sets.js';
import { type BitNetwork, bitsOf, isIn } from './ip-bits.js';
import { indexMatchSet } from './match-set-index.js';
import type { PathSet } from './path-set.js';
import { type PolicyRule, type RoutedPacket, usesMainTable } from './policy-routing.js';
import type { Walker } from './walker.js';

/** One entry of the main routing table. */
export interface HostRoute {
  readonly network: BitNetwork;
  /** Length of the prefix. */
  readonly length: number;
  readonly metric: number;
  /** Undefined for a route that rejects or drops packets (`unreachable`, `blackhole`). */
  readonly interfaceName: string | undefined;
}

/** Facts about a host and one IP family, as read. */
export interface PathHostFacts {
  readonly family: IPFamily;
  /** All addresses of the host, without those of IPVS's dummy interface. */
  readonly localAddresses: ReadonlySet<string>;
  /** Addresses that serve virtual servers of IPVS only: packets to them are delivered to the host. Default: none. */
  readonly virtualAddresses?: ReadonlySet<string>;
  /** Addresses by interface; empty when unknown. */
  readonly addressesOf: ReadonlyMap<string, readonly string[]>;
  /** Undefined when routes could not be read: interfaces are then unknown. */
  readonly routes: readonly HostRoute[] | undefined;
  /** Policy routing rules, if tables other than the main table are used; undefined when they could not be read. */
  readonly policyRules: readonly PolicyRule[] | undefined;
  /** Values by name (`net/ipv4/ip_forward`); absent when the kernel has none. */
  readonly sysctls: ReadonlyMap<string, string>;
  /** Names of interfaces that are bridges; undefined when unknown. */
  readonly bridges: ReadonlySet<string> | undefined;
  /** By name; only sets that rules refer to. */
  readonly sets: ReadonlyMap<string, IpSet>;
  /** Sets of other programs by name; matches against a set that is in neither are unknown. Default: none. */
  readonly matchSets?: ReadonlyMap<string, MatchSet>;
}

/** The host facts that rules are evaluated with. */
export class PathHost {
  /** Undefined when unknown. */
  readonly hasBridges: boolean | undefined;
  readonly #sets = new Map<string, PathSet | undefined>();
  readonly #routes = new DirectMappedCache<HostRoute | null>(12);
  readonly #localAddresses: LinearMap<true>;

  constructor(
    readonly facts: PathHostFacts,
    /** Whether a rule belongs to another program than the backend. */
    readonly isForeign: (rule: PathRule) => boolean = () => false,
    /** Whether a rule is ignored. */
    readonly ignores: (rule: PathRule) => boolean = () => false,
  ) {
    this.#localAddresses = new LinearMap([...facts.localAddresses].map((address) => [address, true] as const));
    this.hasBridges = facts.bridges && facts.bridges.size > 0;
  }

  /** Whether packets to an address are delivered to the host. */
  isLocal(address: string): boolean {
    return isLoopback(address) || this.#localAddresses.has(address) || this.isVirtual(address);
  }

  /** Whether an address serves virtual servers of IPVS only. */
  isVirtual(address: string): boolean {
    return this.facts.virtualAddresses?.has(address) ?? false;
  }

  /** The route of the main table to an address: null when there is none, undefined when routes are unknown. */
  #mainRoute(address: string): HostRoute | null | undefined {
    const { routes } = this.facts;
    if (routes === undefined) {
      return undefined;
    }
    const known = this.#routes.get(address);
    if (known !== undefined) {
      return known;
    }
    const bits = bitsOf(address) ?? 0n;
    // Sorted: the longest prefix is first.
    const found = routes.find(({ network }) => isIn(network, bits)) ?? null;
    this.#routes.set(address, found);
    return found;
  }

  /** The route of a packet that is not for the host itself; null when there is none, undefined when unknown. */
  routeOf(packet: RoutedPacket): HostRoute | null | undefined {
    const { policyRules } = this.facts;
    const route = this.#mainRoute(packet.destination);
    return policyRules !== undefined && (policyRules.length === 0 || usesMainTable(policyRules, packet, route !== null))
      ? route
      : undefined;
  }

  /**
   * The output interface of a packet; `lo` for an address of the host, null without a route, undefined when unknown.
   */
  interfaceOf(packet: RoutedPacket): string | null | undefined {
    if (this.isLocal(packet.destination)) {
      return 'lo';
    }
    const route = this.routeOf(packet);
    return route === undefined ? undefined : (route?.interfaceName ?? null);
  }

  /** A setting as a number; undefined when unknown. */
  sysctl(name: string): number | undefined {
    const text = this.facts.sysctls.get(name);
    return text === undefined ? undefined : Number(text);
  }

  set(name: string): PathSet | undefined {
    if (!this.#sets.has(name)) {
      const set = this.facts.sets.get(name);
      const other = this.facts.matchSets?.get(name);
      this.#sets.set(
        name,
        set !== undefined
          ? indexSet(set)
          : other && indexMatchSet(other, this.facts.family, (member) => this.set(member)),
      );
    }
    return this.#sets.get(name);
  }

  /** The address that REDIRECT sends packets to. */
  redirectAddress({ hook, inInterface, destination }: Walker): string | undefined {
    if (hook === 'output') {
      return this.facts.family === 'IPv4' ? '127.0.0.1' : '::1';
    }
    if (this.isLocal(destination)) {
      // The common case: the interface that has the address.
      return destination;
    }
    return inInterface ? this.facts.addressesOf.get(inInterface)?.[0] : undefined;
  }
}

export function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Sides of a packet that a type of set matches, in the kernel's order. */
function indexSet(set: IpSet): PathSet {
  const exact = new Map<string, number | undefined>();
  const networks = new Map<string, { readonly network: BitNetwork; readonly mark: number | undefined }[]>();
  for (const { address, port, protocol, second, network, mark } of set.entries) {
    const service = port === undefined ? address : `${address},${(protocol ?? 'TCP').toLowerCase()}:${port}`;
    if (network === undefined) {
      exact.set(second === undefined ? service : `${service},${second}`, mark);
      continue;
    }
    const [base = '', length = ''] = network.split('/');
    const width = base.includes(':') ? 128 : 32;
    const mask = ((1n << BigInt(width)) - 1n) ^ ((1n << BigInt(width - Number(length || width))) - 1n);
    const list = networks.get(service) ?? [];
    list.push({ network: { value: (bitsOf(base) ?? 0n) & mask, mask }, mark });
    networks.set(service, list);
  }
  const find = (walker: Walker, sides: readonly string[]): { readonly mark: number | undefined } | undefined => {
    const addressOf = (side: string | undefined) => (side === 'src' ? walker.source : walker.destination);
    const portOf = (side: string | undefined) => (side === 'src' ? walker.packet.sourcePort : walker.port);
    const first = addressOf(sides[0]);
    if (set.type === 'hash:ip') {
      return exact.has(first) ? { mark: exact.get(first) } : undefined;
    }
    const service = `${first},${walker.protocol}:${portOf(sides[1])}`;
    if (set.type === 'hash:ip,port,net') {
      const bits = sides[2] === 'src' ? walker.sourceBits : walker.destinationBits;
      return networks.get(service)?.find(({ network }) => isIn(network, bits));
    }
    const key = set.type === 'hash:ip,port' ? service : `${service},${addressOf(sides[2])}`;
    return exact.has(key) ? { mark: exact.get(key) } : undefined;
  };
  return {
    has: (walker, sides) => (find(walker, sides) === undefined ? 0 : 1),
    markOf: (walker, sides) => {
      const found = find(walker, sides);
      return found === undefined ? null : (found.mark ?? 0);
    },
  };
}
