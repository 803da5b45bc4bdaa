/** Something wrong with an object from outside. Reported, never thrown. */
export interface ObjectProblem {
  /** `Service`, `EndpointSlice`, `Node`, `ServiceCIDR`. */
  readonly kind: string;
  /** As far as it could be read; made safe to print. */
  readonly namespace: string;
  /** As far as it could be read; made safe to print. */
  readonly name: string;
  /** Path of the field, for example `spec.ports[1].nodePort`; empty for the object as a whole. */
  readonly field: string;
  /** What is wrong, the value, and what would be right, in one line that is safe to print. */
  readonly message: string;
  /** `object`: the whole object is ignored. `field`: only this part of it is. */
  readonly ignored: 'object' | 'field';
}

/** What became of reading an object: a definition where it can be used, and all that is wrong with it. */
export interface ReadResult<Definition> {
  readonly definition: Definition | undefined;
  readonly problems: readonly ObjectProblem[];
}
