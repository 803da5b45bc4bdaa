import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricDescriptor } from './metric-catalogue.js';

/** The metric of a descriptor, with its labels. */
export type MetricOf<Descriptor extends MetricDescriptor> = {
  readonly counter: Counter<Descriptor['labels'][number]>;
  readonly gauge: Gauge<Descriptor['labels'][number]>;
  readonly histogram: Histogram<Descriptor['labels'][number]>;
}[Descriptor['type']];

/** The metrics of several descriptors, by the same keys. */
export type MetricsOf<Descriptors extends Readonly<Record<string, MetricDescriptor>>> = {
  readonly [Key in keyof Descriptors]: MetricOf<Descriptors[Key]>;
};

/**
 * Creates a metric.
 *
 * @param collect sets its values at each scrape. Default: nothing.
 */
export function registerMetric<const Descriptor extends MetricDescriptor>(
  registry: Registry,
  { type, name, help, labels, buckets }: Descriptor,
  collect?: (metric: MetricOf<Descriptor>) => void | Promise<void>,
): MetricOf<Descriptor> {
  const configuration = { name, help, labelNames: [...labels], registers: [registry] };
  const collected = collect && { collect: () => collect(metric) };
  const create = (): Counter | Gauge | Histogram => {
    switch (type) {
      case 'counter':
        return new Counter({ ...configuration, ...collected });
      case 'gauge':
        return new Gauge({ ...configuration, ...collected });
      case 'histogram':
        return new Histogram({ ...configuration, ...collected, buckets: [...(buckets ?? [])] });
    }
  };
  const metric = create() as MetricOf<Descriptor>;
  return metric;
}

/** Creates metrics, in the order of their descriptors. */
export function registerMetrics<const Descriptors extends Readonly<Record<string, MetricDescriptor>>>(
  registry: Registry,
  descriptors: Descriptors,
): MetricsOf<Descriptors> {
  const metrics = Object.entries(descriptors).map(([key, descriptor]) => [key, registerMetric(registry, descriptor)]);
  return Object.fromEntries(metrics) as MetricsOf<Descriptors>;
}
