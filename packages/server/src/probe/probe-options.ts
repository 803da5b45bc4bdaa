import type { IPFamily } from '@kube-proxier/core';

/** Milliseconds from one probe to the next. */
export const DEFAULT_PROBE_INTERVAL = 5000;

/**
 * Cluster IPs of the Services of the probe: addresses of the networks for documentation (RFC 5737, RFC 3849), which
 * neither a host nor a cluster has.
 */
export const DEFAULT_PROBE_ADDRESSES: readonly string[] = ['192.0.2.1', '2001:db8::1'];

/** Number of consecutive failures that count as a problem: a single one may be a lost packet. */
export const PROBE_FAILURES = 2;

/** Options of the data plane probe of a `ProxyServer`. */
export interface ProbeOptions {
  /** Milliseconds from one probe to the next. Default {@link DEFAULT_PROBE_INTERVAL}. */
  readonly interval?: number;
  /**
   * Cluster IPs of the Services of the probe, at most one of each family; a family without one is not probed. Default
   * {@link DEFAULT_PROBE_ADDRESSES}.
   */
  readonly addresses?: readonly string[];
  /** `/readyz` fails while a probe fails, and until the first one succeeded. Default false. */
  readonly readiness?: boolean;
}

/**
 * - `ok`: the last probe reached the listener of this agent through the data plane.
 * - `failed`: the last probe failed.
 * - `unknown`: nothing was probed yet, or it cannot be probed.
 */
export type ProbeVerdict = 'ok' | 'failed' | 'unknown';

/** The result of probing one IP family. Times are ISO 8601, in UTC. */
export interface ProbeStatus {
  readonly verdict: ProbeVerdict;
  /** Address and port that is probed. */
  readonly frontend: string;
  /** Listening address of the agent; null while not listening. */
  readonly endpoint: string | null;
  /** Why it failed, or is unknown; null when it is ok. */
  readonly reason: string | null;
  /** Whether it is unknown for a reason that the operator must fix. */
  readonly impossible: boolean;
  /** Failures since the last success. */
  readonly failures: number;
  readonly lastSuccess: string | null;
  /** Duration of the last successful connection, until the answer was complete. */
  readonly milliseconds: number | null;
}

/** Probes of each family that is served. */
export type ProbeStatuses = Readonly<Partial<Record<IPFamily, ProbeStatus>>>;
