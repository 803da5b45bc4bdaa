import { ProxierError } from '../contract/proxier-error.js';
import { printableValue } from '../text/printable.js';

/**
 * The `default` of a switch over all variants of a union: the compiler rejects it when a variant is missing.
 *
 * @throws ProxierError `UNKNOWN_VARIANT`, always: at run time, the value comes from a package of another version.
 */
export function assertNever(value: never): never {
  throw new ProxierError(
    'UNKNOWN_VARIANT',
    `${printableValue(value)} is not known here; install the same version of all @kube-proxier packages`,
  );
}
