/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { ManifestError } from './manifest-error.js';
export { formatManifestProblem, type ManifestProblem } from './manifest-problem.js';
export { ManifestSource, type ManifestSourceOptions } from './manifest-source.js';
export { type DirectoryWatch, type WatchDirectory, watchDirectory } from './watch-directory.js';
