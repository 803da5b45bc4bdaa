import { firstNetworkWith } from './address.js';
import type { Endpoint } from './endpoint.js';
import { PORT_RANGE_ANNOTATION } from './port-range.js';
import { WHEN_ENDPOINT_GOES_ANNOTATION } from './when-endpoint-goes.js';

/** Annotation of a Service or an EndpointSlice: weights of endpoints, `10.244.1.0/24=3, node/big=5, pod/web-0=0`. */
export const ENDPOINT_WEIGHTS_ANNOTATION = 'kube-proxier.io/endpoint-weights';
/** Annotation of an EndpointSlice: the weight of all of its endpoints. */
export const SLICE_WEIGHT_ANNOTATION = 'kube-proxier.io/weight';
/** Cilium's annotation of the same meaning. {@link SLICE_WEIGHT_ANNOTATION} takes precedence. */
export const CILIUM_SLICE_WEIGHT_ANNOTATION = 'service.cilium.io/weight';
/** Annotation of a Service: how long an endpoint takes from first ready to its whole weight: `30s`, `2m`. */
export const SLOW_START_ANNOTATION = 'kube-proxier.io/slow-start';

/** Annotations of a Service that core reads; they are not passed to backends as options. */
export const CORE_ANNOTATIONS: readonly string[] = [
  ENDPOINT_WEIGHTS_ANNOTATION,
  SLOW_START_ANNOTATION,
  WHEN_ENDPOINT_GOES_ANNOTATION,
  PORT_RANGE_ANNOTATION,
];

/** The weight of an endpoint that no annotation names. */
export const DEFAULT_WEIGHT = 1;
/** The largest weight. */
export const MAX_WEIGHT = 65_535;
/** Number of slow start steps: an endpoint gets a multiple of this fraction of its weight. */
export const SLOW_START_PARTS = 10;

/** The endpoints that a weight applies to. */
export type WeightSelector =
  | {
      readonly kind: 'network';
      /** A canonical network; one address as a network of full length. */
      readonly network: string;
    }
  | { readonly kind: 'node' | 'pod'; readonly name: string };

/** A weight of some endpoints: an item of the annotation `kube-proxier.io/endpoint-weights`. */
export interface WeightRule {
  readonly selector: WeightSelector;
  /** 0…65535. */
  readonly weight: number;
}

/** Rules by selector, with their positions in the order. */
interface RuleIndex {
  /** By `address`, `node/NAME` or `pod/NAME`: the first rule for it. */
  readonly exact: ReadonlyMap<string, number>;
  readonly networks: readonly string[];
  readonly placesOfNetworks: readonly number[];
}

const INDEXES = new WeakMap<readonly WeightRule[], RuleIndex>();

function indexOf(rules: readonly WeightRule[]): RuleIndex {
  let index = INDEXES.get(rules);
  if (index === undefined) {
    const exact = new Map<string, number>();
    const networks: string[] = [];
    const placesOfNetworks: number[] = [];
    for (const [place, { selector }] of rules.entries()) {
      const key = selector.kind === 'network' ? addressOf(selector.network) : `${selector.kind}/${selector.name}`;
      if (key === undefined && selector.kind === 'network') {
        networks.push(selector.network);
        placesOfNetworks.push(place);
      } else if (key !== undefined && !exact.has(key)) {
        exact.set(key, place);
      }
    }
    index = { exact, networks, placesOfNetworks };
    INDEXES.set(rules, index);
  }
  return index;
}

/** The only address of a network; undefined when it has more. */
function addressOf(network: string): string | undefined {
  return /^(.*:.*)\/128$|^([^:]*)\/32$/
    .exec(network)
    ?.slice(1)
    .find((address) => address !== undefined);
}

/** The weight of an endpoint by the first rule that selects it; undefined when none does. */
export function weightByRules(
  rules: readonly WeightRule[],
  endpoint: Pick<Endpoint, 'address' | 'nodeName' | 'podName'>,
): number | undefined {
  if (rules.length === 0) {
    return undefined;
  }
  const { exact, networks, placesOfNetworks } = indexOf(rules);
  const places = [
    exact.get(endpoint.address),
    exact.get(`node/${endpoint.nodeName}`),
    exact.get(`pod/${endpoint.podName}`),
    networks.length === 0 ? undefined : placesOfNetworks[firstNetworkWith(networks, endpoint.address)],
  ].filter((place) => place !== undefined);
  return places.length === 0 ? undefined : rules[Math.min(...places)]?.weight;
}

