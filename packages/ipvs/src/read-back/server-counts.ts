import {
  AccumulatedCounts,
  type CountingCapability,
  countsConnections,
  type Directions,
  type EndpointCounter,
  formatServicePortName,
  type IPFamily,
  joinHostPort,
  type ProxyState,
  type ResolvedServicePort,
  type ServiceCounts,
} from '@kube-proxier/core';
import { type Ipvs, type RealServerCounts, type VirtualServerAddress, virtualServerKey } from '@kube-proxier/linux';

/** The kernel counts all of them for each real server. */
export const COUNTING: CountingCapability = {
  servicePorts: ['connections', 'packets', 'bytes'],
  endpoints: ['connections', 'packets', 'bytes'],
};

type Quantity = Exclude<keyof RealServerCounts, 'address' | 'port'>;

const QUANTITIES: readonly Quantity[] = [
  'connections',
  'packetsToServer',
  'packetsToClients',
  'bytesToServer',
  'bytesToClients',
];

/** A {@link ServiceCounts} that is being put together. */
interface Counted extends ServiceCounts {
  readonly quantities: Partial<Record<Quantity, number>>;
}

/** Source of a {@link ServerCounts}. */
export interface ServerCountsOptions {
  readonly family: IPFamily;
  readonly ipvs: Pick<Ipvs, 'counts'>;
  /** Default for counting connections, for Services without the annotation. */
  readonly countAll: boolean;
  readonly virtualServersOf: (state: ProxyState, port: ResolvedServicePort) => readonly VirtualServerAddress[];
}

/**
 * Totals of service ports and endpoints, from the statistics of their virtual servers. The kernel always counts;
 * reading costs a request for each virtual server of the counted service ports. A re-added real server counts from 0,
 * and its total continues; counts between the last read and its removal are lost.
 */
export class ServerCounts {
  readonly #totals: Readonly<Record<Quantity, AccumulatedCounts>>;

  constructor(private readonly options: ServerCountsOptions) {
    const { family } = options;
    this.#totals = {
      connections: new AccumulatedCounts(family),
      packetsToServer: new AccumulatedCounts(family),
      packetsToClients: new AccumulatedCounts(family),
      bytesToServer: new AccumulatedCounts(family),
      bytesToClients: new AccumulatedCounts(family),
    };
  }

  /** @param state in force; undefined for none. */
  async read(state: ProxyState | undefined): Promise<readonly ServiceCounts[]> {
    const found: (Omit<EndpointCounter, 'value'> & { readonly counts: RealServerCounts })[] = [];
    // A sync may change the state during the read.
    for (const { at, firstPort, ...of } of state === undefined ? [] : this.#countedServers(state)) {
      for (const counts of await this.options.ipvs.counts(at)) {
        // A virtual server of a range keeps the port; its endpoints have the first one.
        const endpoint = joinHostPort(counts.address, counts.port === 0 ? firstPort : counts.port);
        found.push({ ...of, id: `${virtualServerKey(at)} ${endpoint}`, endpoint, counts });
      }
    }
    for (const quantity of QUANTITIES) {
      const total = this.#totals[quantity];
      total.add(found.map(({ counts, ...counter }) => ({ ...counter, value: counts[quantity] })));
      total.retain(found);
    }
    return this.#merged();
  }

  #countedServers(state: ProxyState) {
    const { countAll, virtualServersOf } = this.options;
    return [...state.servicePorts.values()].flatMap((port) => {
      if (!countsConnections(port.servicePort.annotations, countAll)) {
        return [];
      }
      const of = { service: formatServicePortName(port.name), protocol: port.name.protocol };
      return virtualServersOf(state, port).map((at) => ({ ...of, at, firstPort: port.servicePort.port }));
    });
  }

  #merged(): readonly ServiceCounts[] {
    const merged = new Map<string, Counted>();
    for (const quantity of QUANTITIES) {
      for (const { connections = 0, ...of } of this.#totals[quantity].counts()) {
        const key = `${of.service} ${of.protocol} ${of.endpoint ?? ''}`;
        const counted = merged.get(key) ?? { ...of, quantities: {} };
        merged.set(key, counted);
        counted.quantities[quantity] = connections;
      }
    }
    return [...merged.values()].map(({ quantities, ...of }) => ({
      ...of,
      connections: quantities.connections ?? 0,
      packets: directions(quantities.packetsToServer, quantities.packetsToClients),
      bytes: directions(quantities.bytesToServer, quantities.bytesToClients),
    }));
  }
}

function directions(toEndpoints = 0, toClients = 0): Directions {
  return { toEndpoints, toClients };
}
