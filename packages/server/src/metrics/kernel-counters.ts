import { type Clock, formatServicePortName, type IPFamily, type ServicePortName } from '@kube-proxier/core';
import type { Registry } from 'prom-client';
import { BackgroundReading } from './background-reading.js';
import { KERNEL_METRICS } from './metric-catalogue.js';
import { type MetricOf, registerMetric } from './register-metrics.js';

/** Packet counters of rules; undefined if the kernel does not support them. */
export interface PacketCountsReport {
  /** Dropped packets in conntrack state INVALID. */
  readonly invalidDropped: number | undefined;
  /** Connections to NodePorts on 127.0.0.0/8. */
  readonly localhostNodePorts: number | undefined;
}

/** Connection counter of one service port. */
export interface ServiceConnectionsReport {
  readonly servicePort: ServicePortName;
  readonly family: IPFamily;
  /** Total so far. */
  readonly connections: number;
}

const PACKET_COUNTERS = ['invalidDropped', 'localhostNodePorts'] as const;

/**
 * Metrics whose values the kernel counts. They are read in the background while metrics are scraped: no scrape waits for
 * the kernel or a tool, and a gauge reports the age of the values.
 */
export class KernelCounters {
  private packets: BackgroundReading<PacketCountsReport> | undefined;
  /** By what is counted. */
  private readonly readings = new Map<'packets' | 'connections', Pick<BackgroundReading<unknown>, 'age'>>();

  constructor(
    private readonly registry: Registry,
    private readonly clock: Clock,
  ) {}

  /** A metric is created with its first value: it is absent where the kernel has no such counter. */
  watchPackets(counts: () => Promise<PacketCountsReport>): void {
    const counters = new Map<string, MetricOf<(typeof KERNEL_METRICS)[(typeof PACKET_COUNTERS)[number]]>>();
    const reading = this.read('packets', counts, (report) => {
      for (const key of PACKET_COUNTERS) {
        const count = report[key];
        if (count === undefined) {
          continue;
        }
        const counter =
          counters.get(key) ?? registerMetric(this.registry, KERNEL_METRICS[key], () => void reading.latest());
        counters.set(key, counter);
        counter.reset();
        counter.inc(count);
      }
    });
    this.packets = reading;
  }

  /** Reads packet counters now, since they may exist from now on. */
  refreshPackets(): void {
    void this.packets?.refresh();
  }

  watchConnections(connections: () => Promise<readonly ServiceConnectionsReport[]>): void {
    const counter = registerMetric(this.registry, KERNEL_METRICS.connections, () => void reading.latest());
    const reading = this.read('connections', connections, (reports) => {
      counter.reset();
      for (const { servicePort, family, connections: count } of reports) {
        counter.inc(
          { service: formatServicePortName(servicePort), protocol: servicePort.protocol, ip_family: family },
          count,
        );
      }
    });
  }

  private read<T>(
    what: 'packets' | 'connections',
    read: () => Promise<T>,
    onRead: (value: T) => void,
  ): BackgroundReading<T> {
    const { readings } = this;
    if (readings.size === 0) {
      registerMetric(this.registry, KERNEL_METRICS.age, (gauge) => {
        gauge.reset();
        for (const [counters, { age }] of readings) {
          if (age !== undefined) {
            gauge.set({ counters }, age / 1000);
          }
        }
      });
    }
    const reading = new BackgroundReading(read, this.clock, onRead);
    readings.set(what, reading);
    return reading;
  }
}
