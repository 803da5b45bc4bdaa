import type { IPFamily } from '../model/address.js';

/**
 * The counted quantity. `packets` and `bytes` cover whole connections. A kernel counter of first packets only counts
 * `connections`.
 */
export type CountedQuantity = 'connections' | 'packets' | 'bytes';

/** A metric of a backend, in the terms of Prometheus. */
export interface BackendMetric {
  readonly type: 'counter' | 'gauge';
  /** Complete name; that of a counter ends with `_total`. */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * The quantity, if the samples are totals of service ports. They have the labels `service`
   * (`namespace/name:portName`) and `protocol`, and `endpoint` for a single endpoint. The host bounds the number of its
   * series. `kube-proxier get` shows `connections` of service ports, from the first metric that counts them. Default:
   * the metric does not count service ports.
   */
  readonly counts?: CountedQuantity;
}

/** One value of a metric. */
export interface MetricSample {
  /** The name of the metric. */
  readonly metric: string;
  /** One value for each label of the metric. */
  readonly labels: Readonly<Record<string, string>>;
  /** For a counter: the total so far. */
  readonly value: number;
  /** The IP family of what was counted, for metrics that count connections. Default: the label `ip_family`, or both. */
  readonly family?: IPFamily;
}

/**
 * Metrics that are read together.
 * - `process`: values in the memory of this process, which are read for each scrape. Must be cheap.
 * - `kernel`: values that the kernel counts. They are read in the background while metrics are scraped, so no scrape waits
 *   for the kernel or a tool; the host reports their age. A metric without a sample does not appear: the kernel may not
 *   have the counter.
 */
export type BackendMeasurement = {
  /** What is measured, in a word: `connections`. Unique within the backend. */
  readonly name: string;
  readonly metrics: readonly BackendMetric[];
} & (
  | { readonly source: 'process'; read(): readonly MetricSample[] }
  | { readonly source: 'kernel'; read(): Promise<readonly MetricSample[]> }
);

/** Metrics that the host sets with the syncs of a backend. All have the label `ip_family`. */
export interface SyncMetrics {
  /** Counter: failed syncs. */
  readonly failed?: BackendMetric;
  /** Counter: failed partial syncs. */
  readonly partialFailed?: BackendMetric;
  /** Counter: syncs that could not remove all stale objects (`ApplyReport.leftovers`). */
  readonly leftovers?: BackendMetric;
  /** Gauge with the further label `table`: installed rules (`ApplyReport.rules`). */
  readonly rules?: BackendMetric;
  /** Gauge with the further label `table`: rules in the last write (`ApplyReport.rules`). */
  readonly rulesWritten?: BackendMetric;
}
