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
 */
export function* arrangeSlotsInSlices(endpoints: readonly Endpoint[], balancing: () => Balancing): Slices<void> {
  if (endpoints.length >= LONG_LIST && balancing().loadBalancing !== 'maglev') {
    const weights = selectionWeights(endpoints);
    yield* steadySlotsInSlices(endpoints, weights && partsOf(weights));
  }
}

/** Endpoints that are arranged between two pauses. */
const BETWEEN_PAUSES = 64;
/** Endpoints from which on they do not stand in their order. */
const LONG_LIST = 64;
const NO_ENDPOINT = -1;
/** A changed Service is requested before and after the change, and so costs once. */
const ARRANGED = new WeakMap<readonly Endpoint[], readonly Endpoint[]>();

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
): Slices<readonly Endpoint[]> {
  const known = ARRANGED.get(list);
  if (known !== undefined) {
    return known;
  }
  const endpoints = list.flatMap((endpoint, index) => Array<Endpoint>(parts?.[index] ?? 1).fill(endpoint));
  const { length } = endpoints;
  yield;
  const seeds = seedsOf(endpoints);
  yield;
  const tries = new Uint32Array(length);
  const holders = new Int32Array(length).fill(NO_ENDPOINT);
  const prefers = (slot: number, one: number, other: number) => {
    const [a, b] = [mixed(seeds[one] as number, ~slot), mixed(seeds[other] as number, ~slot)];
    return a === b ? one < other : a < b;
  };
  // Slots beyond the last are skipped, so that the order of the others is the same with one endpoint more or less.
  const mask = 2 ** Math.ceil(Math.log2(length)) - 1;
  for (let next = 0; next < length; next++) {
    if (next % BETWEEN_PAUSES === 0) {
      yield;
    }
    for (let seeker = next; seeker !== NO_ENDPOINT; ) {
      tries[seeker] = (tries[seeker] as number) + 1;
      const slot = mixed(seeds[seeker] as number, tries[seeker] as number) & mask;
      const holder = holders[slot];
      if (holder === NO_ENDPOINT || (holder !== undefined && prefers(slot, seeker, holder))) {
        holders[slot] = seeker;
        seeker = holder;
      }
    }
  }
  const arranged = Array.from(holders, (index) => endpoints[index] as Endpoint);
  ARRANGED.set(list, arranged);
  return arranged;
}

/** A number for each slot that an endpoint has; they stand beside each other in the list. */
function seedsOf(endpoints: readonly Endpoint[]): Uint32Array {
  let copy = 0;
  return Uint32Array.from(endpoints, (endpoint, index) => {
    copy = endpoint === endpoints[index - 1] ? copy + 1 : 0;
    const hash = textHash(endpoint.key);
    return copy === 0 ? hash : mixed(hash, copy);
  });
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
