import type { Directions, IPFamily, ServicePortKey } from '@kube-proxier/core';
import type { ProxiedProtocol } from '../plan/userspace-transaction.js';

/** What went through one service port since it came up; for metrics. */
export interface ServiceTraffic {
  readonly servicePort: ServicePortKey;
  /** `namespace/name:port`. */
  readonly name: string;
  readonly protocol: ProxiedProtocol;
  readonly family?: IPFamily;
  /** Connections (UDP: sessions) that are open now. */
  readonly active: number;
  /** Of these, by endpoint key. */
  readonly activeByEndpoint: ReadonlyMap<string, number>;
  /** Connections (UDP: sessions) so far, by the key of each endpoint that has not gone. */
  readonly connectionsByEndpoint: ReadonlyMap<string, number>;
  /** Bytes of payload so far, by the key of each endpoint that has not gone, or has connections. */
  readonly bytesByEndpoint: ReadonlyMap<string, Directions>;
  /** What the Service says about counting; undefined: nothing. */
  readonly countConnections: boolean | undefined;
  /** Connections (UDP: sessions) that were taken on. */
  readonly connections: number;
  /** Rejected ones: by policy, or because no endpoint answered. */
  readonly refused: number;
  /** Those that were turned away at a limit of connections or descriptors; UDP: datagrams. */
  readonly limited: number;
  /** Those that were reset because their endpoint was gone. */
  readonly resets: number;
  /** Attempts to reach an endpoint that failed. */
  readonly failedDials: number;
  /** Bytes of payload, both without headers of any kind. */
  readonly bytesToEndpoints: number;
  readonly bytesToClients: number;
}

/** Bytes of payload of one endpoint, to count in. */
export class EndpointBytes implements Directions {
  toEndpoints = 0;
  toClients = 0;
}

/** The same, to count in. */
export class TrafficCounters {
  active = 0;
  connections = 0;
  refused = 0;
  limited = 0;
  resets = 0;
  failedDials = 0;
  bytesToEndpoints = 0;
  bytesToClients = 0;
}
