import type { Endpoint, Protocol, ServicePortName } from '@kube-proxier/core';
import { type CountedEndpoint, counterElements, namesOf, namesOfEndpoint } from './counted-endpoints.js';
import { TRAFFIC_DIRECTIONS, type TrafficDirection } from './layout.js';

/** The subject of a packet counter. */
export interface CountedTraffic {
  readonly servicePort: ServicePortName;
  readonly direction: TrafficDirection;
  /** Absent for all removed endpoints. */
  readonly endpoint?: Pick<Endpoint, 'address' | 'port'>;
}

/** Short: the kernel allows names of 255 bytes. */
const DIRECTION_NAMES: Readonly<Record<TrafficDirection, string>> = { 'to-endpoints': 'in', 'to-clients': 'out' };
const COUNTER = /^traffic\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)(?:\/([\da-f.-]+)\/(\d+))?\/(in|out)$/;

/**
 * The name of the counter of an endpoint of a service port, such as `traffic/default/web/http/tcp/10.0.0.1/80/in`. nft
 * does not allow colons in names, so IPv6 addresses have hyphens.
 */
export function trafficCounter({ servicePort, direction, endpoint }: CountedTraffic): string {
  const where = endpoint === undefined ? [] : namesOfEndpoint(endpoint);
  return ['traffic', ...namesOf(servicePort), ...where, DIRECTION_NAMES[direction]].join('/');
}

/** The subject of a counter; undefined for other counters. */
export function trafficCountedBy(counter: string): CountedTraffic | undefined {
  const [, namespace, name, portName = '', protocol, address, port, direction] = COUNTER.exec(counter) ?? [];
  return namespace === undefined || name === undefined || protocol === undefined
    ? undefined
    : {
        servicePort: { namespace, name, portName, protocol: protocol.toUpperCase() as Protocol },
        direction: direction === DIRECTION_NAMES['to-endpoints'] ? 'to-endpoints' : 'to-clients',
        ...(address === undefined ? {} : { endpoint: { address: address.replaceAll('-', ':'), port: Number(port) } }),
      };
}

/** Counters of the packets of a service port, and of each of its endpoints. */
export interface TrafficElements {
  readonly counters: readonly string[];
  readonly elements: readonly [container: string, key: string, value: string][];
}

/** The objects of a service port with counted packets. */
export function trafficElements(servicePort: ServicePortName, endpoints: readonly CountedEndpoint[]): TrafficElements {
  const counters = TRAFFIC_DIRECTIONS.map((direction) => trafficCounter({ servicePort, direction }));
  const elements: [string, string, string][] = [];
  for (const counted of endpoints) {
    for (const direction of TRAFFIC_DIRECTIONS) {
      const counter = trafficCounter({ servicePort, direction, endpoint: counted.endpoint });
      counters.push(counter);
      elements.push(...counterElements(counted, direction, counter));
    }
  }
  return { counters, elements };
}
