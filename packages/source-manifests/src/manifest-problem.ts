import { printable } from './printable.js';

/** Something wrong with one manifest file. Reported, never thrown. Every text in it is safe to print. */
export interface ManifestProblem {
  /** Path of the file, as the source was told the directory. */
  readonly file: string;
  /** 1 is the first line; 0 where the file as a whole is meant. */
  readonly line: number;
  /** 1 is the first character of the line; 0 where the file as a whole is meant. */
  readonly column: number;
  /** `Service work/web`, as far as it could be read; empty where no object is meant. */
  readonly object: string;
  /** Path inside of the object, for example `spec.ports[0].nodePort`; empty where the object as a whole is meant. */
  readonly field: string;
  /** What is wrong, and what would be right. */
  readonly message: string;
  /**
   * `error`: the file counts as malformed, and what was read of it before stays in force.
   * `warning`: worth a look; the file is used.
   */
  readonly severity: 'error' | 'warning';
}

/** In one line: `manifests/web.yaml:12:17: Service work/web: spec.ports[0].nodePort: 70000 is not a port (…)`. */
export function formatManifestProblem(problem: ManifestProblem): string {
  const where = problem.line === 0 ? '' : `:${problem.line}:${problem.column}`;
  const parts = [`${printable(problem.file)}${where}`, problem.object, problem.field, problem.message];
  return parts.filter((part) => part !== '').join(': ');
}
