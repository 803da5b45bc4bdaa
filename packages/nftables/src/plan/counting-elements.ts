import { countsConnections, countsTraffic, type ResolvedServicePort } from '@kube-proxier/core';
import { countedEndpoints, counterElements, type EndpointSelector, endpointCounter } from './counted-endpoints.js';
import { NO_SHARED_ADDRESSES, type SharedAddresses } from './endpoint-claims.js';
import { COUNT_SERVICE, ENDPOINT_COUNT_CHAINS, type KindChain, TRAFFIC_CHAINS } from './frontend-chains.js';
import { counterOf } from './service-counters.js';
import { trafficElements } from './traffic-counters.js';

/** What is counted, besides what annotations of Services request. */
export interface CountOptions {
  /** Default for counting connections, for Services without the annotation. */
  readonly countAll: boolean;
  /** Default for counting packets, for Services without the annotation. Default false. */
  readonly countAllTraffic?: boolean;
  /** Whether this host can count for each endpoint. Default true. */
  readonly canCountEndpoints?: boolean;
  /** Addresses that do not identify a counted service port. Default none. */
  readonly sharedAddresses?: SharedAddresses;
}

/** What counts the connections and packets of a service port, besides the elements of its frontends. */
export interface CountingElements {
  /** The counter of all its connections; undefined where they are not counted. */
  readonly ofService: string | undefined;
  /** All counters. */
  readonly counters: readonly string[];
  /** Elements that refer to counters of endpoints. */
  readonly elements: readonly (readonly [container: string, key: string, value: string])[];
  readonly chains: readonly KindChain[];
}

const NOTHING: CountingElements = { ofService: undefined, counters: [], elements: [], chains: [] };

/** Pure. */
export function countingElements(
  port: ResolvedServicePort,
  { countAll, countAllTraffic = false, canCountEndpoints = true, sharedAddresses = NO_SHARED_ADDRESSES }: CountOptions,
  selector?: EndpointSelector,
): CountingElements {
  const { annotations } = port.servicePort;
  const ofService = countsConnections(annotations, countAll) ? counterOf(port.name) : undefined;
  const countsPackets = canCountEndpoints && countsTraffic(annotations, countAllTraffic);
  if (ofService === undefined && !countsPackets) {
    return NOTHING;
  }
  const elements: [string, string, string][] = [];
  const chains: KindChain[] = [];
  const counters: string[] = [];
  const endpoints = canCountEndpoints ? countedEndpoints(port, sharedAddresses, selector) : [];
  if (ofService !== undefined) {
    chains.push(COUNT_SERVICE, ...(canCountEndpoints ? ENDPOINT_COUNT_CHAINS : []));
    counters.push(ofService);
    for (const counted of endpoints) {
      const ofEndpoint = endpointCounter({ servicePort: port.name, endpoint: counted.endpoint });
      counters.push(ofEndpoint);
      elements.push(...counterElements(counted, 'connections', ofEndpoint));
    }
  }
  if (countsPackets) {
    const traffic = trafficElements(port.name, endpoints);
    chains.push(...TRAFFIC_CHAINS);
    counters.push(...traffic.counters);
    elements.push(...traffic.elements);
  }
  return { ofService, counters, elements, chains };
}
