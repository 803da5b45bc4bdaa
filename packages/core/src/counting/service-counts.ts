import type { BackendMeasurement, BackendMetric, CountedQuantity, MetricSample } from '../contract/backend-metrics.js';
import type { IPFamily } from '../model/address.js';
import type { Protocol } from '../model/service-port-name.js';

/** Counts of a service port, or of one of its endpoints, since counting began. */
export interface ServiceCounts {
  /** `namespace/name:portName`. */
  readonly service: string;
  readonly protocol: Protocol;
  readonly family: IPFamily;
  /** `address:port`. Absent for the whole service port. */
  readonly endpoint?: string;
  readonly connections?: number;
  readonly packets?: Directions;
  readonly bytes?: Directions;
}

/** Totals by direction. */
export interface Directions {
  readonly toEndpoints: number;
  readonly toClients: number;
}

/** The quantities that a backend counts, per service port and per endpoint. */
export interface CountingCapability {
  /** Counted per service port. */
  readonly servicePorts: readonly CountedQuantity[];
  /** Counted per endpoint of a service port. */
  readonly endpoints: readonly CountedQuantity[];
}

const SERVICE_LABELS = ['service', 'protocol', 'ip_family'] as const;
const ENDPOINT_LABELS = ['service', 'protocol', 'ip_family', 'endpoint'] as const;

/** Metrics of {@link ServiceCounts}, the same in every mode. */
const METRICS = {
  service: {
    connections: counter('service', 'connections', 'New connections to a service port', SERVICE_LABELS),
    packets: counter('service', 'packets', 'Packets of connections to a service port', [
      ...SERVICE_LABELS,
      'direction',
    ]),
    bytes: counter('service', 'bytes', 'Bytes of connections to a service port', [...SERVICE_LABELS, 'direction']),
  },
  endpoint: {
    connections: counter('endpoint', 'connections', 'New connections to an endpoint', ENDPOINT_LABELS),
    packets: counter('endpoint', 'packets', 'Packets of connections to an endpoint', [...ENDPOINT_LABELS, 'direction']),
    bytes: counter('endpoint', 'bytes', 'Bytes of connections to an endpoint', [...ENDPOINT_LABELS, 'direction']),
  },
} as const satisfies Record<string, Record<CountedQuantity, BackendMetric>>;

function counter(of: string, counts: CountedQuantity, help: string, labels: readonly string[]): BackendMetric {
  return { type: 'counter', name: `kube_proxier_${of}_${counts}_total`, help, labels, counts };
}

/** Where counts are read: see {@link BackendMeasurement}. */
export type CountsReading =
  | { readonly source: 'process'; read(): readonly ServiceCounts[] }
  | { readonly source: 'kernel'; read(): Promise<readonly ServiceCounts[]> };

/** The measurement `connections` of a backend, with its metrics. */
export function countsMeasurement(counts: CountingCapability, reading: CountsReading): BackendMeasurement {
  const name = 'connections';
  const metrics = [
    ...counts.servicePorts.map((quantity) => METRICS.service[quantity]),
    ...counts.endpoints.map((quantity) => METRICS.endpoint[quantity]),
  ];
  return reading.source === 'process'
    ? { name, metrics, source: 'process', read: () => reading.read().flatMap(samplesOf) }
    : { name, metrics, source: 'kernel', read: async () => (await reading.read()).flatMap(samplesOf) };
}

function samplesOf({
  service,
  protocol,
  family,
  endpoint,
  connections,
  packets,
  bytes,
}: ServiceCounts): MetricSample[] {
  const metrics = METRICS[endpoint === undefined ? 'service' : 'endpoint'];
  const labels = {
    ...{ service, protocol, ip_family: family },
    ...(endpoint === undefined ? {} : { endpoint }),
  };
  const directed = (metric: string, counted: Directions | undefined): MetricSample[] =>
    counted === undefined
      ? []
      : [
          { metric, labels: { ...labels, direction: 'to-endpoints' }, value: counted.toEndpoints },
          { metric, labels: { ...labels, direction: 'to-clients' }, value: counted.toClients },
        ];
  return [
    ...(connections === undefined ? [] : [{ metric: metrics.connections.name, labels, value: connections }]),
    ...directed(metrics.packets.name, packets),
    ...directed(metrics.bytes.name, bytes),
  ];
}
