import {
  type ApplyReport,
  type BackendMeasurement,
  type BackendMetric,
  type BackendModule,
  BoundedSeries,
  type Clock,
  type CountedQuantity,
  type IPFamily,
  type MetricSample,
  type SyncMetrics,
  TrafficCounts,
} from '@kube-proxier/core';
import type { Counter, Gauge, Registry } from 'prom-client';
import { BackgroundReading } from './background-reading.js';
import { KERNEL_COUNTERS_AGE } from './metric-catalogue.js';
import { registerMetric } from './register-metrics.js';

type Metric = Counter | Gauge;
type RegisteredSyncMetrics = { readonly [Key in keyof SyncMetrics]: Metric };

/** Default maximum series of a counter of Services, without the summed one. */
export const DEFAULT_COUNTER_SERIES = 100;

/** The metrics of the backend whose mode is in force. */
export class BackendMetrics {
  readonly #readings = new Map<string, BackgroundReading<readonly MetricSample[]>>();
  readonly #sync: RegisteredSyncMetrics;
  readonly #measurements: readonly BackendMeasurement[];
  /** Bounded series of the metrics that count Services. */
  readonly #series = new Map<string, BoundedSeries>();

  constructor(
    private readonly registry: Registry,
    private readonly clock: Clock,
    { metrics = [], syncMetrics = {} }: Pick<BackendModule, 'metrics' | 'syncMetrics'>,
    counterSeries = DEFAULT_COUNTER_SERIES,
  ) {
    this.#measurements = metrics;
    this.#sync = Object.fromEntries(
      Object.entries(syncMetrics).map(([key, metric]: [string, BackendMetric]) => [
        key,
        registerMetric(registry, metric),
      ]),
    );
    for (const { name, counts } of metrics.flatMap((measurement) => measurement.metrics)) {
      if (counts !== undefined) {
        this.#series.set(name, new BoundedSeries(counterSeries));
      }
    }
    for (const measurement of metrics) {
      if (measurement.source === 'process') {
        this.#collect(measurement);
      } else {
        this.#readInBackground(measurement);
      }
    }
  }

  /** Reads the counters of the kernel, which may have been created now. */
  refresh(): void {
    for (const reading of this.#readings.values()) {
      void reading.refresh();
    }
  }

  /** Whether newer {@link counts} are being read from the kernel. */
  get isReadingCounts(): boolean {
    return [...this.#readings.values()].some((reading) => reading.isReading);
  }

  /** The last known counts of service ports and endpoints. Never waits for the kernel. */
  counts(): TrafficCounts {
    const quantities = new Map<string, CountedQuantity>();
    const samples = this.#measurements.flatMap((measurement) => {
      const { metrics } = measurement;
      const counting = metrics.flatMap(({ name, counts }) => (counts === undefined ? [] : [[name, counts] as const]));
      for (const [name, counts] of counting) {
        quantities.set(name, counts);
      }
      if (counting.length === 0) {
        return [];
      }
      return measurement.source === 'process'
        ? measurement.read()
        : (this.#readings.get(measurement.name)?.latest() ?? []);
    });
    return new TrafficCounts(samples, quantities);
  }

  synced(family: IPFamily, report: ApplyReport | undefined): void {
    for (const [table, { total, written }] of Object.entries(report?.rules ?? {})) {
      set(this.#sync.rules, { table, ip_family: family }, total);
      set(this.#sync.rulesWritten, { table, ip_family: family }, written);
    }
    if (report?.leftovers) {
      this.#sync.leftovers?.inc({ ip_family: family });
    }
  }

  failed(family: IPFamily, full: boolean): void {
    this.#sync.failed?.inc({ ip_family: family });
    if (!full) {
      this.#sync.partialFailed?.inc({ ip_family: family });
    }
  }

  #collect({ metrics, read }: Extract<BackendMeasurement, { source: 'process' }>): void {
    let samples: SamplesByMetric | undefined;
    // A scrape collects all metrics in one turn of the event loop: they share one read.
    const readOnce = (): SamplesByMetric => {
      if (samples === undefined) {
        samples = samplesByMetric(read());
        queueMicrotask(() => {
          samples = undefined;
        });
      }
      return samples;
    };
    for (const metric of metrics) {
      registerMetric(this.registry, metric, (registered) => this.#setValues(registered, metric, readOnce()));
    }
  }

  #readInBackground({ name, metrics, read }: Extract<BackendMeasurement, { source: 'kernel' }>): void {
    if (this.#readings.size === 0) {
      this.#reportAges();
    }
    const registered = new Map<string, Metric>();
    const reading = new BackgroundReading(read, this.clock, (values) => {
      const samples = samplesByMetric(values);
      for (const metric of metrics) {
        let found = registered.get(metric.name);
        if (found === undefined && samples.has(metric.name)) {
          found = registerMetric(this.registry, metric);
          registered.set(metric.name, found);
        }
        if (found !== undefined) {
          this.#setValues(found, metric, samples);
        }
      }
    });
    this.#readings.set(name, reading);
  }

  /** Replaces all values of a metric. */
  #setValues(metric: Metric, { name }: BackendMetric, all: SamplesByMetric): void {
    const samples = all.get(name) ?? [];
    metric.reset();
    for (const { labels, value } of this.#series.get(name)?.update(samples) ?? samples) {
      metric.inc(labels, value);
    }
  }

  #reportAges(): void {
    registerMetric(this.registry, KERNEL_COUNTERS_AGE, (gauge) => {
      gauge.reset();
      for (const [counters, reading] of this.#readings) {
        // A scrape returns cached values, and triggers a read for the next one.
        void reading.latest();
        if (reading.age !== undefined) {
          gauge.set({ counters }, reading.age / 1000);
        }
      }
    });
  }
}

type SamplesByMetric = ReadonlyMap<string, readonly MetricSample[]>;

function samplesByMetric(samples: readonly MetricSample[]): SamplesByMetric {
  const byMetric = new Map<string, MetricSample[]>();
  for (const sample of samples) {
    const own = byMetric.get(sample.metric);
    if (own) {
      own.push(sample);
    } else {
      byMetric.set(sample.metric, [sample]);
    }
  }
  return byMetric;
}

function set(metric: Metric | undefined, labels: Readonly<Record<string, string>>, value: number): void {
  if (metric !== undefined && 'set' in metric) {
    metric.set(labels, value);
  }
}
