import { findOptionProblem, OptionRules } from '../contract/backend-options.js';
import { ProxierError } from '../contract/proxier-error.js';
import type { SourceContext, SourceHandler } from '../contract/source.js';

const ARGUMENTS = {
  handler: OptionRules.having(
    'onServiceUpdate',
    'onEndpointsUpdate',
    'onServicesSynced',
    'onEndpointsSynced',
    'onNodeUpdate',
    'onServiceCIDRsUpdate',
  ),
  context: {
    expected: 'an object with nodeName (a text)',
    accepts: (value: unknown) => typeof (Object(value) as Partial<SourceContext>).nodeName === 'string',
  },
};

/**
 * Validates the arguments of `Source.start`: callers in JavaScript have no compiler checks. For sources, before anything else.
 *
 * @param owner name of the class, for the message: `ManifestSource`.
 * @throws ProxierError `SOURCE_START` when an argument is missing or invalid; the message names it.
 */
export function checkSourceStart(owner: string, handler: SourceHandler, context: SourceContext): void {
  const problem = findOptionProblem(`${owner}.start`, { handler, context }, ARGUMENTS, ['handler', 'context']);
  if (problem !== undefined) {
    throw new ProxierError('SOURCE_START', problem.message.replace('option', 'argument'));
  }
}