/** Whether a ready endpoint, or a terminating one used in its place, may get new connections. Weight 0 drains it. */
export function isDrained({ weight }: Pick<Endpoint, 'weight'>): boolean {
  return weight === 0;
}

/**
 * The selection weights of the endpoints of a list, in its order, slow start included, reduced by their common divisor
 * (spec E-1, E-9).
 *
 * @param endpoints of one list (`ResolvedServicePort.cluster` or `local`), none of which is drained.
 * @returns whole numbers, 1…65535; undefined where all endpoints are equal, which is the common case.
 */
export function selectionWeights(endpoints: readonly Endpoint[]): readonly number[] | undefined {
  if (endpoints.length < LONG_LIST) {
    return calculatedWeights(endpoints);
  }
  const known = WEIGHTS.get(endpoints);
  if (known !== undefined) {
    return known.weights;
  }
  const weights = calculatedWeights(endpoints);
  WEIGHTS.set(endpoints, { weights });
  return weights;
}

/** Minimum number of endpoints for caching: below it, computing the result again is faster. */
const LONG_LIST = 1024;
/** Cache for long lists, which are looked up several times with each change. */
const WEIGHTS = new WeakMap<readonly Endpoint[], { readonly weights: readonly number[] | undefined }>();

function calculatedWeights(endpoints: readonly Endpoint[]): readonly number[] | undefined {
  const [first] = endpoints;
  if (
    first === undefined ||
    endpoints.every(({ weight, slowStart }) => weight === first.weight && slowStart === first.slowStart)
  ) {
    return undefined;
  }
  const isStarting = endpoints.some(({ slowStart }) => slowStart !== undefined);
  const weights = isStarting
    ? endpoints.map(({ weight, slowStart = SLOW_START_PARTS }) => weight * slowStart)
    : endpoints.map(({ weight }) => weight);
  const divisor = weights.reduce(greatestCommonDivisor, 0);
  const largest = Math.max(...weights) / divisor;
  const scale = largest > MAX_WEIGHT ? MAX_WEIGHT / largest : 1;
  const scaled = weights.map((weight) => Math.max(1, Math.floor((weight / divisor) * scale)));
  return scaled.every((weight) => weight === scaled[0]) ? undefined : scaled;
}

/**
 * Maximum number of slots of a list with unequal weights, by number of endpoints, in a mode that selects by slots (spec
 * E-9).
 */
export function selectionSlots(endpoints: number): number {
  return Math.max(1024, endpoints * 8);
}

/**
 * Integers in the proportion of the weights, as exact as the limit of their sum allows, for selection by slots.
 *
 * @param weights of {@link selectionWeights}.
 * @param limit of the sum; at least the number of weights.
 * @returns each at least 1. The weights themselves where their sum is within the limit; else the largest remainders are rounded up.
 */
export function proportionalParts(weights: readonly number[], limit: number): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (sum <= limit) {
    return weights;
  }
  // One slot per endpoint is reserved, so that each has at least one.
  const exact = weights.map((weight) => (weight / sum) * limit);
  const parts = exact.map((part) => Math.max(1, Math.floor(part)));
  let left = limit - parts.reduce((total, part) => total + part, 0);
  const byRemainder = exact
    .map((part, index) => ({ index, remainder: part - (parts[index] ?? 0) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder) {
    if (left <= 0) {
      break;
    }
    parts[index] = (parts[index] ?? 0) + 1;
    left -= 1;
  }
  // Shares below one slot were rounded up: the largest shares are reduced in return.
  while (left < 0) {
    const most = parts.indexOf(Math.max(...parts));
    const give = Math.min(-left, (parts[most] ?? 1) - 1);
    parts[most] = (parts[most] ?? 0) - give;
    left += give;
  }
  return parts;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
