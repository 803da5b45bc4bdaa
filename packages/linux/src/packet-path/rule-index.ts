import type { CompiledRule } from './compiled-rule.js';
import type { BitNetwork } from './ip-bits.js';
import type { Walker } from './walker.js';

/** Positions of rules: an array only for several, as most keys have one rule. */
type Positions = number | number[];

/** Positions of rules by a network that an address must be in. */
class NetworkIndex {
  /** By mask: a chain has few different ones. */
  readonly #byMask = new Map<bigint, Map<bigint, Positions>>();

  add({ mask, value }: BitNetwork, index: number): void {
    let byValue = this.#byMask.get(mask);
    if (byValue === undefined) {
      byValue = new Map();
      this.#byMask.set(mask, byValue);
    }
    put(byValue, value, index);
  }

  collect(bits: bigint, into: number[]): void {
    for (const [mask, byValue] of this.#byMask) {
      collect(byValue, bits & mask, into);
    }
  }
}

/**
 * Index of the rules of a long chain that may match a packet, so that the cost does not depend on the number of
 * Services, or of rules for single clients. There are many such chains in a dispatch tree, so each map exists only if
 * it has rules.
 */
export class RuleIndex {
  readonly #others: number[] = [];
  #byDestination: Map<string, Positions> | undefined;
  /** A Service may have thousands of ports. */
  #byDestinationAndPort: Map<string, Positions> | undefined;
  #byDestinationNetwork: NetworkIndex | undefined;
  #bySource: NetworkIndex | undefined;
  #byPort: Map<number, Positions> | undefined;

  constructor(rules: readonly CompiledRule[]) {
    for (const [index, rule] of rules.entries()) {
      const { destination, networks, port } = rule;
      if (destination !== undefined && port !== undefined) {
        this.#byDestinationAndPort ??= new Map();
        put(this.#byDestinationAndPort, `${destination} ${port}`, index);
      } else if (destination !== undefined) {
        this.#byDestination ??= new Map();
        put(this.#byDestination, destination, index);
      } else if (networks?.source !== undefined) {
        this.#bySource ??= new NetworkIndex();
        this.#bySource.add(networks.source, index);
      } else if (networks?.destination !== undefined) {
        this.#byDestinationNetwork ??= new NetworkIndex();
        this.#byDestinationNetwork.add(networks.destination, index);
      } else if (port !== undefined) {
        this.#byPort ??= new Map();
        put(this.#byPort, port, index);
      } else {
        this.#others.push(index);
      }
    }
  }

  /** Positions of rules, in the order of the chain. */
  candidates({ destination, destinationBits, port, sourceBits }: Walker): readonly number[] {
    const found: number[] = [];
    collect(this.#byDestination, destination, found);
    if (this.#byDestinationAndPort !== undefined) {
      collect(this.#byDestinationAndPort, `${destination} ${port}`, found);
    }
    this.#bySource?.collect(sourceBits, found);
    this.#byDestinationNetwork?.collect(destinationBits, found);
    collect(this.#byPort, port, found);
    return found.length === 0 ? this.#others : merged(this.#others, found);
  }
}

function collect<Key>(lists: ReadonlyMap<Key, Positions> | undefined, key: Key, into: number[]): void {
  const list = lists?.get(key);
  if (typeof list === 'number') {
    into.push(list);
  } else if (list !== undefined) {
    for (const at of list) {
      into.push(at);
    }
  }
}

function put<Key>(lists: Map<Key, Positions>, key: Key, index: number): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, index);
  } else if (typeof list === 'number') {
    lists.set(key, [list, index]);
  } else {
    list.push(index);
  }
}

/** @param sorted in ascending order. */
function merged(sorted: readonly number[], more: number[]): readonly number[] {
  more.sort((a, b) => a - b);
  const all: number[] = [];
  let next = 0;
  for (const at of sorted) {
    while (next < more.length && (more[next] as number) < at) {
      all.push(more[next++] as number);
    }
    all.push(at);
  }
  for (; next < more.length; next++) {
    all.push(more[next] as number);
  }
  return all;
}
