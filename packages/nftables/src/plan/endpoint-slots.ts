import { createHash } from 'node:crypto';
import type { Endpoint } from '@kube-proxier/core';
import type { ServiceOptions } from './service-options.js';

/** What of a Service's options decides about slots. */
export type Balancing = Pick<ServiceOptions, 'loadBalancing' | 'weightOf'>;

/**
 * Which endpoint each slot stands for. A packet draws a slot at random, or, with `maglev`, gets the one that its source
 * address hashes to.
 */
export function endpointSlots(
  endpoints: readonly Endpoint[],
  { loadBalancing, weightOf }: Balancing,
): readonly Endpoint[] {
  if (loadBalancing === 'maglev') {
    return maglevSlots(endpoints, weightOf);
  }
  if (weightOf === undefined) {
    return endpoints.length < LONG_LIST ? endpoints : steadySlots(endpoints);
  }
  const weights = endpoints.map(weightOf);
  const common = weights.reduce(greatestCommonDivisor, 0);
  return endpoints.flatMap((endpoint, index) => Array<Endpoint>((weights[index] ?? 1) / common).fill(endpoint));
}

/** How many slots there will be, without making them. */
export function slotCount(endpoints: readonly Endpoint[], { loadBalancing, weightOf }: Balancing): number {
  if (loadBalancing === 'maglev') {
    return endpoints.length === 0 ? 0 : tableSize(endpoints.length);
  }
  if (weightOf === undefined) {
    return endpoints.length;
  }
  const weights = endpoints.map(weightOf);
  const common = weights.reduce(greatestCommonDivisor, 0);
  return weights.reduce((sum, weight) => sum + weight / common, 0);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

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
function steadySlots(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const known = ARRANGED.get(endpoints);
  if (known !== undefined) {
    return known;
  }
  const { length } = endpoints;
  const seeds = Uint32Array.from(endpoints, ({ key }) => textHash(key));
  const tries = new Uint32Array(length);
  const holders = new Int32Array(length).fill(NO_ENDPOINT);
  const prefers = (slot: number, one: number, other: number) => {
    const [a, b] = [mixed(seeds[one] as number, ~slot), mixed(seeds[other] as number, ~slot)];
    return a === b ? (endpoints[one] as Endpoint).key < (endpoints[other] as Endpoint).key : a < b;
  };
  // Slots beyond the last are skipped, so that the order of the others is the same with one endpoint more or less.
  const mask = 2 ** Math.ceil(Math.log2(length)) - 1;
  for (let next = 0; next < length; next++) {
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
  ARRANGED.set(endpoints, arranged);
  return arranged;
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
function maglevSlots(endpoints: readonly Endpoint[], weightOf: ServiceOptions['weightOf']): readonly Endpoint[] {
  const size = slotCount(endpoints, { loadBalancing: 'maglev', weightOf });
  if (size === 0) {
    return [];
  }
  const inTurn = [...endpoints].sort((a, b) => (a.key < b.key ? -1 : 1)).map((endpoint) => chooser(endpoint, size));
  const weights = inTurn.map(({ endpoint }) => weightOf?.(endpoint) ?? 1);
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
