import type { Endpoint, Protocol, ResolvedServicePort, ServicePortName } from '@kube-proxier/core';
import { TRAFFIC_DIRECTIONS, type TrafficDirection, type TrafficScope, trafficMap } from './layout.js';

/** What a counter of packets counts. */
export interface CountedTraffic {
  readonly servicePort: ServicePortName;
  readonly direction: TrafficDirection;
  /** Absent: all endpoints that are gone. */
  readonly endpoint?: Pick<Endpoint, 'address' | 'port'>;
}

/** Short: the kernel allows names of 255 bytes. */
const DIRECTION_NAMES: Readonly<Record<TrafficDirection, string>> = { 'to-endpoints': 'in', 'to-clients': 'out' };
const COUNTER = /^traffic\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)(?:\/([\da-f.-]+)\/(\d+))?\/(in|out)$/;

/**
 * The name of the counter of an endpoint of a service port, such as `traffic/default/web/http/tcp/10.0.0.1/80/in`. nft reads no
 * colons in names, so IPv6 addresses have hyphens.
 */
export function trafficCounter({ servicePort, direction, endpoint }: CountedTraffic): string {
  const { namespace, name, portName, protocol } = servicePort;
  const parts = ['traffic', namespace, name, ...(portName === '' ? [] : [portName]), protocol.toLowerCase()];
  const where = endpoint === undefined ? [] : [endpoint.address.replaceAll(':', '-'), endpoint.port];
  return [...parts, ...where, DIRECTION_NAMES[direction]].join('/');
}

/** What a counter counts; undefined when it is none of these. */
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

/** What a service port needs whose packets are counted. */
export interface TrafficElements {
  readonly counters: readonly string[];
  readonly elements: readonly [container: string, key: string, value: string][];
}

/**
 * Counters of all endpoints that a service port has, also of those that get no new connections: they have some that last.
 *
 * @param except another version of the service port: endpoints that both have alike may be left out.
 */
export function trafficElements(port: ResolvedServicePort, except?: ResolvedServicePort): TrafficElements {
  const counters: string[] = [];
  const elements: [string, string, string][] = [];
  const { name: servicePort } = port;
  for (const direction of TRAFFIC_DIRECTIONS) {
    counters.push(trafficCounter({ servicePort, direction }));
  }
  const hasRanges = port.frontends.some(({ lastPort }) => lastPort !== undefined);
  const isSame =
    !hasRanges &&
    except !== undefined &&
    except.frontends === port.frontends &&
    except.servicePort === port.servicePort;
  const others = new Set(isSame ? except.candidates.map(({ key }) => key) : []);
  // Ranges of one address would overlap, and the kernel refuses that.
  const inRanges = hasRanges ? new Map(port.candidates.map((endpoint) => [endpoint.address, endpoint])) : undefined;
  for (const endpoint of inRanges?.values() ?? port.candidates) {
    if (others.has(endpoint.key)) {
      continue;
    }
    for (const direction of TRAFFIC_DIRECTIONS) {
      const counter = trafficCounter({ servicePort, direction, endpoint });
      counters.push(counter);
      for (const { address, protocol, port: first, lastPort } of port.frontends) {
        const scope: TrafficScope = lastPort !== undefined ? 'range' : address === undefined ? 'node-port' : 'address';
        const portsFrom = (from: number) => (lastPort === undefined ? from : `${from}-${from + lastPort - first}`);
        const frontend = [...(address === undefined ? [] : [address]), protocol.toLowerCase(), portsFrom(first)];
        const key = [...frontend, endpoint.address, portsFrom(endpoint.port)].join(' . ');
        elements.push([trafficMap(scope, direction), key, counter]);
      }
    }
  }
  return { counters, elements };
}
