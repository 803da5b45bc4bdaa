const BRAND = Symbol.for('@kube-proxier/core/ProxierError');

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

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
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
