import { ProxierError } from '@kube-proxier/core';

/** What went wrong, for programs; the README says what each means. */
export type UserspaceErrorCode =
  | 'USERSPACE_PARTLY_APPLIED'
  | 'USERSPACE_PORT_TAKEN'
  | 'USERSPACE_PORT_FORBIDDEN'
  | 'USERSPACE_NO_PORT_LEFT'
  | 'USERSPACE_NO_DESCRIPTORS'
  | 'USERSPACE_LISTEN_FAILED'
  | 'USERSPACE_LEFTOVERS'
  | 'USERSPACE_INVALID_OPTION';

/** Something that the userspace backend could not do. */
export class UserspaceError extends ProxierError {
  declare readonly code: UserspaceErrorCode;

  constructor(code: UserspaceErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** Everything is in force but what belongs to some service ports. */
export class UserspacePartlyApplied extends UserspaceError {
  constructor(
    /** Why service ports are not served everywhere, by key. At least one. */
    readonly refused: ReadonlyMap<string, string>,
    options?: ErrorOptions,
  ) {
    const [first] = refused;
    const more = refused.size > 1 ? ` and ${refused.size - 1} more` : '';
    super(
      'USERSPACE_PARTLY_APPLIED',
      `${first?.[0] ?? 'a service port'}${more} cannot be served everywhere, all others are: ${first?.[1] ?? ''}`,
      options,
    );
  }
}
