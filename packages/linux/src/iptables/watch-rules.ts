import { type Clock, messageOf, pause } from '@kube-proxier/core';
import type { Iptables } from './iptables.js';
import { RuleSentinels, type WatchedRule } from './rule-sentinels.js';

/** Milliseconds between two looks. With what a look and a repair take, a flush is repaired within a second. */
const INTERVAL = 500;

export interface RuleWatchOptions {
  /** One for each table is enough. */
  readonly rules: readonly WatchedRule[];
  readonly iptables: () => Promise<Iptables>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * How often the rules were put in place so far, or found there: they may be gone again before a look has seen them.
   * Default: only what a look has seen is missed.
   */
  readonly placed?: () => number;
  /** Called after each look that has missed nothing; rejects when it cannot look. Default: nothing. */
  readonly lookFurther?: () => Promise<void>;
  readonly onDrift: (what: string) => void;
  /** Told of a look that failed, once until one succeeds again. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Looks again and again whether rules still stand, as {@link RuleSentinels} does.
 *
 * @returns when the signal aborts.
 */
export async function watchRules(options: RuleWatchOptions): Promise<void> {
  const { rules, iptables, clock, signal, placed, lookFurther, onDrift, onFailure } = options;
  const sentinels = new RuleSentinels(rules, iptables);
  let failing = false;
  while (!signal.aborted) {
    await pause(clock, INTERVAL, signal);
    try {
      let missed = false;
      await sentinels.look(
        signal,
        (what) => {
          missed = true;
          onDrift(what);
        },
        placed,
      );
      if (!missed && !signal.aborted) {
        await lookFurther?.();
      }
      failing = false;
    } catch (error) {
      if (!failing) {
        failing = true;
        onFailure(messageOf(error));
      }
    }
  }
}
