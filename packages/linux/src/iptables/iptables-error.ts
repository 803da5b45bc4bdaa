import { ProxierError } from '@kube-proxier/core';

export type IptablesErrorCode =
  | 'IPTABLES_MISSING'
  | 'IPTABLES_PERMISSION_DENIED'
  | 'IPTABLES_LOCKED'
  | 'IPTABLES_TIMED_OUT'
  | 'IPTABLES_FAILED'
  | 'IPTABLES_DOCUMENT_REFUSED';

/** An iptables tool failed. */
export class IptablesError extends ProxierError {
  declare readonly code: IptablesErrorCode;

  constructor(code: IptablesErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, {
      ...options,
      ...(code === 'IPTABLES_PERMISSION_DENIED' ? { kind: 'permission-denied' } : {}),
    });
  }
}

/**
 * iptables-restore rejected a document. Tables whose `COMMIT` precedes {@link line} are in force; the table of that
 * line, and those after it, are unchanged.
 */
export class IptablesDocumentRefused extends IptablesError {
  constructor(
    /** 1 for the first line; undefined when the tool reported none. May be the line of the table's `COMMIT`. */
    readonly line: number | undefined,
    /** The text of that line. */
    readonly lineText: string | undefined,
    /** The error output of the tool. */
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
