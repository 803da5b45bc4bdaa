import { ProxierError } from '@kube-proxier/core';

/**
 * The manifests as a whole cannot be read. A problem inside a file is a {@link ManifestProblem} instead.
 *
 * `code` is `MANIFESTS_NOT_FOUND` when the directory or file does not exist, `MANIFESTS_UNREADABLE` when it cannot be
 * read (permissions, neither file nor directory, an I/O error), `MANIFESTS_IN_USE` when a source is started twice,
 * `MANIFESTS_OPTION` when an option is missing, unknown or invalid.
 */
export class ManifestError extends ProxierError {}
