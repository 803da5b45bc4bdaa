import { joinHostPort } from './address.js';
import { endpointWith } from './compact-endpoint.js';
import type { Endpoint } from './endpoint.js';
import type { Protocol, ServicePortKey } from './service-port-name.js';

/** Annotation of a Service: ports that it has beside those of `spec.ports`, as `FIRST-LAST` separated by commas (spec PR-1). */
export const PORT_RANGE_ANNOTATION = 'kube-proxier.io/port-range';

/**
 * Which port ranges a backend serves (spec PR-6).
 * - `any`: those whose endpoints have the same ports, and shifted ones.
 * - `same-port`: those whose endpoints have the same ports.
 * - `none`: only the first port of a range is served.
 */
export type PortRangeSupport = 'any' | 'same-port' | 'none';

/** The ports of one address that a service port holds. */
export interface HeldPortRange {
  /** 1…65535. */
  readonly first: number;
  /** `first`…65535. */
  readonly last: number;
  readonly owner: ServicePortKey;
}

/** Lookup key of ranges: a protocol and a canonical address, `UDP/10.96.0.1`. */
export function portRangeSpace(protocol: Protocol, address: string): string {
  return `${protocol}/${address}`;
}

/** The ports of a frontend, or of another object with a port range. */
export interface FrontendPorts {
  readonly port: number;
  readonly lastPort?: number | undefined;
}

/** The last port of a frontend: its only one, unless it has a range. */
export function lastPortOf({ port, lastPort = port }: FrontendPorts): number {
  return lastPort;
}

/** Whether a port is among those of a frontend. */
export function hasPort(frontend: FrontendPorts, port: number): boolean {
  return frontend.port <= port && port <= lastPortOf(frontend);
}

/** `80`, or `10000-20000` for a range. */
export function formatPorts(frontend: FrontendPorts): string {
  return frontend.lastPort === undefined ? String(frontend.port) : `${frontend.port}-${frontend.lastPort}`;
}

/**
 * The endpoint with its port for packets to a port of a frontend: the offset from the endpoint's own port equals the
 * offset from the frontend's first port (spec PR-2).
 */
export function endpointAt(endpoint: Endpoint, frontend: FrontendPorts, port: number): Endpoint {
  const by = frontend.lastPort === undefined ? 0 : port - frontend.port;
  const to = endpoint.port + by;
  return by === 0 ? endpoint : endpointWith(endpoint, { port: to, key: joinHostPort(endpoint.address, to) });
}
