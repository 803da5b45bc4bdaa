/** A problem with an external object. Reported, never thrown. */
export interface ObjectProblem {
  /** `Service`, `EndpointSlice`, `Node`, `ServiceCIDR`. */
  readonly kind: string;
  /** As far as it could be read; safe to print. */
  readonly namespace: string;
  /** As far as it could be read; safe to print. */
  readonly name: string;
  /** Path of the field, for example `spec.ports[1].nodePort`; empty for the object as a whole. */
  readonly field: string;
  /** The error, the value, and what a valid value is, in one line that is safe to print. */
  readonly message: string;
  /** `object`: the whole object is ignored. `field`: only this part of it is. `nothing`: all of it is in force. */
  readonly ignored: 'object' | 'field' | 'nothing';
}

/** Identity of an object. */
export interface ObjectIdentity {
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Result of reading an object.
 *
 * - `definition` is present when the object can be used, possibly without some fields that `problems` name.
 * - Without a definition, `skipped` is the reason why a valid object does not concern this proxy (headless, of another
 *   proxy); it then counts as absent.
 * - Without either, the object is malformed, and its previous version stays in force.
 */
export interface ReadResult<Definition> {
  /** Undefined when the name could not be read. */
  readonly identity: ObjectIdentity | undefined;
  readonly definition: Definition | undefined;
  readonly skipped: string | undefined;
  readonly problems: readonly ObjectProblem[];
}

/** A problem in one line: `Service work/web: spec.ports[0].port: 70000 is not a port (1 to 65535)`. */
export function formatObjectProblem(problem: ObjectProblem): string {
  const who = problem.namespace === '' ? problem.name : `${problem.namespace}/${problem.name}`;
  const where = problem.field === '' ? '' : `${problem.field}: `;
  return `${problem.kind} ${who}: ${where}${problem.message}`;
}
