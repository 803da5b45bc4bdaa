import { ProxierError } from '@kube-proxier/core';

export type NftErrorCode =
  | 'NFT_MISSING'
  | 'NFT_PERMISSION_DENIED'
  | 'NFT_BUSY'
  | 'NFT_TIMED_OUT'
  | 'NFT_FAILED'
  | 'NFT_REFUSED';

/** nft could not do what it was asked. */
export class NftError extends ProxierError {
  declare readonly code: NftErrorCode;

  constructor(code: NftErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/**
 * Why a transaction was refused.
 * - `missing`: something that it names is not there.
 * - `exists`: something else is there already.
 * - `busy`: something that it deletes is in use.
 * - `unsupported`: the kernel does not know how.
 * - `other`: a mistake in the transaction, or an nft that does not know the words.
 */
export type NftRefusal = 'missing' | 'exists' | 'busy' | 'unsupported' | 'other';

/** A transaction was not accepted. Nothing of it is in force. */
export class NftRefused extends NftError {
  constructor(
    readonly refusal: NftRefusal,
    /** Line of the rendered transaction, 1 for the first; undefined when nft did not say. */
    readonly line: number | undefined,
    /** The text of that line, shortened. */
    readonly lineText: string | undefined,
    /** What nft said. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      'NFT_REFUSED',
      line === undefined
        ? `nft refused the transaction: ${reason}; check that the kernel has nf_tables and what the rules need`
        : `nft refused line ${line} of the transaction, "${lineText ?? ''}": ${reason}; check that the kernel has what it needs`,
      options,
    );
  }
}
