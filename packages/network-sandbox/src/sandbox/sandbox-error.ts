import { ProxierError } from '@kube-proxier/core';

export type SandboxErrorCode =
  | 'SANDBOX_UNAVAILABLE'
  | 'SANDBOX_BUILD_FAILED'
  | 'SANDBOX_PROBE_FAILED'
  | 'SANDBOX_CLOSED';

/** The sandbox could not be built or used; a probe without an answer is an outcome, not an error. */
export class SandboxError extends ProxierError {
  declare readonly code: SandboxErrorCode;

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
