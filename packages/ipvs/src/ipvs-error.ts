import { ProxierError } from '@kube-proxier/core';

/** The kernel refused parts of what had to be written; everything else is in force. */
export class IpvsPartlyApplied extends ProxierError {
  constructor(refused: readonly Error[], options?: ErrorOptions) {
    const [first] = refused;
    const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : '';
    super('IPVS_PARTLY_APPLIED', `${first?.message ?? 'something was refused'}${more}; all else is in force`, options);
  }
}

/** Something of this backend is still there after a clean-up. */
export class IpvsLeftovers extends ProxierError {
  constructor(what: readonly string[], options?: ErrorOptions) {
    super('IPVS_LEFTOVERS', `could not remove ${what.join(', ')}; see the cause, and run the clean-up again`, options);
  }
}
