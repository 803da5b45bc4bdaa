import { ProxierError } from '@kube-proxier/core';

/** Everything was written but the rules of some service ports, which the kernel refused. */
export class IptablesPartlyApplied extends ProxierError {
  constructor(
    /** Keys of the service ports whose rules are not in force, with why. */
    readonly refused: ReadonlyMap<string, string>,
    options?: ErrorOptions,
  ) {
    const [first] = refused;
    const more = refused.size > 1 ? ` and ${refused.size - 1} more` : '';
    super(
      'IPTABLES_PARTLY_APPLIED',
      `rules of ${first?.[0] ?? 'a service port'}${more} were refused, all others are in force: ${first?.[1] ?? ''}`,
      options,
    );
  }
}

/** Rules or chains of this backend are still there after a clean-up. */
export class IptablesLeftovers extends ProxierError {
  constructor(what: readonly string[], options?: ErrorOptions) {
    super(
      'IPTABLES_LEFTOVERS',
      `could not remove ${what.join(', ')}; see the cause, and run the clean-up again`,
      options,
    );
  }
}
