import type { PortRange } from './port-range.js';

/** Settings of the proxy itself. Durations in milliseconds. */
export interface ProxySettings {
  /** Ports for proxy ports. Default: any. */
  readonly portRange?: PortRange;
  /** Idle timeout of a UDP session. Default 250 (spec U-31). */
  readonly udpTimeout?: number;
  /** Time for each attempt to connect to an endpoint. Default 250, 500, 1000, 2000 (spec U-30). */
  readonly dialTimeouts?: readonly number[];
  /** Idle timeout of a half-closed TCP connection. Default one hour. */
  readonly halfClosedTimeout?: number;
  /** Bytes that each TCP socket holds in each direction before it stops reading. Default 256 KiB. */
  readonly highWaterMark?: number;
  /**
   * Bytes in one direction after which a TCP connection is carried by the kernel (splice) instead of the event loop, on
   * Linux. Default 1 MiB; `Infinity` for never.
   */
  readonly bulkAfter?: number;
  /**
   * Maximum concurrent connections (TCP) or sessions (UDP) of one service port. Default: as many as descriptors allow.
   */
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
