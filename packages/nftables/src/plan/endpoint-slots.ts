import { hash } from 'node:crypto';
import {
  type Endpoint,
  finish,
  proportionalParts,
  SLOW_START_PARTS,
  type Slices,
  selectionSlots,
  selectionWeights,
} from '@kube-proxier/core';
import type { ServiceOptions } from './service-options.js';
import { matchSlots, mixed, NONE, rematchSlots, type SlotMatching } from './steady-slots.js';

/** The options of a Service that affect slots. */
export interface Balancing extends Pick<ServiceOptions, 'loadBalancing'> {
  /**
   * Whether a packet redraws after a number without a slot: most changes of weights then keep the range of numbers, so
   * that only slots change ({@link drawOf}). Default false: each number has a slot.
   */
  readonly drawsAgain?: boolean;
}

/**
 * The endpoint of each slot. A packet selects a slot at random, or, with `maglev`, by the hash of its source address.
 */
export function endpointSlots(endpoints: readonly Endpoint[], balancing: Balancing): readonly Endpoint[] {
  const { loadBalancing } = balancing;
  const arranged = arrangedOf(endpoints, balancing);
  if (arranged !== undefined) {
    return arranged.slots;
  }
  const weights = selectionWeights(endpoints);
  if (loadBalancing === 'maglev') {
    return maglevSlots(endpoints, weights);
  }
  if (weights === undefined) {
    return endpoints.length < LONG_LIST ? endpoints : steadySlots(endpoints, undefined, balancing);
  }
  const parts = partsOf(endpoints, weights, balancing);
  return weights.length < LONG_LIST
    ? endpoints.flatMap((endpoint, index) => Array<Endpoint>(parts[index] ?? 1).fill(endpoint))
    : steadySlots(endpoints, parts, balancing);
}

/** The cached slots of a list with these options. */
function arrangedOf(endpoints: readonly Endpoint[], { loadBalancing, drawsAgain }: Balancing): Arrangement | undefined {
  const arranged = loadBalancing === 'maglev' ? undefined : ARRANGED.get(endpoints);
  // Equal endpoints have one slot each, however it is drawn.
  return arranged?.matching !== undefined || arranged?.drawsAgain === (drawsAgain ?? false) ? arranged : undefined;
}

/** The number of slots, without computing them. */
export function slotCount(endpoints: readonly Endpoint[], balancing: Balancing): number {
  const { loadBalancing } = balancing;
  if (loadBalancing === 'maglev') {
    return endpoints.length === 0 ? 0 : tableSize(endpoints.length);
  }
  const arranged = arrangedOf(endpoints, balancing);
  if (arranged !== undefined) {
    return arranged.slots.length;
  }
  const weights = selectionWeights(endpoints);
  return weights === undefined ? endpoints.length : sumOf(partsOf(endpoints, weights, balancing));
}

/** The range that a packet draws from. */
export interface Draw {
  /** The size of the range, of which the first {@link slotCount} numbers have slots. */
  readonly count: number;
  /**
   * Whether numbers may have no slot. `count` is then a power of two, the same for most weights, and less than twice
   * the slots.
   */
  readonly isRepeated: boolean;
}

export function drawOf(endpoints: readonly Endpoint[], balancing: Balancing): Draw {
  const slots = slotCount(endpoints, balancing);
  const isRepeated =
    balancing.drawsAgain === true && balancing.loadBalancing !== 'maglev' && selectionWeights(endpoints) !== undefined;
  return { count: isRepeated ? powerOfTwo(slots) : slots, isRepeated };
}

/**
 * Maximum number of draws: the probability of finding no slot is 2⁻²⁰ if half of the numbers have none. The packet then
 * gets the first slot.
 */
export const DRAWS = 20;

/** Maximum number of endpoints for redraws: more of them have too many slots. */
const FEW = 6;

/** Number of slots of each endpoint: its weight, or an approximation within the bounded table. */
function partsOf(
  endpoints: readonly Endpoint[],
  weights: readonly number[],
  { drawsAgain = false }: Balancing,
): readonly number[] {
  const limit = selectionSlots(weights.length);
  if (!drawsAgain) {
    return proportionalParts(weights, limit);
  }
  const whole = wholeParts(endpoints, weights, limit);
  if (weights.length > FEW) {
    return whole;
  }
  const times = Math.floor(powerOfTwo(weights.length * SLOW_START_PARTS) / sumOf(whole));
  return times > 1 ? whole.map((part) => part * times) : whole;
}

