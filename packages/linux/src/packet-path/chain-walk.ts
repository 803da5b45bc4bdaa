import type { PathRule } from '@kube-proxier/core';
import { append, type Walker } from './walker.js';

/** What a rule does with a packet that matches. */
export type RuleVerdict =
  | { readonly do: 'continue' | 'accept' | 'drop' | 'refuse' | 'return' }
  | { readonly do: 'jump' | 'goto'; readonly chain: string };

/** One way on from a rule. */
export interface Branch {
  readonly walker: Walker;
  readonly verdict: RuleVerdict;
}

/** A rule that can be evaluated. */
export interface CompiledRule {
  readonly rule: PathRule;
  /**
   * All ways on; their probabilities sum to that of the walker, or each stands for an assumption about an unknown match. Undefined
   * when the rule does not concern the packet.
   */
  evaluate(walker: Walker): readonly Branch[] | undefined;
}

export interface CompiledChain {
  readonly name: string;
  /** For findings: `nat`, `ip kube-proxier`. */
  readonly table: string;
  readonly rules: readonly CompiledRule[];
}

/** The chains that the rules of one table can jump to. */
export type ChainTable = ReadonlyMap<string, CompiledChain>;

/** How a packet leaves a chain. `passed`: at its end, or by a return. */
export interface ChainEnd {
  readonly walker: Walker;
  readonly end: 'passed' | 'accept' | 'drop' | 'refuse';
  readonly by: PathRule | undefined;
}

export const CONTINUE: RuleVerdict = { do: 'continue' };
/** The kernel refuses deeper jumps. */
const MAX_DEPTH = 32;

/** Follows a packet through a chain and all chains that its rules lead to. */
export function walkChain(chains: ChainTable, chain: CompiledChain, walker: Walker): readonly ChainEnd[] {
  const ends: ChainEnd[] = [];
  walkRules(chains, chain, 0, walker, 0, ends);
  return ends;
}

function walkRules(
  chains: ChainTable,
  chain: CompiledChain,
  first: number,
  start: Walker,
  depth: number,
  ends: ChainEnd[],
): void {
  const { rules } = chain;
  let walker = start;
  for (let index = first; index < rules.length; index++) {
    const compiled = rules[index] as CompiledRule;
    const branches = compiled.evaluate(walker);
    if (branches === undefined) {
      continue;
    }
    let next: Walker | undefined;
    const further: Walker[] = [];
    const proceed = (one: Walker) => {
      if (next === undefined) {
        next = one;
      } else {
        further.push(one);
      }
    };
    for (const branch of branches) {
      follow(chains, compiled.rule, branch, depth, ends, proceed);
    }
    for (const one of further) {
      walkRules(chains, chain, index + 1, one, depth, ends);
    }
    if (next === undefined) {
      return;
    }
    walker = next;
  }
  ends.push({ walker, end: 'passed', by: undefined });
}

function follow(
  chains: ChainTable,
  by: PathRule,
  { walker, verdict }: Branch,
  depth: number,
  ends: ChainEnd[],
  proceed: (walker: Walker) => void,
): void {
  switch (verdict.do) {
    case 'continue':
      proceed(walker);
      return;
    case 'return':
      ends.push({ walker, end: 'passed', by: undefined });
      return;
    case 'accept':
    case 'drop':
    case 'refuse':
      ends.push({ walker, end: verdict.do, by });
      return;
    case 'jump':
    case 'goto': {
      const target = chains.get(verdict.chain);
      if (target === undefined || depth >= MAX_DEPTH) {
        // The chain was not read, so nothing is known about the packet from here on.
        proceed({ ...walker, unknown: append(walker.unknown, by) });
        return;
      }
      const visit = { table: target.table, chain: target.name, depth: depth + 1 };
      const emptyChain = walker.emptyChain ?? (target.rules.length === 0 ? visit : undefined);
      const entered = walker.isNoted ? { ...walker, visits: append(walker.visits, visit), emptyChain } : walker;
      const inner: ChainEnd[] = [];
      walkRules(chains, target, 0, entered, depth + 1, inner);
      for (const end of inner) {
        if (end.end !== 'passed') {
          ends.push(end);
        } else if (verdict.do === 'jump') {
          proceed(end.walker);
        } else {
          ends.push(end);
        }
      }
      return;
    }
  }
}
