import { ProxierError } from '@kube-proxier/core';

export type IptablesErrorCode =
  | 'IPTABLES_MISSING'
  | 'IPTABLES_PERMISSION_DENIED'
  | 'IPTABLES_LOCKED'
  | 'IPTABLES_TIMED_OUT'
  | 'IPTABLES_FAILED'
  | 'IPTABLES_DOCUMENT_REFUSED';

/** One of the iptables tools could not do what it was asked. */
export class IptablesError extends ProxierError {
  declare readonly code: IptablesErrorCode;

  constructor(code: IptablesErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/**
 * iptables-restore did not accept a document. Tables whose `COMMIT` stands before {@link line} are in force; the table
 * that the line belongs to, and those after it, are as they were.
 */
export class IptablesDocumentRefused extends IptablesError {
  constructor(
    /** 1 for the first line; undefined when the tool did not say. May be that of the table's `COMMIT`. */
    readonly line: number | undefined,
    /** The text of that line. */
    readonly lineText: string | undefined,
    /** What the tool said. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(
      'IPTABLES_DOCUMENT_REFUSED',
      line === undefined
        ? `iptables-restore refused the document: ${reason}`
        : `iptables-restore refused line ${line} of the document, "${lineText ?? ''}": ${reason}; check that the kernel has what this rule needs`,
      options,
    );
  }
}
