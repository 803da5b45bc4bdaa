import { createHash } from 'node:crypto';
import {
  type Endpoint,
  finish,
  proportionalParts,
  type Slices,
  selectionSlots,
  selectionWeights,
} from '@kube-proxier/core';
import type { ServiceOptions } from './service-options.js';

/** What of a Service's options decides about slots. */
export type Balancing = Pick<ServiceOptions, 'loadBalancing'>;

/**
 * Which endpoint each slot stands for. A packet draws a slot at random, or, with `maglev`, gets the one that its source
 * address hashes to.
 */
export function endpointSlots(endpoints: readonly Endpoint[], { loadBalancing }: Balancing): readonly Endpoint[] {
  const arranged = loadBalancing === 'maglev' ? undefined : ARRANGED.get(endpoints);
  if (arranged !== undefined) {
    return arranged.slots;
  }
  const weights = selectionWeights(endpoints);
  if (loadBalancing === 'maglev') {
    return maglevSlots(endpoints, weights);
  }
  if (weights === undefined) {
    return endpoints.length < LONG_LIST ? endpoints : steadySlots(endpoints, undefined);
  }
  const parts = partsOf(weights);
  return weights.length < LONG_LIST
    ? endpoints.flatMap((endpoint, index) => Array<Endpoint>(parts[index] ?? 1).fill(endpoint))
    : steadySlots(endpoints, parts);
}

/** How many slots there will be, without making them. */
export function slotCount(endpoints: readonly Endpoint[], { loadBalancing }: Balancing): number {
  if (loadBalancing === 'maglev') {
    return endpoints.length === 0 ? 0 : tableSize(endpoints.length);
  }
  const arranged = ARRANGED.get(endpoints);
  if (arranged !== undefined) {
    return arranged.slots.length;
  }
  const weights = selectionWeights(endpoints);
  return weights === undefined ? endpoints.length : partsOf(weights).reduce((sum, part) => sum + part, 0);
}

/** Slots of each endpoint: its weight, or as near to it as a bounded table allows. */
function partsOf(weights: readonly number[]): readonly number[] {
  return proportionalParts(weights, selectionSlots(weights.length));
}

/**
 * Finds out beforehand, for a long list, what {@link endpointSlots} then knows. Yields after some endpoints each, so that a caller can
 * pause.
 *
 * @param previous the list before a change, of which seeds are reused. The result is the same without it.
 */
export function* arrangeSlotsInSlices(
  endpoints: readonly Endpoint[],
  balancing: () => Balancing,
  previous?: readonly Endpoint[],
): Slices<void> {
  if (endpoints.length >= LONG_LIST && !ARRANGED.has(endpoints) && balancing().loadBalancing !== 'maglev') {
    const weights = selectionWeights(endpoints);
    const seeds = previous && ARRANGED.get(previous)?.seeds;
    const known = previous && seeds && { endpoints: previous, seeds };
    yield* steadySlotsInSlices(endpoints, weights && partsOf(weights), known);
  }
}

/** Endpoints that are arranged between two pauses. */
const BETWEEN_PAUSES = 64;
/** Endpoints from which on they do not stand in their order. */
const LONG_LIST = 64;
const NO_ENDPOINT = -1;
/** A changed Service is requested before and after the change, and so costs once. */
const ARRANGED = new WeakMap<readonly Endpoint[], Arrangement>();

interface Arrangement {
  readonly slots: readonly Endpoint[];
  /** Of each endpoint, where each has one slot; undefined with weights. */
  readonly seeds: Uint32Array | undefined;
}

/** A list with the seeds of its endpoints. */
interface KnownSeeds {
  readonly endpoints: readonly Endpoint[];
  readonly seeds: Uint32Array;
}

/**
 * A slot for each endpoint, such that one that comes or goes moves few others: of 5,000 some hundred, where in order
 * all after it would move. It is the stable matching (Gale and Shapley, 1962) of endpoints, which try slots in an order
 * of their own, and slots, which prefer some endpoints to others, both by hash. There is one such matching, so it follows
 * from the endpoints alone, independent of their order.
 */
function steadySlots(list: readonly Endpoint[], parts: readonly number[] | undefined): readonly Endpoint[] {
  return finish(steadySlotsInSlices(list, parts));
}

/** {@link steadySlots}. Yields after some endpoints each, so that a caller can pause. */
function* steadySlotsInSlices(
  list: readonly Endpoint[],
  parts: readonly number[] | undefined,
  known?: KnownSeeds,
): Slices<readonly Endpoint[]> {
  const endpoints = parts === undefined ? list : repeated(list, parts);
  const { length } = endpoints;
  yield;
  const seeds = parts === undefined && known !== undefined ? changedSeeds(endpoints, known) : seedsOf(endpoints);
  const matching: Matching = {
    seeds,
    tries: new Uint32Array(length),
    holders: new Int32Array(length).fill(NO_ENDPOINT),
    ranks: new Uint32Array(length),
  };
  for (let from = 0; from < length; from += BETWEEN_PAUSES) {
    yield;
    match(matching, from, Math.min(length, from + BETWEEN_PAUSES));
  }
  const arranged = new Array<Endpoint>(length);
  for (const [slot, index] of matching.holders.entries()) {
    arranged[slot] = endpoints[index] as Endpoint;
  }
  ARRANGED.set(list, { slots: arranged, seeds: parts === undefined ? seeds : undefined });
  return arranged;
}

function repeated(list: readonly Endpoint[], parts: readonly number[]): readonly Endpoint[] {
  return list.flatMap((endpoint, index) => Array<Endpoint>(parts[index] ?? 1).fill(endpoint));
}

