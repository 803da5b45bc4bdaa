import type { IPFamily } from '@kube-proxier/core';
import type { HealthCheckSettings } from '../check-settings.js';

/**
 * How a check ended, as a label of metrics. `error`: it could not be made, which gives no information about the
 * endpoint.
 */
export type ProbeOutcome = 'passed' | 'refused' | 'timeout' | 'unreachable' | 'status' | 'script' | 'failed' | 'error';

/** The result of one check. */
export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  /** Why it did not pass, as text that ends a sentence: `connection refused`. Empty when it passed. */
  readonly reason: string;
  readonly milliseconds: number;
}

/** What is checked. */
export interface ProbeTarget {
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
  readonly port: number;
  /** `namespace/name` of the Service. */
  readonly service: string;
  readonly settings: HealthCheckSettings;
}

/** Checks one endpoint once. Calls back once, within the timeout and little more, never synchronously. */
export type HealthProbe = (callback: (result: ProbeResult) => void) => void;

/** Creates the checks of endpoints. */
export interface HealthProbes {
  create(target: ProbeTarget): HealthProbe;
  /** Ends the checks. They may still call back. */
  stop(): void;
}

/** The result of a failed connection. */
export function connectFailure(failure: string, milliseconds: number, timeout: number): ProbeResult {
  switch (failure) {
    case 'ECONNREFUSED':
      return { outcome: 'refused', reason: 'connection refused', milliseconds };
    case 'ETIMEDOUT':
      return { outcome: 'timeout', reason: `no answer within ${timeout} ms`, milliseconds };
    case 'EHOSTUNREACH':
      return { outcome: 'unreachable', reason: 'host unreachable', milliseconds };
    case 'ENETUNREACH':
      return { outcome: 'unreachable', reason: 'network unreachable', milliseconds };
    case 'ECONNRESET':
      return { outcome: 'refused', reason: 'connection reset', milliseconds };
    default:
      // A local error: no descriptors, no ports, no namespace, or a rule that forbids it.
      return { outcome: 'error', reason: failure, milliseconds };
  }
}
