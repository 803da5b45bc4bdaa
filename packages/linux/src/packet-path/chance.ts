import type { PathRule } from '@kube-proxier/core';
import { type Branch, CONTINUE, type RuleVerdict } from './compiled-rule.js';
import { append, type Walker, withChanges } from './walker.js';

/** 0…1: the probability that a match holds; {@link UNKNOWN} for an unsupported match. */
export type Chance = number;

export const UNKNOWN: Chance = -1;

export function chance(holds: boolean): Chance {
  return holds ? 1 : 0;
}

export function negated(value: Chance): Chance {
  return value === UNKNOWN ? UNKNOWN : 1 - value;
}

/** A condition of a rule. */
export type Test = (walker: Walker) => Chance;

/** Whether a rule with all of these conditions matches: an unknown condition matters only if all others hold. */
export function allOf(tests: readonly Test[], walker: Walker): Chance {
  let product: Chance = 1;
  let unknown = false;
  for (const test of tests) {
    const value = test(walker);
    if (value === 0) {
      return 0;
    }
    if (value === UNKNOWN) {
      unknown = true;
    } else {
      product *= value;
    }
  }
  return unknown ? UNKNOWN : product;
}

/** Maximum number of rules with an unknown effect that are recorded for a packet. */
const MOST_UNKNOWN = 16;

/** The walker after a rule with an unknown effect. */
export function assuming(walker: Walker, rule: PathRule): Walker {
  if (walker.unknown !== undefined && walker.unknown.length >= MOST_UNKNOWN) {
    return walker;
  }
  for (let at = walker.unknown; at !== undefined; at = at.before) {
    if (at.item === rule) {
      return walker;
    }
  }
  return withChanges(walker, { unknown: append(walker.unknown, rule) });
}

/** All possible branches of a rule with an unknown verdict. */
export function anyVerdict(walker: Walker, rule: PathRule): readonly Branch[] {
  const assumed = assuming(walker, rule);
  const verdicts: readonly RuleVerdict[] = [CONTINUE, { do: 'accept' }, { do: 'drop' }];
  return verdicts.map((verdict) => ({ walker: assumed, verdict }));
}