/** Endpoints by their place in the list, and slots by number. Mutable. */
interface Matching {
  /** Of each endpoint. */
  readonly seeds: Uint32Array;
  /** How many slots each endpoint has tried. */
  readonly tries: Uint32Array;
  /** The endpoint of each slot. */
  readonly holders: Int32Array;
  /** How much each slot likes its endpoint: less is better. */
  readonly ranks: Uint32Array;
}

/** Finds slots for some endpoints, and for those that they take one from. Called for each endpoint of long lists, so it makes no objects. */
function match({ seeds, tries, holders, ranks }: Matching, from: number, to: number): void {
  const { length } = holders;
  // Slots beyond the last are skipped, so that the order of the others is the same with one endpoint more or less.
  const mask = 2 ** Math.ceil(Math.log2(length)) - 1;
  for (let next = from; next < to; next++) {
    for (let seeker = next; seeker !== NO_ENDPOINT; ) {
      const seed = seeds[seeker] as number;
      const number = (tries[seeker] as number) + 1;
      tries[seeker] = number;
      const slot = mixed(seed, number) & mask;
      if (slot >= length) {
        continue;
      }
      const holder = holders[slot] as number;
      const rank = mixed(seed, ~slot);
      const held = ranks[slot] as number;
      if (holder === NO_ENDPOINT || rank < held || (rank === held && seeker < holder)) {
        holders[slot] = seeker;
        ranks[slot] = rank;
        seeker = holder;
      }
    }
  }
}

/** A number for each slot that an endpoint has; they stand beside each other in the list. */
function seedsOf(endpoints: readonly Endpoint[]): Uint32Array {
  const seeds = new Uint32Array(endpoints.length);
  let previous: Endpoint | undefined;
  let hash = 0;
  let copy = 0;
  for (const [index, endpoint] of endpoints.entries()) {
    if (endpoint === previous) {
      copy += 1;
    } else {
      copy = 0;
      hash = textHash(endpoint.key);
      previous = endpoint;
    }
    seeds[index] = copy === 0 ? hash : mixed(hash, copy);
  }
  return seeds;
}

/** Endpoints after the expected one among which the next is looked for. */
const LOOK_AHEAD = 128;

/** As {@link seedsOf}, of endpoints that have one slot each. Most of them are the same objects as in the known list, in the same order. */
function changedSeeds(endpoints: readonly Endpoint[], known: KnownSeeds): Uint32Array {
  const seeds = new Uint32Array(endpoints.length);
  let place = 0;
  for (let index = 0; index < seeds.length; index++) {
    const endpoint = endpoints[index] as Endpoint;
    const end = Math.min(known.endpoints.length, place + LOOK_AHEAD);
    let found = place;
    while (found < end && known.endpoints[found] !== endpoint) {
      found++;
    }
    if (found < end) {
      seeds[index] = known.seeds[found] as number;
      place = found + 1;
    } else {
      seeds[index] = textHash(endpoint.key);
    }
  }
  return seeds;
}

/** FNV-1a, 32 bits. */
function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** For a given seed every number gives another: so every slot is tried some time. */
function mixed(seed: number, number: number): number {
  let hash = Math.imul(seed ^ number, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Primes, each some four times the one before, so that a Service that grows rarely changes to another. */
const TABLE_SIZES = [251, 1021, 4093, 16_381, 65_521];
/** Slots per endpoint at least: shares then differ by a few percent at most. */
const SLOTS_PER_ENDPOINT = 20;

function tableSize(endpoints: number): number {
  return TABLE_SIZES.find((size) => size >= endpoints * SLOTS_PER_ENDPOINT) ?? 65_521;
}

/**
 * The lookup table of Maglev (Eisenbud and others, NSDI 2016, §3.4): every endpoint has its own order of preference
 * over the slots, and they choose in turn, as often as they weigh. It depends on keys and weights only, so all nodes
 * have the same, and one endpoint that comes or goes moves few of the others' clients.
 */
function maglevSlots(endpoints: readonly Endpoint[], own: readonly number[] | undefined): readonly Endpoint[] {
  const size = slotCount(endpoints, { loadBalancing: 'maglev' });
  if (size === 0) {
    return [];
  }
  const byKey = endpoints
    .map((endpoint, index) => ({ endpoint, weight: own?.[index] ?? 1 }))
    .sort((a, b) => (a.endpoint.key < b.endpoint.key ? -1 : 1));
  const inTurn = byKey.map(({ endpoint }) => chooser(endpoint, size));
  const weights = byKey.map(({ weight }) => weight);
  const most = Math.max(...weights);
  const due = inTurn.map(() => 0);
  const slots = new Array<Endpoint | undefined>(size).fill(undefined);
  for (let filled = 0; filled < size; ) {
    for (let index = 0; index < inTurn.length && filled < size; index++) {
      const one = inTurn[index] as Chooser;
      due[index] = (due[index] ?? 0) + (weights[index] ?? 1);
      // The heaviest chooses in every round, one of half the weight in every second.
      if ((due[index] ?? 0) < most) {
        continue;
      }
      due[index] = (due[index] ?? 0) - most;
      while (slots[one.next] !== undefined) {
        one.next = (one.next + one.step) % size;
      }
      slots[one.next] = one.endpoint;
      filled++;
    }
  }
  return slots as readonly Endpoint[];
}

interface Chooser {
  readonly endpoint: Endpoint;
  readonly step: number;
  next: number;
}

function chooser(endpoint: Endpoint, size: number): Chooser {
  const digest = createHash('sha256').update(endpoint.key).digest();
  return { endpoint, next: digest.readUInt32BE(0) % size, step: (digest.readUInt32BE(4) % (size - 1)) + 1 };
}
