import type { CountedQuantity, MetricSample } from '../contract/backend-metrics.js';
import type { Directions } from '../counting/service-counts.js';
import type { IPFamily } from '../model/address.js';
import { formatServicePortName, type ServicePortName } from '../model/service-port-name.js';

/** Counts of a service port or one of its endpoints; absent quantities are not counted. */
export interface TrafficCount {
  readonly connections?: number;
  readonly packets?: Directions;
  readonly bytes?: Directions;
}

interface Count {
  readonly metric: string;
  readonly values: Map<string, number>;
}

const NO_DIRECTION = '';

/** Connections, packets and bytes of service ports and endpoints, as a backend counted them. */
export class TrafficCounts {
  readonly #counts = new Map<string, Partial<Record<CountedQuantity, Count>>>();

  /**
   * @param samples of metrics that count Services. If two metrics count the same quantity of a service port, the first
   *   is used.
   * @param quantities what each of these metrics counts, by its name.
   */
  constructor(samples: Iterable<MetricSample>, quantities: ReadonlyMap<string, CountedQuantity>) {
    for (const { metric, labels, value, family } of samples) {
      const quantity = quantities.get(metric);
      if (quantity === undefined) {
        continue;
      }
      const key = keyOf(labels.service, labels.protocol, family ?? labels.ip_family, labels.endpoint);
      const counts = this.#counts.get(key) ?? {};
      this.#counts.set(key, counts);
      counts[quantity] ??= { metric, values: new Map() };
      const { metric: first, values } = counts[quantity];
      if (first === metric) {
        const { direction = NO_DIRECTION } = labels;
        values.set(direction, (values.get(direction) ?? 0) + value);
      }
    }
  }

  /** Whether nothing was counted. */
  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /**
   * The counts of a service port.
   *
   * @param endpoint `address:port` of one of its endpoints. Default: the service port as a whole.
   */
  of(name: ServicePortName, family: IPFamily, endpoint?: string): TrafficCount {
    const counts = this.#counts.get(keyOf(formatServicePortName(name), name.protocol, family, endpoint));
    const connections = counts?.connections?.values.get(NO_DIRECTION);
    const [packets, bytes] = [directions(counts?.packets), directions(counts?.bytes)];
    return {
      ...(connections === undefined ? {} : { connections }),
      ...(packets === undefined ? {} : { packets }),
      ...(bytes === undefined ? {} : { bytes }),
    };
  }
}

function directions(count: Count | undefined): Directions | undefined {
  return (
    count && {
      toEndpoints: count.values.get('to-endpoints') ?? 0,
      toClients: count.values.get('to-clients') ?? 0,
    }
  );
}

function keyOf(service = '', protocol = '', family = '', endpoint = ''): string {
  return `${service} ${protocol} ${family} ${endpoint}`;
}
