import type {
  BackendMeasurement,
  BackendMetric,
  CountingCapability,
  MetricSample,
  ServiceCounts,
} from '@kube-proxier/core';
import type { ServiceTraffic } from './proxy/service-traffic.js';

type TrafficField =
  | 'active'
  | 'connections'
  | 'refused'
  | 'resets'
  | 'failedDials'
  | 'bytesToEndpoints'
  | 'bytesToClients';

/** Sockets of this process carry everything. */
export const COUNTING: CountingCapability = {
  servicePorts: ['connections', 'bytes'],
  endpoints: ['connections', 'bytes'],
};

const LABELS = ['service', 'protocol'] as const;

const METRICS: Readonly<Record<TrafficField, BackendMetric>> = {
  active: {
    type: 'gauge',
    name: 'kube_proxier_userspace_active_connections',
    help: 'Open connections (UDP: sessions)',
    labels: LABELS,
  },
  connections: {
    type: 'counter',
    name: 'kube_proxier_userspace_connections_total',
    help: 'Accepted connections (UDP: sessions)',
    labels: LABELS,
    counts: 'connections',
  },
  refused: {
    type: 'counter',
    name: 'kube_proxier_userspace_refused_total',
    help: 'Refused connections (UDP: sessions)',
    labels: LABELS,
  },
  resets: {
    type: 'counter',
    name: 'kube_proxier_userspace_connections_reset_total',
    help: 'Connections that were reset because their endpoint was gone',
    labels: LABELS,
  },
  failedDials: {
    type: 'counter',
    name: 'kube_proxier_userspace_failed_dials_total',
    help: 'Failed attempts to connect to an endpoint',
    labels: LABELS,
  },
  bytesToEndpoints: {
    type: 'counter',
    name: 'kube_proxier_userspace_to_endpoints_bytes_total',
    help: 'Payload bytes sent to endpoints',
    labels: LABELS,
  },
  bytesToClients: {
    type: 'counter',
    name: 'kube_proxier_userspace_to_clients_bytes_total',
    help: 'Payload bytes sent to clients',
    labels: LABELS,
  },
};

/** Traffic of each service port. */
export function trafficMeasurement(traffic: () => readonly ServiceTraffic[]): BackendMeasurement {
  return {
    name: 'traffic',
    source: 'process',
    metrics: Object.values(METRICS),
    read: () => traffic().flatMap(samplesOf),
  };
}

/**
 * Traffic of service ports with counted connections.
 *
 * @param countAll default for Services without the annotation.
 */
export function countsOf(traffic: readonly ServiceTraffic[], countAll: boolean): readonly ServiceCounts[] {
  return traffic.flatMap(({ name, protocol, family, countConnections, ...counted }): ServiceCounts[] => {
    if (!(countConnections ?? countAll) || family === undefined) {
      return [];
    }
    const of = { service: name, protocol, family };
    const { connections, connectionsByEndpoint, bytesByEndpoint, bytesToEndpoints, bytesToClients } = counted;
    const endpoints = new Set([...connectionsByEndpoint.keys(), ...bytesByEndpoint.keys()]);
    return [
      { ...of, connections, bytes: { toEndpoints: bytesToEndpoints, toClients: bytesToClients } },
      ...[...endpoints].map((endpoint): ServiceCounts => {
        const own = connectionsByEndpoint.get(endpoint);
        const bytes = bytesByEndpoint.get(endpoint) ?? { toEndpoints: 0, toClients: 0 };
        return { ...of, endpoint, ...(own === undefined ? {} : { connections: own }), bytes };
      }),
    ];
  });
}

function samplesOf(traffic: ServiceTraffic): readonly MetricSample[] {
  const labels = { service: traffic.name, protocol: traffic.protocol };
  return Object.entries(METRICS).map(([field, { name }]) => ({
    metric: name,
    labels,
    value: traffic[field as TrafficField],
    ...(traffic.family === undefined ? {} : { family: traffic.family }),
  }));
}
