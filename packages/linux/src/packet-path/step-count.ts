import type { PathRule } from '@kube-proxier/core';
import type { CompiledChain, CompiledRule } from './compiled-rule.js';

/** Number of rules between two pauses. A rule takes less than a microsecond. */
const SLICE = 2000;
/** Maximum number of rules for one packet. */
const MOST_STEPS = 5_000_000;
/** Maximum number of rules between two possible pauses, at the end of a base chain. */
const MOST_AT_ONCE = 100_000;

/** Thrown when too many rules have to be evaluated for one packet. */
export class TooManySteps extends Error {
  constructor(
    /** Where the evaluation ended, as a rule with an unknown effect. */
    readonly rule: PathRule,
  ) {
    super('too many rules for one packet');
  }
}

/** Counts the rules that are evaluated, so that the work pauses, and is bounded for each packet. */
export class StepCount {
  /** Of all packets since the last pause. */
  #sincePause = 0;
  #ofPacket = 0;
  #atOnce = 0;

  /** Begins the next packet. */
  begin(): void {
    this.#ofPacket = 0;
    this.#atOnce = 0;
  }

  /** @throws TooManySteps */
  count(chain: CompiledChain, next: CompiledRule): void {
    this.#sincePause += 1;
    this.#atOnce += 1;
    if (++this.#ofPacket > MOST_STEPS || this.#atOnce > MOST_AT_ONCE) {
      const { name, rules, table } = chain;
      const { foreign, system } = next.rule;
      const text = `${rules.length} rules: more rules lead packets here than are evaluated for a packet`;
      throw new TooManySteps({ system, table, chain: name, text, ...(foreign === undefined ? {} : { foreign }) });
    }
  }

  /** Whether to pause now. Called where a pause is possible. */
  isPauseDue(): boolean {
    this.#atOnce = 0;
    if (this.#sincePause < SLICE) {
      return false;
    }
    this.#sincePause = 0;
    return true;
  }
}
