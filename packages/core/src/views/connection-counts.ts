import type { MetricSample } from '../contract/backend-metrics.js';
import type { IPFamily } from '../model/address.js';
import { formatServicePortName, type ServicePortName } from '../model/service-port-name.js';

/** Connections to service ports, as a backend counted them. */
export class ConnectionCounts {
  readonly #counts = new Map<string, number>();

  /** @param samples of metrics whose `counts` is `connections`. */
  constructor(samples: Iterable<MetricSample>) {
    for (const { labels, value, family } of samples) {
      const key = keyOf(labels.service, labels.protocol, family ?? labels.ip_family);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + value);
    }
  }

  /** Undefined where connections to the service port are not counted. */
  of(name: ServicePortName, family: IPFamily): number | undefined {
    return this.#counts.get(keyOf(formatServicePortName(name), name.protocol, family));
  }
}

function keyOf(service = '', protocol = '', family = ''): string {
  return `${service} ${protocol} ${family}`;
}
