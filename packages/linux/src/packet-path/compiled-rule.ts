import type { PathRule } from '@kube-proxier/core';
import type { BitNetwork } from './ip-bits.js';
import type { Walker } from './walker.js';

/** The action of a rule for a matching packet. */
export type RuleVerdict =
  | { readonly do: 'continue' | 'accept' | 'drop' | 'refuse' | 'return' }
  | { readonly do: 'jump' | 'goto'; readonly chain: string };

/** One branch after a rule. */
export interface Branch {
  readonly walker: Walker;
  readonly verdict: RuleVerdict;
}

/** A rule that can be evaluated. */
export interface CompiledRule {
  readonly rule: PathRule;
  /**
   * All branches; their probabilities sum to that of the walker, or each stands for an assumption about an unknown
   * match. Undefined when the rule does not match.
   */
  evaluate(walker: Walker): readonly Branch[] | undefined;
  /** The only destination address that the rule concerns, canonical; undefined when there are several. */
  readonly destination?: string;
  /** The only destination port that the rule concerns, as {@link destination}. */
  readonly port?: number;
  /** The networks that the rule concerns. */
  readonly networks?: RuleNetworks | undefined;
  /** Does now what the first evaluation would do, and keeps the result; undefined when nothing is to be done. */
  readonly prepare?: (() => void) | undefined;
}

/** The addresses of the packets that a rule can match; undefined for all. */
export interface RuleNetworks {
  readonly source?: BitNetwork | undefined;
  readonly destination?: BitNetwork | undefined;
}

export interface CompiledChain {
  readonly name: string;
  /** For findings: `nat`, `ip kube-proxier`. */
  readonly table: string;
  readonly rules: readonly CompiledRule[];
}

/** The chains that the rules of one table can jump to. */
export type ChainTable = Pick<ReadonlyMap<string, CompiledChain>, 'get'>;

export const CONTINUE: RuleVerdict = { do: 'continue' };
