import { ProxierError, type ProxierErrorOptions } from '@kube-proxier/core';

export type NftErrorCode =
  | 'NFT_MISSING'
  | 'NFT_PERMISSION_DENIED'
  | 'NFT_BUSY'
  /** Another process changed the table since it was read, or may have changed it. Nothing was written. */
  | 'NFT_CHANGED'
  | 'NFT_TIMED_OUT'
  | 'NFT_FAILED'
  | 'NFT_REFUSED';

/** The nft command failed. */
export class NftError extends ProxierError {
  declare readonly code: NftErrorCode;

  constructor(code: NftErrorCode, message: string, options?: ProxierErrorOptions) {
    const kind = code === 'NFT_PERMISSION_DENIED' ? 'permission-denied' : undefined;
    super(code, message, { ...(kind === undefined ? {} : { kind }), ...options });
  }
}

/**
 * Why a transaction was rejected.
 * - `missing`: an object that it refers to does not exist.
 * - `exists`: a different object exists already.
 * - `busy`: an object that it deletes is in use.
 * - `unsupported`: the kernel lacks the feature.
 * - `other`: an error in the transaction, or syntax that this nft does not support.
 */
export type NftRefusal = 'missing' | 'exists' | 'busy' | 'unsupported' | 'other';

/** A transaction was rejected. Nothing of it is in force. */
export class NftRefused extends NftError {
  constructor(
    readonly refusal: NftRefusal,
    /** Line of the rendered transaction, 1 for the first; undefined when nft reported none, or was not used. */
    readonly line: number | undefined,
    /** The text of that line, or the command that was rejected, truncated. */
    readonly lineText: string | undefined,
    /** The error output of nft, or the error of the kernel. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    const isBusy = refusal === 'busy';
    const inUse = 'remove the rules and elements that refer to it first; "nft list ruleset" shows them';
    super(
      'NFT_REFUSED',
      line === undefined && lineText !== undefined
        ? `the kernel refused "${lineText}": ${reason}; ${isBusy ? inUse : 'check that it has nf_tables and what the rules need'}`
        : line === undefined
          ? `nft refused the transaction: ${reason}; ${isBusy ? inUse : 'check that the kernel has nf_tables and what the rules need'}`
          : `nft refused line ${line} of the transaction, "${lineText ?? ''}": ${reason}; ${isBusy ? inUse : 'check that the kernel has what it needs'}`,
      options,
    );
  }
}
