import { ProxierError } from '@kube-proxier/core';

/** Why the suite could not be run, for programs; the README says what each means. */
export type ConformanceErrorCode =
  | 'CONFORMANCE_BAD_CASE'
  | 'CONFORMANCE_UNKNOWN_CASE'
  | 'CONFORMANCE_UNKNOWN_BACKEND'
  | 'CONFORMANCE_UNKNOWN_MODE'
  | 'CONFORMANCE_BAD_OPTION'
  | 'CONFORMANCE_BACKEND_UNUSABLE'
  | 'CONFORMANCE_BACKEND_FAILED';

/** The suite could not be run as asked. What a backend does wrong with packets is a failed case, not an error. */
export class ConformanceError extends ProxierError {
  declare readonly code: ConformanceErrorCode;

  constructor(code: ConformanceErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
