import { ProxierError } from '@kube-proxier/core';

/** An interface name that nft cannot spell. */
export class NftablesUnusableName extends ProxierError {
  constructor(readonly interfaceName: string) {
    super(
      'NFTABLES_UNUSABLE_NAME',
      `${JSON.stringify(interfaceName)} cannot stand in a rule as the name of an interface; give local traffic detection a name of at most 15 characters without blanks, quotes, slashes and asterisks`,
    );
  }
}

/** Cleaning up left something behind. */
export class NftablesLeftovers extends ProxierError {
  constructor(
    /** What is left, with why. */
    readonly left: readonly string[],
    options?: ErrorOptions,
  ) {
    super('NFTABLES_LEFTOVERS', `could not remove everything: ${left.join('; ')}; run the clean-up again`, options);
  }
}
