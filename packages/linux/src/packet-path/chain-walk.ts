import type { PathRule } from '@kube-proxier/core';
import type { Branch, ChainTable, CompiledChain, CompiledRule } from './compiled-rule.js';
import { withoutDuplicates } from './merge-walkers.js';
import { RuleIndex } from './rule-index.js';
import type { StepCount } from './step-count.js';
import { append, type Walker, withChanges } from './walker.js';

/** Chains with fewer rules are followed rule by rule. */
const INDEXED_FROM = 8;
const INDEXES = new WeakMap<readonly CompiledRule[], RuleIndex>();

/** Positions of the rules of a chain from `first` on that may match a packet; undefined for all. */
function candidatesOf(rules: readonly CompiledRule[], walker: Walker, first: number): readonly number[] | undefined {
  if (rules.length - first < INDEXED_FROM) {
    return undefined;
  }
  let index = INDEXES.get(rules);
  if (index === undefined) {
    index = new RuleIndex(rules);
    INDEXES.set(rules, index);
  }
  const all = index.candidates(walker);
  return first === 0 ? all : all.filter((at) => at >= first);
}

/** How a packet leaves a chain. `passed`: at its end, or by a return. */
export interface ChainEnd {
  readonly walker: Walker;
  readonly end: 'passed' | 'accept' | 'drop' | 'refuse';
  readonly by: PathRule | undefined;
}

/** Maximum jump depth in the kernel. */
const MAX_DEPTH = 32;

/**
 * Evaluates a chain, and the chains that its rules jump to, for a packet.
 *
 * @throws TooManySteps
 */
export function walkChain(
  chains: ChainTable,
  chain: CompiledChain,
  walker: Walker,
  steps: StepCount,
): readonly ChainEnd[] {
  const ends: ChainEnd[] = [];
  walkRules({ chains, steps }, chain, 0, walker, 0, ends);
  return ends;
}

interface Walk {
  readonly chains: ChainTable;
  readonly steps: StepCount;
}

function walkRules(
  walk: Walk,
  chain: CompiledChain,
  first: number,
  start: Walker,
  depth: number,
  ends: ChainEnd[],
): void {
  const { rules } = chain;
  let walker = start;
  // No rule changes the addresses and ports of a packet that stays in the chain.
  const candidates = candidatesOf(rules, start, first);
  const count = candidates?.length ?? rules.length - first;
  const staying: Walker[] = [];
  for (let step = 0; step < count; step++) {
    const index = candidates?.[step] ?? first + step;
    const compiled = rules[index] as CompiledRule;
    walk.steps.count(chain, compiled);
    const branches = compiled.evaluate(walker);
    if (branches === undefined) {
      continue;
    }
    staying.length = 0;
    const endsBefore = ends.length;
    for (const branch of branches) {
      follow(walk, compiled, branch, depth, ends, staying);
    }
    const [next, ...further] =
      staying.length < 2 ? staying : withoutDuplicates(staying, ends.length === endsBefore ? walker : undefined);
    for (const one of further) {
      walkRules(walk, chain, index + 1, one, depth, ends);
    }
    if (next === undefined) {
      return;
    }
    walker = next;
  }
  ends.push({ walker, end: 'passed', by: undefined });
}

/** @param staying receives the walkers that continue with the next rule of the chain. */
function follow(
  walk: Walk,
  compiled: CompiledRule,
  { walker, verdict }: Branch,
  depth: number,
  ends: ChainEnd[],
  staying: Walker[],
): void {
  switch (verdict.do) {
    case 'continue':
      staying.push(walker);
      return;
    case 'return':
      ends.push({ walker, end: 'passed', by: undefined });
      return;
    case 'accept':
    case 'drop':
    case 'refuse': {
      // Many rules with an unknown effect have the same verdict for the same packet. A random choice makes different walkers.
      const last = ends[ends.length - 1];
      if (last?.walker !== walker || last.end !== verdict.do) {
        ends.push({ walker, end: verdict.do, by: compiled.rule });
      }
      return;
    }
    case 'jump':
    case 'goto': {
      const target = walk.chains.get(verdict.chain);
      if (target === undefined || depth >= MAX_DEPTH) {
        // The chain was not read, so the further path of the packet is unknown.
        staying.push(withChanges(walker, { unknown: append(walker.unknown, compiled.rule) }));
        return;
      }
      const entered = walker.isNoted ? noted(walker, target, depth + 1) : walker;
      const inner: ChainEnd[] = [];
      walkRules(walk, target, 0, entered, depth + 1, inner);
      for (const end of inner) {
        if (end.end !== 'passed') {
          ends.push(end);
        } else if (verdict.do === 'jump') {
          staying.push(end.walker);
        } else {
          ends.push(end);
        }
      }
      return;
    }
  }
}

function noted(walker: Walker, target: CompiledChain, depth: number): Walker {
  const visit = { table: target.table, chain: target.name, depth };
  const emptyChain = walker.emptyChain ?? (target.rules.length === 0 ? visit : undefined);
  return withChanges(walker, { visits: append(walker.visits, visit), emptyChain });
}
