import { ProxierError } from '@kube-proxier/core';

/** Stable error codes of the suite; the README explains each. */
export type ConformanceErrorCode =
  | 'CONFORMANCE_BAD_CASE'
  | 'CONFORMANCE_UNKNOWN_CASE'
  | 'CONFORMANCE_UNKNOWN_BACKEND'
  | 'CONFORMANCE_UNKNOWN_MODE'
  | 'CONFORMANCE_BAD_OPTION'
  | 'CONFORMANCE_BACKEND_UNUSABLE'
  | 'CONFORMANCE_BACKEND_FAILED';

/** The suite could not be run. Wrong handling of packets by a backend is a failed case, not an error. */
export class ConformanceError extends ProxierError {
  declare readonly code: ConformanceErrorCode;

  constructor(code: ConformanceErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
