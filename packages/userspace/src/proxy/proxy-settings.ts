import type { PortRange } from './port-range.js';

/** Settings of the proxy itself. Durations in milliseconds. */
export interface ProxySettings {
  /** Ports for proxy ports. Default: any. */
  readonly portRange?: PortRange;
  /** After which a UDP session without a datagram in either direction ends. Default 250 (spec U-31). */
  readonly udpTimeout?: number;
  /** Time for each attempt to connect to an endpoint. Default 250, 500, 1000, 2000 (spec U-30). */
  readonly dialTimeouts?: readonly number[];
  /** After which a TCP connection that one side has ended, and that is silent, is closed. Default one hour. */
  readonly halfClosedTimeout?: number;
  /** Bytes that each TCP socket holds in each direction before it stops reading. Default 256 KiB. */
  readonly highWaterMark?: number;
  /**
   * Bytes in one direction after which a TCP connection is carried by the kernel (splice) instead of the event loop, on
   * Linux. Default 1 MiB; `Infinity` for never.
   */
  readonly bulkAfter?: number;
  /** Connections (TCP) or sessions (UDP) of one service port at once. Default: as many as descriptors allow. */
  readonly maxConnectionsPerService?: number;
  /** Canonical addresses that frontends are served on when nothing is redirected. Default none. */
  readonly listenAddresses?: readonly string[];
}

/** Settings with a default. */
export type ProxyLimits = Required<Omit<ProxySettings, 'portRange' | 'listenAddresses'>>;

/** Fills in the defaults. */
export function proxyLimits(settings: ProxySettings): ProxyLimits {
  return {
    udpTimeout: settings.udpTimeout ?? 250,
    dialTimeouts: settings.dialTimeouts ?? [250, 500, 1000, 2000],
    halfClosedTimeout: settings.halfClosedTimeout ?? 3_600_000,
    highWaterMark: settings.highWaterMark ?? 256 * 1024,
    bulkAfter: settings.bulkAfter ?? 1 << 20,
    maxConnectionsPerService: settings.maxConnectionsPerService ?? Number.POSITIVE_INFINITY,
  };
}
