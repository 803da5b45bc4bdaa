import type { CompiledRule } from './compiled-rule.js';
import type { BitNetwork } from './ip-bits.js';
import type { Walker } from './walker.js';

/** Positions of rules by a network that an address must be in. */
class NetworkIndex {
  /** By mask: a chain has few different ones. */
  readonly #byMask = new Map<bigint, Map<bigint, number[]>>();

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
      for (const index of byValue.get(bits & mask) ?? []) {
        into.push(index);
      }
    }
  }
}

/**
 * Index of the rules of a long chain that may match a packet, so that the cost does not depend on the number of
 * Services, or of rules for single clients.
 */
export class RuleIndex {
  readonly #others: number[] = [];
  readonly #byDestination = new Map<string, number[]>();
  /** A Service may have thousands of ports. */
  readonly #byDestinationAndPort = new Map<string, number[]>();
  readonly #byDestinationNetwork = new NetworkIndex();
  readonly #bySource = new NetworkIndex();
  readonly #byPort = new Map<number, number[]>();

  constructor(rules: readonly CompiledRule[]) {
    for (const [index, rule] of rules.entries()) {
      const { destination, networks, port } = rule;
      if (destination !== undefined && port !== undefined) {
        put(this.#byDestinationAndPort, `${destination} ${port}`, index);
      } else if (destination !== undefined) {
        put(this.#byDestination, destination, index);
      } else if (networks?.source !== undefined) {
        this.#bySource.add(networks.source, index);
      } else if (networks?.destination !== undefined) {
        this.#byDestinationNetwork.add(networks.destination, index);
      } else if (port !== undefined) {
        put(this.#byPort, port, index);
      } else {
        this.#others.push(index);
      }
    }
  }

  /** Positions of rules, in the order of the chain. */
  candidates({ destination, destinationBits, port, sourceBits }: Walker): readonly number[] {
    const found: number[] = [];
    for (const at of this.#byDestination.get(destination) ?? []) {
      found.push(at);
    }
    for (const at of this.#byDestinationAndPort.get(`${destination} ${port}`) ?? []) {
      found.push(at);
    }
    this.#bySource.collect(sourceBits, found);
    this.#byDestinationNetwork.collect(destinationBits, found);
    for (const at of this.#byPort.get(port) ?? []) {
      found.push(at);
    }
    return found.length === 0 ? this.#others : merged(this.#others, found);
  }
}

function put<Key>(lists: Map<Key, number[]>, key: Key, index: number): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [index]);
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
