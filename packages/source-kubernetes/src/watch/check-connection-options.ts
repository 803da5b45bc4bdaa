import { findOptionProblem, isRecord, type OptionRule, OptionRules } from '@kube-proxier/core';
import { KubernetesError } from '../api/kubernetes-error.js';
import type { ApiConnectionOptions } from './api-connection.js';

/** A rule for each of these options. */
export type RulesFor<Options> = { readonly [Name in keyof Required<Options>]: OptionRule };

/** Those of {@link ApiConnectionOptions}. */
export const CONNECTION_RULES: RulesFor<ApiConnectionOptions> = {
  kubeconfig: OptionRules.string,
  master: OptionRules.string,
  context: OptionRules.string,
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  random: OptionRules.function,
  pageSize: OptionRules.wholeNumberFrom(1),
  responseTimeout: OptionRules.milliseconds,
  pageTimeout: OptionRules.milliseconds,
  silenceLimit: OptionRules.milliseconds,
  relistAfter: OptionRules.milliseconds,
  maxPageBytes: OptionRules.wholeNumberFrom(1),
  maxEventBytes: OptionRules.wholeNumberFrom(1),
  maxObjects: OptionRules.wholeNumberFrom(1),
  encoding: OptionRules.oneOf(['auto', 'json']),
  textStore: OptionRules.function,
  userAgent: OptionRules.string,
  environment: { expected: 'an object of texts', accepts: isRecord },
  serviceAccountDirectory: OptionRules.string,
};

/**
 * Validates options of what connects to an API server: callers in JavaScript have no compiler checks.
 *
 * @param owner name of the class that takes them, for the message.
 * @param required options without a default. Default: none.
 * @throws KubernetesError `OPTION_INVALID` for the first option that is missing, unknown or invalid.
 */
export function checkConnectionOptions<Options extends object>(
  owner: string,
  options: Options,
  rules: RulesFor<Options>,
  required: readonly (keyof Options & string)[] = [],
): void {
  const problem = findOptionProblem(owner, options, rules, required);
  if (problem !== undefined) {
    throw new KubernetesError('OPTION_INVALID', problem.message);
  }
}
