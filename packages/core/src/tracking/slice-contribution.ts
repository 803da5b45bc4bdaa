import { joinHostPort } from '../model/address.js';
import { compactEndpoint, endpointWith, hasTraits } from '../model/compact-endpoint.js';
import type { Endpoint } from '../model/endpoint.js';
import { DEFAULT_WEIGHT, type WeightRule, weightByRules } from '../model/endpoint-weights.js';
import { type ServicePortKey, servicePortKey } from '../model/service-port-name.js';
import type { EndpointSliceDefinition } from '../objects/definitions.js';
import { SmallMap } from './small-map.js';
import { compareKeys, findEndpoint, NO_ENDPOINTS, type SortedEndpoints } from './sorted-endpoints.js';

/** The content of one EndpointSlice for each service port. */
export interface SliceContribution extends SliceContent {
  /** When the change that caused it happened, in milliseconds since the epoch; undefined when that is not known. */
  readonly triggerTime?: number | undefined;
}

/** What is kept of a {@link SliceContribution}. */
export interface SliceContent {
  readonly ports: SmallMap<ServicePortKey, SortedEndpoints>;
  /** Addresses whose weight the slice has; the Service's weights apply to the others. */
  readonly weighted: ReadonlySet<string>;
}

const NO_ADDRESSES: ReadonlySet<string> = new Set();

/**
 * The content of a slice. Pure.
 *
 * @param rules weights of its Service, for endpoints without a weight of their own.
 * @param known the content before; endpoints that did not change are the same objects.
 */
export function contributionOf(
  slice: EndpointSliceDefinition,
  nodeName: string,
  rules: readonly WeightRule[],
  known: SliceContent | undefined,
): SliceContribution {
  const ports = new SmallMap<ServicePortKey, SortedEndpoints>();
  for (const { portName, protocol, port } of slice.ports) {
    const key = servicePortKey({ namespace: slice.namespace, name: slice.serviceName, portName, protocol });
    const before = known?.ports.get(key) ?? NO_ENDPOINTS;
    const endpoints = slice.endpoints.map((definition): Endpoint => {
      const endpoint: Endpoint = {
        key: joinHostPort(definition.address, port),
        address: definition.address,
        port,
        isLocal: definition.nodeName !== undefined && definition.nodeName === nodeName,
        ready: definition.ready,
        serving: definition.serving,
        terminating: definition.terminating,
        weight: definition.weight ?? weightByRules(rules, definition) ?? DEFAULT_WEIGHT,
        nodeName: definition.nodeName,
        podName: definition.podName,
        sliceName: slice.name,
        zoneHints: definition.zoneHints,
        nodeHints: definition.nodeHints,
        notReadyReason: definition.notReadyReason,
      };
      const same = findEndpoint(before, endpoint.key);
      return same && sameEndpoint(same, endpoint) ? same : compactEndpoint(endpoint);
    });
    const earlier = ports.get(key);
    ports.set(key, uniqueSorted(earlier ? [...earlier, ...endpoints] : endpoints));
  }
  const weighted = slice.endpoints.filter(({ weight }) => weight !== undefined);
  return {
    ports,
    triggerTime: slice.triggerTime,
    weighted: weighted.length === 0 ? NO_ADDRESSES : new Set(weighted.map(({ address }) => address)),
  };
}

/** The same endpoints with the weights of other rules of their Service. Pure. */
export function weighed(contribution: SliceContribution, rules: readonly WeightRule[]): SliceContribution {
  const ports = new SmallMap<ServicePortKey, SortedEndpoints>();
  for (const [key, endpoints] of contribution.ports) {
    ports.set(
      key,
      endpoints.map((endpoint) => {
        const weight = weightByRules(rules, endpoint) ?? DEFAULT_WEIGHT;
        return contribution.weighted.has(endpoint.address) || endpoint.weight === weight
          ? endpoint
          : endpointWith(endpoint, { weight });
      }),
    );
  }
  return { ...contribution, ports };
}

function sameEndpoint(left: Endpoint, right: Endpoint): boolean {
  return left.key === right.key && left.podName === right.podName && hasTraits(left, right);
}

/**
 * Which of two entries for the same address and port is used (spec K-36; B-2 where kube-proxy leaves it undefined): the
 * one that is not terminating (a new pod can have the address of a terminating one), then the ready one, then the
 * serving one, then an entry with a known node: without it, the endpoint would count as not local. Remaining
 * differences are resolved by text order, that of the node first: the order of events never decides, and all nodes use
 * the same entry. Pure.
 */
export function better(left: Endpoint, right: Endpoint): Endpoint {
  if (left.terminating !== right.terminating) {
    return left.terminating ? right : left;
  }
  if (left.ready !== right.ready) {
    return left.ready ? left : right;
  }
  if (left.serving !== right.serving) {
    return left.serving ? left : right;
  }
  if (left.nodeName !== right.nodeName) {
    return right.nodeName === undefined || (left.nodeName !== undefined && left.nodeName < right.nodeName)
      ? left
      : right;
  }
  return JSON.stringify(left) <= JSON.stringify(right) ? left : right;
}

function uniqueSorted(endpoints: readonly Endpoint[]): SortedEndpoints {
  if (endpoints.every((endpoint, index) => index === 0 || (endpoints[index - 1] as Endpoint).key < endpoint.key)) {
    return endpoints;
  }
  const sorted = [...endpoints].sort(compareKeys);
  const unique: Endpoint[] = [];
  for (const endpoint of sorted) {
    const last = unique.at(-1);
    if (last?.key === endpoint.key) {
      unique[unique.length - 1] = better(last, endpoint);
    } else {
      unique.push(endpoint);
    }
  }
  return unique;
}

/** Same endpoints for the same ports; equal endpoints are the same objects here. */
export function sameContent(left: SliceContent | undefined, right: SliceContent | undefined): boolean {
  if (left === right) {
    return true;
  }
  if (!left || !right || left.ports.size !== right.ports.size) {
    return false;
  }
  for (const [key, endpoints] of left.ports) {
    const others = right.ports.get(key);
    if (
      !others ||
      others.length !== endpoints.length ||
      endpoints.some((endpoint, index) => endpoint !== others[index])
    ) {
      return false;
    }
  }
  return true;
}
