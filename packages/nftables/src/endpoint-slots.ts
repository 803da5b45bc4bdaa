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
    return endpoints;
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
