import { ProxierError } from '@kube-proxier/core';

/**
 * The manifests as a whole cannot be read. What is wrong inside of a file is a {@link ManifestProblem} instead.
 *
 * `code` is `MANIFESTS_NOT_FOUND` when the directory or file is not there, `MANIFESTS_UNREADABLE` when it is there
 * and cannot be read (permissions, neither file nor directory, a broken disk), `MANIFESTS_IN_USE` when a source is
 * started twice.
 */
export class ManifestError extends ProxierError {}