/** During slow start of an endpoint, the slots of the others are constant, regardless of the common divisor. */
function wholeParts(endpoints: readonly Endpoint[], weights: readonly number[], limit: number): readonly number[] {
  if (endpoints.some(({ slowStart }) => slowStart !== undefined)) {
    const divisor = endpoints.map(({ weight }) => weight).reduce(greatestCommonDivisor, 0);
    const parts = endpoints.map(({ weight, slowStart = SLOW_START_PARTS }) => (weight / divisor) * slowStart);
    if (sumOf(parts) <= limit) {
      return parts;
    }
  }
  return proportionalParts(weights, limit);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** The smallest element that is not less. */
function powerOfTwo(number: number): number {
  return 2 ** Math.ceil(Math.log2(number));
}

/**
 * Precomputes {@link endpointSlots} for a long list. Yields after some endpoints each, so that a caller can pause.
 *
 * @param previous the list before a change, of which the slots are reused. The result is the same without it.
 */
export function* arrangeSlotsInSlices(
  endpoints: readonly Endpoint[],
  balancing: () => Balancing,
  previous?: readonly Endpoint[],
): Slices<void> {
  if (endpoints.length < LONG_LIST) {
    return;
  }
  const how = balancing();
  if (how.loadBalancing !== 'maglev' && arrangedOf(endpoints, how) === undefined) {
    const weights = selectionWeights(endpoints);
    const matching = previous && ARRANGED.get(previous)?.matching;
    const known = previous && matching && { endpoints: previous, matching };
    yield* steadySlotsInSlices(endpoints, weights && partsOf(endpoints, weights, how), how, known);
  }
}

/** Number of endpoints from which slots are not in list order. */
const LONG_LIST = 64;
/** Cache: a changed Service is looked up before and after the change. */
const ARRANGED = new WeakMap<readonly Endpoint[], Arrangement>();

interface Arrangement {
  readonly slots: readonly Endpoint[];
  /** The matching with one slot per endpoint; undefined with weights. */
  readonly matching: SlotMatching | undefined;
  /** The cached list. */
  readonly drawsAgain: boolean;
}

/** A list with one slot per endpoint. */
interface KnownMatching {
  readonly endpoints: readonly Endpoint[];
  readonly matching: SlotMatching;
}

/** One slot per endpoint, or as many as its weight: adding or removing one moves few others ({@link SlotMatching}). */
function steadySlots(
  list: readonly Endpoint[],
  parts: readonly number[] | undefined,
  balancing: Balancing,
): readonly Endpoint[] {
  return finish(steadySlotsInSlices(list, parts, balancing));
}

/** {@link steadySlots}. Yields after some endpoints each, so that a caller can pause. */
function* steadySlotsInSlices(
  list: readonly Endpoint[],
  parts: readonly number[] | undefined,
  { drawsAgain = false }: Balancing,
  known?: KnownMatching,
): Slices<readonly Endpoint[]> {
  const endpoints = parts === undefined ? list : repeated(list, parts);
  yield;
  const matching =
    parts === undefined && known !== undefined
      ? yield* rematch(endpoints, known)
      : yield* matchSlots(seedsOf(endpoints));
  const slots = inSlots(endpoints, matching.holders);
  ARRANGED.set(list, { slots, matching: parts === undefined ? matching : undefined, drawsAgain });
  return slots;
}

/** Not `Array.from`, which calls a function for each element. */
function inSlots(endpoints: readonly Endpoint[], holders: Int32Array): readonly Endpoint[] {
  const slots = new Array<Endpoint>(holders.length);
  for (let slot = 0; slot < holders.length; slot++) {
    slots[slot] = endpoints[holders[slot] as number] as Endpoint;
  }
  return slots;
}

function repeated(list: readonly Endpoint[], parts: readonly number[]): readonly Endpoint[] {
  return list.flatMap((endpoint, index) => Array<Endpoint>(parts[index] ?? 1).fill(endpoint));
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

/** Number of endpoints after the expected one that are searched for the next. */
const LOOK_AHEAD = 128;

/** The matching of endpoints that have one slot each. Most of them are the same objects as in the known list, in the same order. */
function rematch(endpoints: readonly Endpoint[], { endpoints: known, matching }: KnownMatching): Slices<SlotMatching> {
  const seeds = new Uint32Array(endpoints.length);
  const before = new Int32Array(endpoints.length).fill(NONE);
  let place = 0;
  for (let index = 0; index < seeds.length; index++) {
    const endpoint = endpoints[index] as Endpoint;
    const found = placeOf(endpoint, known, place);
    if (found === NONE) {
      seeds[index] = textHash(endpoint.key);
    } else {
      before[index] = found;
      seeds[index] = matching.seeds[found] as number;
      place = found + 1;
    }
  }
  return rematchSlots(matching, seeds, before);
}

function placeOf(endpoint: Endpoint, known: readonly Endpoint[], from: number): number {
  const end = Math.min(known.length, from + LOOK_AHEAD);
  for (let place = from; place < end; place++) {
    if (known[place] === endpoint) {
      return place;
    }
  }
  // Endpoints of a changed EndpointSlice are new objects.
  return known[from]?.key === endpoint.key ? from : NONE;
}

/** FNV-1a, 32 bits. */
function textHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** Primes, each about four times the previous one, so that a growing Service rarely changes its table size. */
const TABLE_SIZES = [251, 1021, 4093, 16_381, 65_521];
/** Minimum slots per endpoint: shares then differ by at most a few percent. */
const SLOTS_PER_ENDPOINT = 20;

function tableSize(endpoints: number): number {
  return TABLE_SIZES.find((size) => size >= endpoints * SLOTS_PER_ENDPOINT) ?? 65_521;
}

/**
 * The lookup table of Maglev (Eisenbud and others, NSDI 2016, §3.4): every endpoint has a permutation of the slots, and
 * endpoints take slots in turn, in proportion to their weights. It depends on keys and weights only, so all nodes have
 * the same table, and adding or removing an endpoint moves few clients of the others.
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
      // The heaviest takes a slot in every round, one of half the weight in every second.
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
  const digest = hash('sha256', endpoint.key, 'hex');
  const next = Number.parseInt(digest.slice(0, 8), 16) % size;
  return { endpoint, next, step: (Number.parseInt(digest.slice(8, 16), 16) % (size - 1)) + 1 };
}
