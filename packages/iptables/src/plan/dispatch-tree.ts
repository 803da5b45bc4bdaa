import type { Slices } from '@kube-proxier/core';
import type { Condition, IptablesProtocol, IptablesRule, IptablesRuleParts } from '@kube-proxier/linux';
import { IptablesRule as Rule } from '@kube-proxier/linux';
import type { Chain } from './iptables-transaction.js';
import { CHAINS } from './layout.js';
import { RuleText } from './rule-text.js';

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
export interface Entry {
  readonly tree: TreeName;
  /** Unique in its tree; rules are in the order of their keys. */
  readonly key: string;
  /** Its service port; entries without one never cause a refused document. */
  readonly owner: string | undefined;
  readonly place: Place;
  /** The rule, as `iptables-save` prints it. */
  readonly text: string;
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

/** The requested positions: there are few, and objects in one position share it. */
const places = new Map<string, Place>();

/** The place of an address, IPv4 or IPv6. */
export function placeOfAddress(address: string): Place {
  const low = lowBits(address);
  const [middle, leaf] = [low & MIDDLE_BITS, low & LEAF_BITS];
  const isIPv6 = address.includes(':');
  const isHigh = hasHighestBit(address);
  return place(`${isIPv6 ? 'IPv6' : 'IPv4'} ${isHigh} ${middle | leaf}`, () => {
    const bits = (value: number, mask: number) => (isIPv6 ? bits6 : bits4)(value, mask, isHigh);
    const name = hex(isHigh ? middle | HIGH_NAME : middle);
    return {
      middle: name,
      leaf: `${name}-${hex(leaf >> 4)}`,
      toMiddle: { destination: bits(middle, MIDDLE_BITS) },
      toLeaf: { destination: bits(leaf, LEAF_BITS) },
    };
  });
}

/** The place of a port. */
export function placeOfPort(protocol: IptablesProtocol, port: number): Place {
  const [middle, leaf] = [port >> 10, port >> 5];
  return place(`${protocol} ${leaf}`, () => {
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
  });
}

function place(name: string, make: () => Place): Place {
  let known = places.get(name);
  if (known === undefined) {
    known = make();
    places.set(name, known);
  }
  return known;
}

function lowBits(address: string): number {
  if (address.includes(':')) {
    const last = address.slice(address.lastIndexOf(':') + 1);
    return last === '' ? 0 : Number.parseInt(last, 16);
  }
  const [, , third = '0', fourth = '0'] = address.split('.');
  return (Number(third) << 8) | Number(fourth);
}

/** Whether an address is in 128.0.0.0/1 or 8000::/1. */
function hasHighestBit(address: string): boolean {
  return address.includes(':') ? /^[89a-f]...:/i.test(address) : Number(address.slice(0, address.indexOf('.'))) >= 128;
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

  static empty(name: TreeName): DispatchTree {
    return new DispatchTree(name, new Map(), 0);
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

/** Equal entries (one endpoint of several Services) become one rule. */
function list(entries: readonly Entry[]): Chain & { readonly owners: readonly (string | undefined)[] } {
  const seen = new Set<string>();
  const rules: RuleText[] = [];
  const owners: (string | undefined)[] = [];
  for (const { text, owner } of entries) {
    const rule = new RuleText(text);
    if (!seen.has(rule.bareText)) {
      seen.add(rule.bareText);
      rules.push(rule);
      owners.push(owner);
    }
  }
  return { rules, owners };
}

function byKey(a: Entry, b: Entry): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
