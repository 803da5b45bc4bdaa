import { ProxierError } from '@kube-proxier/core';

/** Stable codes; the README describes them. */
export type UserspaceErrorCode =
  | 'USERSPACE_PORT_TAKEN'
  | 'USERSPACE_PORT_FORBIDDEN'
  | 'USERSPACE_NO_PORT_LEFT'
  | 'USERSPACE_NO_DESCRIPTORS'
  | 'USERSPACE_LISTEN_FAILED'
  | 'USERSPACE_REDIRECTS_UNKNOWN'
  | 'USERSPACE_INVALID_OPTION';

/** An operation of the userspace backend failed. */
export class UserspaceError extends ProxierError {
  declare readonly code: UserspaceErrorCode;

  constructor(code: UserspaceErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
