import { printable } from '@kube-proxier/core';

/** A problem with one manifest file. Reported, never thrown. All texts are safe to print. */
export interface ManifestProblem {
  /** Path of the file, in the form that was passed to the source. */
  readonly file: string;
  /** 1 is the first line; 0 for the file as a whole. */
  readonly line: number;
  /** 1 is the first character of the line; 0 for the file as a whole. */
  readonly column: number;
  /** `Service work/web`, as far as it could be read; empty when no object is concerned. */
  readonly object: string;
  /** Path inside the object, for example `spec.ports[0].nodePort`; empty for the object as a whole. */
  readonly field: string;
  /** The error, and what a valid value is. */
  readonly message: string;
  /**
   * `error`: the file counts as malformed, and its last valid objects stay in force.
   * `warning`: a possible mistake; the file is used.
   */
  readonly severity: 'error' | 'warning';
}

/** In one line: `manifests/web.yaml:12:17: Service work/web: spec.ports[0].nodePort: 70000 is not a port (…)`. */
export function formatManifestProblem(problem: ManifestProblem): string {
  const where = problem.line === 0 ? '' : `:${problem.line}:${problem.column}`;
  const parts = [`${printable(problem.file)}${where}`, problem.object, problem.field, problem.message];
  return parts.filter((part) => part !== '').join(': ');
}
