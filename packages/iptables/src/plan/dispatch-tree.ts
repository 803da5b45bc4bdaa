import type { Slices } from '@kube-proxier/core';
import type { Condition, IptablesProtocol, IptablesRule, IptablesRuleParts } from '@kube-proxier/linux';
import { IptablesRule as Rule, withoutComment } from '@kube-proxier/linux';
import type { Chain } from './iptables-transaction.js';
import { CHAINS } from './layout.js';
import type { RuleText } from './rule-text.js';

/**
 * Lookup lists. Each is one chain while it is short, and a tree of chains when it is long, so that no packet traverses
 * a list that grows with the cluster:
 *
 * - by address: 16 chains by the lowest 4 bits, under each up to 32 by the next 5 bits. The low bits, because addresses
 *   that are handed out one after another, or at random from one network, differ there. The masks include the highest
 *   bit too: iptables-nft 1.8.7 (Debian 11, Ubuntu 22.04) writes an invalid comparison for a mask that begins with a
 *   zero byte. So addresses below and above 128.0.0.0 (8000::) have separate chains;
 * - by port: a chain per 1024 ports, under each up to 32 of 32 ports.
 */
export type TreeName = keyof typeof TREES;

/** The chains of a tree. */
interface TreeChains {
  readonly table: 'filter' | 'nat';
  /** The root chain. */
  readonly root: string;
  /** Name prefix of the other chains. */
  readonly branches: string;
}

export const TREES = {
  /** nat: packets to addresses of Services. */
  services: { table: 'nat', root: CHAINS.services, branches: CHAINS.serviceBranches },
  /** nat: packets to NodePorts. */
  nodePorts: { table: 'nat', root: CHAINS.nodePorts, branches: CHAINS.nodePortBranches },
  /** nat: local endpoints, for hairpin traffic. */
  hairpin: { table: 'nat', root: CHAINS.hairpin, branches: CHAINS.hairpin },
  /** filter: cluster IPs that reject or drop. */
  refused: { table: 'filter', root: CHAINS.services, branches: CHAINS.services },
  /** filter: every cluster IP, for packets to other ports. */
  clusterIPs: { table: 'filter', root: CHAINS.clusterIPs, branches: CHAINS.clusterIPs },
  /** filter: other addresses that reject or drop. */
  refusedExternal: { table: 'filter', root: CHAINS.externalServices, branches: CHAINS.externalServices },
  /** filter: NodePorts that reject or drop. */
  closedNodePorts: { table: 'filter', root: CHAINS.closedNodePorts, branches: CHAINS.closedNodePorts },
  /** filter: addresses with allowed sources. */
  firewall: { table: 'filter', root: CHAINS.proxyFirewall, branches: CHAINS.proxyFirewall },
  /** filter: NodePorts with allowed sources. */
  blockedNodePorts: { table: 'filter', root: CHAINS.blockedNodePorts, branches: CHAINS.blockedNodePorts },
  /** filter: health check node ports, accepted, even if the host blocks other traffic. */
  healthChecks: { table: 'filter', root: CHAINS.nodePorts, branches: CHAINS.nodePorts },
} as const satisfies Record<string, TreeChains>;

export const TREE_NAMES = Object.keys(TREES) as readonly TreeName[];

/** One rule in a tree, with its position. */
export class Entry implements RuleText {
  /**
   * @param key unique in its tree; rules are in the order of their keys.
   * @param owner its service port; entries without one never cause a refused document.
   * @param rule its text, or what makes the text from the key, where there is one entry for each Service.
   */
  constructor(
    readonly tree: TreeName,
    readonly key: string,
    readonly owner: string | undefined,
    readonly place: Place,
    private readonly rule: string | ((key: string) => string),
  ) {}

  /** The rule, as `iptables-save` prints it. */
  get text(): string {
    return typeof this.rule === 'string' ? this.rule : this.rule(this.key);
  }

  /** Not kept, as it is seldom used after a load. */
  get bareText(): string {
    return withoutComment(this.text);
  }

  /** Whether the rule does what another one of its tree does. Not one that is made from its key, which is unique. */
  hasEffectOf(other: Entry): boolean {
    return (
      typeof this.rule === 'string' &&
      (this.text === other.text || (this.owner === other.owner && this.bareText === other.bareText))
    );
  }
}

/** A position in a tree: the chain names without the common prefix, and the matches that lead there. */
interface Place {
  readonly middle: string;
  readonly leaf: string;
  readonly toMiddle: IptablesRuleParts;
  readonly toLeaf: IptablesRuleParts;
}

