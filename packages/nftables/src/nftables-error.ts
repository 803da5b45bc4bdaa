import { ProxierError } from '@kube-proxier/core';

/** An interface name that nft cannot express. */
export class NftablesUnusableName extends ProxierError {
  constructor(readonly interfaceName: string) {
    super(
      'NFTABLES_UNUSABLE_NAME',
      `${JSON.stringify(interfaceName)} cannot be matched as an interface name; for local traffic detection use a name of at most 15 characters without blanks, quotes, slashes and asterisks`,
    );
  }
}

/** The host refused rules of an assumed layout. The next sync determines the supported one. */
export class NftablesLayoutRefused extends ProxierError {
  /** @param cause the refusal */
  constructor(cause: Error) {
    super(
      'NFTABLES_LAYOUT_REFUSED',
      `rules of the kind that is installed were refused; trying which ones this host accepts: ${cause.message}`,
      { cause, kind: 'perhaps-outdated' },
    );
  }
}
