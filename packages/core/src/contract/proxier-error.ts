const BRAND = Symbol.for('@kube-proxier/core/ProxierError');

/**
 * What hosts distinguish across backends, independent of the code:
 * - `partly-applied`: a transaction is in force except for parts of it.
 * - `leftovers`: a clean-up could not remove everything.
 * - `permission-denied`: the process lacks a privilege.
 * - `outdated`: another program changed the ruleset that a transaction was planned from; nothing was written.
 * - `perhaps-outdated`: another program may have changed it; nothing was written.
 */
export type ProxierErrorKind = 'partly-applied' | 'leftovers' | 'permission-denied' | 'outdated' | 'perhaps-outdated';

/** Options of a {@link ProxierError}. */
export interface ProxierErrorOptions extends ErrorOptions {
  /** Default none. */
  readonly kind?: ProxierErrorKind;
}

/**
 * Base class of the errors that this project throws intentionally.
 *
 * Recognise one with {@link isProxierError}, which also works across two installed copies of this package, and
 * distinguish them by `code`, which is stable; messages may be reworded in any release.
 */
export class ProxierError extends Error {
  readonly [BRAND] = true;
  /** Stable, upper case with underscores, for example `UNKNOWN_PROXY_MODE`. */
  readonly code: string;
  readonly kind: ProxierErrorKind | undefined;

  constructor(code: string, message: string, options: ProxierErrorOptions = {}) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.kind = options.kind;
  }
}

/** Whether `error`, or the cause of it, is a {@link ProxierError} of this kind. */
export function hasErrorKind(error: unknown, kind: ProxierErrorKind): boolean {
  return isProxierError(error) && (error.kind === kind || hasErrorKind(error.cause, kind));
}

/** Whether `error` is a {@link ProxierError}, of this or another installed copy of the package. */
export function isProxierError(error: unknown): error is ProxierError {
  return typeof error === 'object' && error !== null && BRAND in error;
}

/** The message of any thrown value, in one line. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, '; ');
}