const MIDDLE_BITS = 0xf;
const LEAF_BITS = 0x1f0;
/** Added to the number of a chain for addresses with the highest bit. */
const HIGH_NAME = 0x10;
/** Lists up to this long stay one chain: easier to read, and as fast. */
const FLAT = 32;
/** Steps of light work between two yields, each of which takes longer than such a step. */
export const LIGHT_STEPS = 32;

/** The requested positions by number: there are few, and objects in one position share it. */
const addressPlaces: (Place | undefined)[] = [];
const portPlaces: Record<IptablesProtocol, (Place | undefined)[]> = { tcp: [], udp: [], sctp: [] };

/** The place of an address, IPv4 or IPv6. */
export function placeOfAddress(address: string): Place {
  const isIPv6 = address.includes(':');
  const isHigh = hasHighestBit(address, isIPv6);
  const bits = (isIPv6 ? lowBits6(address) : lowBits4(address)) & (MIDDLE_BITS | LEAF_BITS);
  const number = bits | (isHigh ? 0x200 : 0) | (isIPv6 ? 0x400 : 0);
  addressPlaces[number] ??= makeAddressPlace(bits & MIDDLE_BITS, bits & LEAF_BITS, isHigh, isIPv6 ? bits6 : bits4);
  return addressPlaces[number];
}

function makeAddressPlace(middle: number, leaf: number, isHigh: boolean, bits: typeof bits4): Place {
  const name = hex(isHigh ? middle | HIGH_NAME : middle);
  return {
    middle: name,
    leaf: `${name}-${hex(leaf >> 4)}`,
    toMiddle: { destination: bits(middle, MIDDLE_BITS, isHigh) },
    toLeaf: { destination: bits(leaf, LEAF_BITS, isHigh) },
  };
}

/** The place of a port. */
export function placeOfPort(protocol: IptablesProtocol, port: number): Place {
  const leaf = port >> 5;
  const places = portPlaces[protocol];
  places[leaf] ??= makePortPlace(protocol, leaf);
  return places[leaf];
}

function makePortPlace(protocol: IptablesProtocol, leaf: number): Place {
  const middle = leaf >> 5;
  const name = `${protocol.toUpperCase()}-${middle}`;
  const range = (first: number, size: number): IptablesRuleParts => ({
    protocol,
    matches: [{ match: 'port', protocol, first, last: first + size - 1 }],
  });
  return {
    middle: name,
    leaf: `${name}-${leaf & 31}`,
    toMiddle: range(middle << 10, 1024),
    toLeaf: range(leaf << 5, 32),
  };
}

function lowBits6(address: string): number {
  const last = address.slice(address.lastIndexOf(':') + 1);
  return last === '' ? 0 : Number.parseInt(last, 16);
}

function lowBits4(address: string): number {
  const last = address.lastIndexOf('.');
  const third = address.lastIndexOf('.', last - 1);
  return (Number(address.slice(third + 1, last)) << 8) | Number(address.slice(last + 1));
}

/** Whether an address is in 128.0.0.0/1 or 8000::/1. */
function hasHighestBit(address: string, isIPv6: boolean): boolean {
  return isIPv6 ? /^[89a-f]...:/i.test(address) : Number(address.slice(0, address.indexOf('.'))) >= 128;
}

function bits4(value: number, mask: number, isHigh: boolean): Condition {
  const text = (bits: number, first: number) => `${first}.0.${bits >> 8}.${bits & 255}`;
  return { value: `${text(value, isHigh ? 128 : 0)}/${text(mask, 128)}` };
}

function bits6(value: number, mask: number, isHigh: boolean): Condition {
  const text = (bits: number, first: string) => `${first}::${bits === 0 ? '' : bits.toString(16)}`;
  return { value: `${text(value, isHigh ? '8000' : '')}/${text(mask, '8000')}` };
}

function hex(value: number): string {
  return value.toString(16).toUpperCase();
}

/** One tree of one state. Immutable; {@link DispatchTree.editedInSlices} shares what is untouched. */
export class DispatchTree {
  private constructor(
    private readonly name: TreeName,
    private readonly leaves: ReadonlyMap<string, readonly Entry[]>,
    readonly size: number,
  ) {}

  /** The tree of these entries. Yields often, so that a caller can pause. */
  static *ofInSlices(name: TreeName, entries: readonly Entry[]): Slices<DispatchTree> {
    const leaves = new Map<string, Entry[]>();
    let count = 0;
    for (const entry of entries) {
      if (++count % LIGHT_STEPS === 0) {
        yield;
      }
      const leaf = leaves.get(entry.place.leaf);
      if (leaf === undefined) {
        leaves.set(entry.place.leaf, [entry]);
      } else {
        leaf.push(entry);
      }
    }
    let size = 0;
    for (const [leaf, list] of leaves) {
      yield;
      const sorted = list.length > 1 ? withoutRepeatedKeys(list.sort(byKey)) : list;
      leaves.set(leaf, sorted);
      size += sorted.length;
    }
    return new DispatchTree(name, leaves, size);
  }

