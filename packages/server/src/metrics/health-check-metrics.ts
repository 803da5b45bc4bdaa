import type { Registry } from 'prom-client';
import { HEALTH_CHECK_METRICS } from './metric-catalogue.js';
import { type MetricsOf, registerMetric, registerMetrics } from './register-metrics.js';

/** Numbers of health checks, read at each scrape. */
export interface HealthCheckNumbers {
  /** Checked addresses and ports by verdict. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Checks that are due but not running. */
  readonly waiting: number;
  readonly invalidServices: number;
}

/** Metrics of health checks: pass it to them as their observer. */
export class HealthCheckMetrics {
  readonly #metrics: MetricsOf<Pick<typeof HEALTH_CHECK_METRICS, 'checks' | 'duration'>>;

  constructor(registry: Registry, numbers: () => HealthCheckNumbers) {
    const { checks, duration, endpoints, waiting, invalidServices } = HEALTH_CHECK_METRICS;
    this.#metrics = registerMetrics(registry, { checks, duration });
    registerMetric(registry, endpoints, (metric) => {
      for (const [verdict, count] of Object.entries(numbers().endpoints)) {
        metric.set({ verdict }, count);
      }
    });
    registerMetric(registry, waiting, (metric) => metric.set(numbers().waiting));
    registerMetric(registry, invalidServices, (metric) => metric.set(numbers().invalidServices));
  }

  /** Records one check. */
  checked(kind: string, result: string, milliseconds: number): void {
    this.#metrics.checks.inc({ kind, result });
    this.#metrics.duration.observe({ kind }, milliseconds / 1000);
  }
}
