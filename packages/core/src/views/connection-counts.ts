import type { MetricSample } from '../contract/backend-metrics.js';
import type { IPFamily } from '../model/address.js';
import { formatServicePortName, type ServicePortName } from '../model/service-port-name.js';

/** Connections to service ports, as a backend counted them. */
export class ConnectionCounts {
  readonly #counts = new Map<string, { readonly metric: string; value: number }>();

  /**
   * @param samples of metrics whose `counts` is `connections`, without those of endpoints. Where two metrics count the same service
   * port, the first one counts.
   */
  constructor(samples: Iterable<MetricSample>) {
    for (const { metric, labels, value, family } of samples) {
      const key = keyOf(labels.service, labels.protocol, family ?? labels.ip_family);
      const known = this.#counts.get(key);
      if (known === undefined) {
        this.#counts.set(key, { metric, value });
      } else if (known.metric === metric) {
        known.value += value;
      }
    }
  }

  /** Undefined where connections to the service port are not counted. */
  of(name: ServicePortName, family: IPFamily): number | undefined {
    return this.#counts.get(keyOf(formatServicePortName(name), name.protocol, family))?.value;
  }
}

function keyOf(service = '', protocol = '', family = ''): string {
  return `${service} ${protocol} ${family}`;
}