  /**
   * The tree without `removed` and with `added`. Costs what these cost, and the number of leaves. Yields after each entry, so that a
   * caller can pause.
   */
  *editedInSlices(removed: readonly Entry[], added: readonly Entry[]): Slices<DispatchTree> {
    const leaves = new Map(this.leaves);
    const touched = new Map<string, Map<string, Entry>>();
    const leaf = (name: string): Map<string, Entry> => {
      let entries = touched.get(name);
      if (entries === undefined) {
        entries = new Map((leaves.get(name) ?? []).map((entry) => [entry.key, entry]));
        touched.set(name, entries);
      }
      return entries;
    };
    for (const entry of removed) {
      yield;
      leaf(entry.place.leaf).delete(entry.key);
    }
    for (const entry of added) {
      yield;
      leaf(entry.place.leaf).set(entry.key, entry);
    }
    let size = this.size;
    for (const [name, entries] of touched) {
      yield;
      size += entries.size - (leaves.get(name)?.length ?? 0);
      if (entries.size === 0) {
        leaves.delete(name);
      } else {
        leaves.set(name, [...entries.values()].sort(byKey));
      }
    }
    return new DispatchTree(this.name, leaves, size);
  }

  /** The names of the chains, without the root, that contain `entries` or lead to them. */
  chainsOf(entries: readonly Entry[]): readonly string[] {
    return entries.flatMap(({ place }) => [this.#chain(place.middle), this.#chain(place.leaf)]);
  }

  get isFlat(): boolean {
    return this.size <= FLAT;
  }

  /** The content of every chain but the root; `tail` comes last in the root. */
  *chains(tail: readonly IptablesRule[]): Iterable<[string, Chain]> {
    yield [TREES[this.name].root, this.root(tail)];
    if (!this.isFlat) {
      for (const middle of this.#middles().keys()) {
        yield [this.#chain(middle), this.#middle(middle)];
      }
      for (const [name, entries] of this.leaves) {
        yield [this.#chain(name), list(entries)];
      }
    }
  }

  /** The content of one chain but the root; undefined when there is none of this name now. */
  chain(name: string): Chain | undefined {
    const place = name.slice(TREES[this.name].branches.length + 1);
    if (this.isFlat) {
      return undefined;
    }
    const leaf = this.leaves.get(place);
    if (leaf !== undefined) {
      return list(leaf);
    }
    return this.#middles().has(place) ? this.#middle(place) : undefined;
  }

  /** The content of the chain where the lookup begins. */
  root(tail: readonly IptablesRule[]): Chain {
    if (this.isFlat) {
      const { rules, owners } = list([...this.leaves.values()].flat().sort(byKey));
      return { rules: [...rules, ...tail], owners: [...(owners ?? []), ...tail.map(() => undefined)] };
    }
    const jumps = [...this.#middles()].sort(byName).map(([name, parts]) => this.#jump(parts, name));
    return { rules: [...jumps, ...tail] };
  }

  #middle(name: string): Chain {
    const places = [...this.leaves.values()]
      .map((entries) => entries[0]!.place)
      .filter((place) => place.middle === name);
    places.sort((a, b) => (a.leaf < b.leaf ? -1 : 1));
    return { rules: places.map((place) => this.#jump(place.toLeaf, place.leaf)) };
  }

  #middles(): ReadonlyMap<string, IptablesRuleParts> {
    const middles = new Map<string, IptablesRuleParts>();
    for (const [first] of this.leaves.values()) {
      middles.set(first!.place.middle, first!.place.toMiddle);
    }
    return middles;
  }

  #jump(parts: IptablesRuleParts, place: string): IptablesRule {
    return new Rule({ ...parts, target: { target: 'jump', chain: this.#chain(place) } });
  }

  #chain(place: string): string {
    return `${TREES[this.name].branches}-${place}`;
  }
}

/** Equal entries (one endpoint of several Services), which are neighbours, become one rule. */
function list(entries: readonly Entry[]): Chain & { readonly owners: readonly (string | undefined)[] } {
  const rules = entries.filter((entry, index) => index === 0 || !entry.hasEffectOf(entries[index - 1]!));
  return { rules, owners: rules.map(({ owner }) => owner) };
}

/** @param entries sorted by their keys. The last one of each key applies. */
function withoutRepeatedKeys(entries: Entry[]): Entry[] {
  const isLast = (entry: Entry, index: number) => entry.key !== entries[index + 1]?.key;
  return entries.every(isLast) ? entries : entries.filter(isLast);
}

function byKey(a: Entry, b: Entry): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
