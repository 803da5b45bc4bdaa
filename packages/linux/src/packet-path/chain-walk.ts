import type { PathRule } from '@kube-proxier/core';
import { append, type Walker, withChanges } from './walker.js';

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
}

export interface CompiledChain {
  readonly name: string;
  /** For findings: `nat`, `ip kube-proxier`. */
  readonly table: string;
  readonly rules: readonly CompiledRule[];
}

/** Chains with fewer rules are followed rule by rule. */
const INDEXED_FROM = 8;
const INDEXES = new WeakMap<readonly CompiledRule[], RuleIndex>();

/**
 * Index of the rules of a long chain that may match a packet, so that the cost does not depend on the number of
 * Services.
 */
class RuleIndex {
  readonly #rules: readonly CompiledRule[];
  readonly #others: number[] = [];
  readonly #byDestination = new Map<string, number[]>();
  readonly #byPort = new Map<number, number[]>();

  constructor(rules: readonly CompiledRule[]) {
    this.#rules = rules;
    for (const [index, { destination, port }] of rules.entries()) {
      if (destination !== undefined) {
        put(this.#byDestination, destination, index);
      } else if (port !== undefined) {
        put(this.#byPort, port, index);
      } else {
        this.#others.push(index);
      }
    }
  }

  /** Positions of rules, in the order of the chain. */
  candidates({ destination, port }: Walker): readonly number[] {
    const ofDestination = this.#byDestination.get(destination)?.filter((at) => {
      const only = this.#rules[at]?.port;
      return only === undefined || only === port;
    });
    const found = [...(ofDestination ?? []), ...(this.#byPort.get(port) ?? [])];
    return found.length === 0 ? this.#others : [...this.#others, ...found].sort((a, b) => a - b);
  }
}

function put<Key>(lists: Map<Key, number[]>, key: Key, index: number): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [index]);
  } else {
    list.push(index);
  }
}

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

/** The chains that the rules of one table can jump to. */
export type ChainTable = Pick<ReadonlyMap<string, CompiledChain>, 'get'>;

/** How a packet leaves a chain. `passed`: at its end, or by a return. */
export interface ChainEnd {
  readonly walker: Walker;
  readonly end: 'passed' | 'accept' | 'drop' | 'refuse';
  readonly by: PathRule | undefined;
}

export const CONTINUE: RuleVerdict = { do: 'continue' };
/** Maximum jump depth in the kernel. */
const MAX_DEPTH = 32;

/** Evaluates a chain, and the chains that its rules jump to, for a packet. */
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
  // No rule changes the destination of a packet that stays in the chain.
  const candidates = candidatesOf(rules, start, first);
  const count = candidates?.length ?? rules.length - first;
  const staying: Walker[] = [];
  for (let step = 0; step < count; step++) {
    const index = candidates?.[step] ?? first + step;
    const compiled = rules[index] as CompiledRule;
    const branches = compiled.evaluate(walker);
    if (branches === undefined) {
      continue;
    }
    staying.length = 0;
    for (const branch of branches) {
      follow(chains, compiled, branch, depth, ends, staying);
    }
    const [next, ...further] = staying;
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

/** @param staying receives the walkers that continue with the next rule of the chain. */
function follow(
  chains: ChainTable,
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
    case 'refuse':
      ends.push({ walker, end: verdict.do, by: compiled.rule });
      return;
    case 'jump':
    case 'goto': {
      const target = chains.get(verdict.chain);
      if (target === undefined || depth >= MAX_DEPTH) {
        // The chain was not read, so the further path of the packet is unknown.
        staying.push(withChanges(walker, { unknown: append(walker.unknown, compiled.rule) }));
        return;
      }
      const entered = walker.isNoted ? noted(walker, target, depth + 1) : walker;
      const inner: ChainEnd[] = [];
      walkRules(chains, target, 0, entered, depth + 1, inner);
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
