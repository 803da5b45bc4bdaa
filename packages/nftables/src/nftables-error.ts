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
