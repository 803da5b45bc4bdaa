import {
  type Directions,
  formatServicePortName,
  type IPFamily,
  joinHostPort,
  type ServiceCounts,
  type ServicePortName,
} from '@kube-proxier/core';
import type { NftCounter } from '@kube-proxier/linux';
import { connectionsCountedBy } from '../plan/counted-endpoints.js';
import { countedBy } from '../plan/service-counters.js';
import { type CountedTraffic, trafficCountedBy } from '../plan/traffic-counters.js';

interface Totals {
  connections?: number;
  packets?: Directions;
  bytes?: Directions;
}

/** The counts of a table's counters. The packets of a service port include those of its removed endpoints. Pure. */
export function countedServices(counters: ReadonlyMap<string, NftCounter>, family: IPFamily): readonly ServiceCounts[] {
  const found = new Map<string, ServiceCounts & Totals>();
  const entry = (servicePort: ServicePortName, endpoint?: string): Totals => {
    const service = formatServicePortName(servicePort);
    const { protocol } = servicePort;
    const key = `${service} ${protocol} ${endpoint ?? ''}`;
    const known = found.get(key);
    const counted = known ?? { service, protocol, family, ...(endpoint === undefined ? {} : { endpoint }) };
    if (known === undefined) {
      found.set(key, counted);
    }
    return counted;
  };
  for (const [name, counter] of counters) {
    const servicePort = countedBy(name);
    if (servicePort !== undefined) {
      entry(servicePort).connections = counter.packets;
      continue;
    }
    const ofEndpoint = connectionsCountedBy(name);
    if (ofEndpoint !== undefined) {
      const { address, port } = ofEndpoint.endpoint;
      entry(ofEndpoint.servicePort, joinHostPort(address, port)).connections = counter.packets;
      continue;
    }
    const traffic = trafficCountedBy(name);
    if (traffic !== undefined) {
      add(entry(traffic.servicePort), traffic, counter);
    }
    if (traffic?.endpoint !== undefined) {
      const { address, port } = traffic.endpoint;
      add(entry(traffic.servicePort, joinHostPort(address, port)), traffic, counter);
    }
  }
  return [...found.values()];
}

function add(totals: Totals, { direction }: CountedTraffic, { packets, bytes }: NftCounter): void {
  totals.packets = plus(totals.packets, direction, packets);
  totals.bytes = plus(totals.bytes, direction, bytes);
}

function plus(
  { toEndpoints, toClients }: Directions = { toEndpoints: 0, toClients: 0 },
  direction: CountedTraffic['direction'],
  added: number,
): Directions {
  return direction === 'to-endpoints'
    ? { toEndpoints: toEndpoints + added, toClients }
    : { toEndpoints, toClients: toClients + added };
}
