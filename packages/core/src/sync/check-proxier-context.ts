import type { ProxierContext } from '../contract/backend-module.js';
import { findOptionProblem, OptionRules } from '../contract/backend-options.js';
import type { ProxyMode } from '../contract/proxier.js';
import { ProxierError } from '../contract/proxier-error.js';
import { DEFAULT_PROXIER_OPTIONS } from './proxier-options.js';

const MEMBERS = {
  family: OptionRules.oneOf(['IPv4', 'IPv6']),
  options: {
    expected: "an object with all ProxierOptions: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' }",
    accepts: (value: unknown) =>
      Object.keys(DEFAULT_PROXIER_OPTIONS).every(
        (name) => (Object(value) as Readonly<Record<string, unknown>>)[name] !== undefined,
      ),
  },
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  observer: OptionRules.having(),
  localAddresses: OptionRules.function,
};

/**
 * Validates the argument of a `ProxierFactory`: callers in JavaScript have no compiler checks. For factories, before anything
 * else; a `ReconcilingProxier` does it as well.
 *
 * @param mode of the backend, for the message.
 * @throws ProxierError `PROXIER_CONTEXT` when a member is missing or invalid; the message names it.
 */
export function checkProxierContext(mode: ProxyMode, context: ProxierContext): void {
  const { family, options, logger, clock, observer, localAddresses }: Partial<ProxierContext> = Object(context);
  const problem = findOptionProblem(
    `the ProxierContext of mode ${mode}`,
    { family, options, logger, clock, observer, localAddresses },
    MEMBERS,
    ['family', 'options', 'logger', 'clock', 'observer', 'localAddresses'],
  );
  if (problem !== undefined) {
    throw new ProxierError('PROXIER_CONTEXT', problem.message.replace('option', 'member'));
  }
}
