import { ProxierError } from './proxier-error.js';

/**
 * A transaction is in force except for the parts that the kernel refused. Thrown by `Dataplane.apply`; the proxier then
 * reads back and retries.
 */
export class PartlyAppliedError extends ProxierError {
  /**
   * @param code `<MODE>_PARTLY_APPLIED`.
   * @param refused reason by object that is not in force: a service port where that is known, else an object of the
   *   kernel. At least one.
   */
  constructor(
    code: string,
    readonly refused: ReadonlyMap<string, string>,
    options?: ErrorOptions,
  ) {
    const [[name, reason] = ['an object', 'no reason given']] = refused;
    const more = refused.size > 1 ? ` and ${refused.size - 1} more` : '';
    super(code, `${name}${more} could not be programmed, everything else is in force: ${reason}`, {
      ...options,
      kind: 'partly-applied',
    });
  }
}

/** A clean-up could not remove everything. */
export class LeftoversError extends ProxierError {
  /**
   * @param code `<MODE>_LEFTOVERS`.
   * @param leftovers what was not removed, with the reason where it is known. At least one.
   */
  constructor(
    code: string,
    readonly leftovers: readonly string[],
    options?: ErrorOptions,
  ) {
    super(code, `could not remove ${leftovers.join(', ')}; fix the cause, and run the cleanup again`, {
      ...options,
      kind: 'leftovers',
    });
  }
}
