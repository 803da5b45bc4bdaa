import type { Registry } from 'prom-client';
import { TRAFFIC_METRICS } from './metric-catalogue.js';
import { registerMetric } from './register-metrics.js';

/** Traffic of one service port, from a backend that proxies connections itself. */
export interface ServiceTrafficReport {
  /** `namespace/name:port`. */
  readonly name: string;
  readonly protocol: string;
  /** Currently open. */
  readonly active: number;
  /** Total so far, as all fields below. */
  readonly connections: number;
  readonly refused: number;
  readonly failedDials: number;
  readonly bytesToEndpoints: number;
  readonly bytesToClients: number;
}

/** Registers traffic metrics, which are collected at each scrape. */
export function registerTrafficMetrics(registry: Registry, traffic: () => readonly ServiceTrafficReport[]): void {
  const fields = Object.keys(TRAFFIC_METRICS) as (keyof typeof TRAFFIC_METRICS)[];
  for (const field of fields) {
    registerMetric(registry, TRAFFIC_METRICS[field], (metric) => {
      metric.reset();
      for (const report of traffic()) {
        metric.inc({ service: report.name, protocol: report.protocol }, report[field]);
      }
    });
  }
}
