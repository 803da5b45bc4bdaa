import type { BackendMeasurement, BackendMetric, CountingCapability } from '@kube-proxier/core';
import { COUNTERS } from './plan/fixed-chains.js';

/** Rules of the nat table match only the first packet of each connection, so their packet counters are connections. */
export const COUNTING: CountingCapability = { servicePorts: ['connections'], endpoints: ['connections'] };

/** Metrics by the counter of the kernel that each is read from, with the names of kube-proxy (spec I-72). */
const METRICS: readonly (readonly [counter: string, metric: BackendMetric])[] = [
  [
    COUNTERS.invalidDropped,
    {
      type: 'counter',
      name: 'kubeproxy_iptables_ct_state_invalid_dropped_packets_total',
      help: 'Packets dropped in conntrack state INVALID',
      labels: [],
    },
  ],
  [
    COUNTERS.localhostNodePorts,
    {
      type: 'counter',
      name: 'kubeproxy_iptables_localhost_nodeports_accepted_packets_total',
      help: 'Connections to NodePorts on loopback addresses',
      labels: [],
    },
  ],
];

/**
 * Packets that rules count, if the kernel has counters for them.
 *
 * @param read returns the value of a counter; undefined where the kernel has none.
 */
export function packetMeasurement(read: (counter: string) => Promise<number | undefined>): BackendMeasurement {
  return {
    name: 'packets',
    source: 'kernel',
    metrics: METRICS.map(([, metric]) => metric),
    async read() {
      const samples = [];
      for (const [counter, metric] of METRICS) {
        const value = await read(counter);
        if (value !== undefined) {
          samples.push({ metric: metric.name, labels: {}, value });
        }
      }
      return samples;
    },
  };
}
