import type { IPFamily } from '../model/address.js';
import type { Protocol } from '../model/service-port-name.js';
import type { ServiceCounts } from './service-counts.js';

/** A kernel counter of connections to one endpoint of a service port. */
export interface EndpointCounter {
  /** Name of the counter. */
  readonly id: string;
  /** Name of the service port. */
  readonly service: string;
  readonly protocol: Protocol;
  readonly endpoint: string;
  /** Its value in the kernel. */
  readonly value: number;
}

interface ServiceTotal {
  readonly service: string;
  readonly protocol: Protocol;
  connections: number;
  readonly endpoints: Map<string, number>;
}

/**
 * Connection totals from kernel counters, which are reset to 0 when their rule or set element is written again. The
 * total of a service port includes removed endpoints.
 */
export class AccumulatedCounts {
  readonly #last = new Map<string, number>();
  readonly #totals = new Map<string, ServiceTotal>();

  /** @param family of all counters. */
  constructor(private readonly family: IPFamily) {}

  /** Adds the increments since the last call. */
  add(counters: Iterable<EndpointCounter>): void {
    for (const { id, service, protocol, endpoint, value } of counters) {
      const last = this.#last.get(id) ?? 0;
      const added = value >= last ? value - last : value;
      this.#last.set(id, value);
      const key = keyOf(service, protocol);
      const total = this.#totals.get(key) ?? { service, protocol, connections: 0, endpoints: new Map() };
      this.#totals.set(key, total);
      total.connections += added;
      total.endpoints.set(endpoint, (total.endpoints.get(endpoint) ?? 0) + added);
    }
  }

  /** These counters were reset or removed. */
  restart(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#last.delete(id);
    }
  }

  /** Removes all service ports, endpoints and counters except these. */
  retain(counters: Iterable<Omit<EndpointCounter, 'value'>>): void {
    const ids = new Set<string>();
    const endpoints = new Map<string, Set<string>>();
    for (const { id, service, protocol, endpoint } of counters) {
      ids.add(id);
      const key = keyOf(service, protocol);
      const own = endpoints.get(key) ?? new Set();
      endpoints.set(key, own.add(endpoint));
    }
    this.restart([...this.#last.keys()].filter((id) => !ids.has(id)));
    for (const [key, total] of this.#totals) {
      const own = endpoints.get(key);
      if (own === undefined) {
        this.#totals.delete(key);
        continue;
      }
      for (const endpoint of total.endpoints.keys()) {
        if (!own.has(endpoint)) {
          total.endpoints.delete(endpoint);
        }
      }
    }
  }

  /** Totals of every service port, and of its endpoints. */
  counts(): readonly ServiceCounts[] {
    const { family } = this;
    return [...this.#totals.values()].flatMap(({ service, protocol, connections, endpoints }) => [
      { service, protocol, family, connections },
      ...[...endpoints].map(([endpoint, own]) => ({ service, protocol, family, endpoint, connections: own })),
    ]);
  }
}

function keyOf(service: string, protocol: Protocol): string {
  return `${service} ${protocol}`;
}
