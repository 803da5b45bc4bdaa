import {
  type ApplyReport,
  type BackendMeasurement,
  type BackendMetric,
  type BackendModule,
  type Clock,
  ConnectionCounts,
  type IPFamily,
  type MetricSample,
  type SyncMetrics,
} from '@kube-proxier/core';
import type { Counter, Gauge, Registry } from 'prom-client';
import { BackgroundReading } from './background-reading.js';
import { KERNEL_COUNTERS_AGE } from './metric-catalogue.js';
import { registerMetric } from './register-metrics.js';

type Metric = Counter | Gauge;
type RegisteredSyncMetrics = { readonly [Key in keyof SyncMetrics]: Metric };

/** The metrics of the backend whose mode is in force. */
export class BackendMetrics {
  readonly #readings = new Map<string, BackgroundReading<readonly MetricSample[]>>();
  readonly #sync: RegisteredSyncMetrics;
  readonly #measurements: readonly BackendMeasurement[];

  constructor(
    private readonly registry: Registry,
    private readonly clock: Clock,
    { metrics = [], syncMetrics = {} }: Pick<BackendModule, 'metrics' | 'syncMetrics'>,
  ) {
    this.#measurements = metrics;
    this.#sync = Object.fromEntries(
      Object.entries(syncMetrics).map(([key, metric]: [string, BackendMetric]) => [
        key,
        registerMetric(registry, metric),
      ]),
    );
    for (const measurement of metrics) {
      if (measurement.source === 'process') {
        this.#collect(measurement);
      } else {
        this.#readInBackground(measurement);
      }
    }
  }

  /** Reads the counters of the kernel now, since they may exist from now on. */
  refresh(): void {
    for (const reading of this.#readings.values()) {
      void reading.refresh();
    }
  }

  /** Connections to service ports, as far as they are counted and known. Never waits for the kernel. */
  connections(): ConnectionCounts {
    return new ConnectionCounts(
      this.#measurements.flatMap((measurement) => {
        const names = new Set(
          measurement.metrics.filter(({ counts }) => counts === 'connections').map(({ name }) => name),
        );
        if (names.size === 0) {
          return [];
        }
        const samples =
          measurement.source === 'process'
            ? measurement.read()
            : (this.#readings.get(measurement.name)?.latest() ?? []);
        return samples.filter(({ metric }) => names.has(metric));
      }),
    );
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
    // A scrape collects all metrics in one turn of the event loop: they share one reading.
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
      registerMetric(this.registry, metric, (registered) => setValues(registered, readOnce().get(metric.name)));
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
        const own = samples.get(metric.name);
        let found = registered.get(metric.name);
        if (found === undefined && own !== undefined) {
          found = registerMetric(this.registry, metric);
          registered.set(metric.name, found);
        }
        if (found !== undefined) {
          setValues(found, own);
        }
      }
    });
    this.#readings.set(name, reading);
  }

  #reportAges(): void {
    registerMetric(this.registry, KERNEL_COUNTERS_AGE, (gauge) => {
      gauge.reset();
      for (const [counters, reading] of this.#readings) {
        // A scrape has the values that are known, and causes newer ones to be read for the next.
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

/** Replaces all values of a metric. */
function setValues(metric: Metric, samples: readonly MetricSample[] = []): void {
  metric.reset();
  for (const { labels, value } of samples) {
    metric.inc(labels, value);
  }
}

function set(metric: Metric | undefined, labels: Readonly<Record<string, string>>, value: number): void {
  if (metric !== undefined && 'set' in metric) {
    metric.set(labels, value);
  }
}
