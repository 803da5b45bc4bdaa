import { type Clock, messageOf, pause } from '@kube-proxier/core';
import type { Iptables } from './iptables.js';
import { RuleSentinels, type WatchedRule } from './rule-sentinels.js';

/** Milliseconds between two checks. Including the check and the repair, a flush is repaired within a second. */
const INTERVAL = 500;

export interface RuleWatchOptions {
  /** One for each table is enough. */
  readonly rules: readonly WatchedRule[];
  readonly iptables: () => Promise<Iptables>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Install count so far, including detected rules: they may be removed again before the next check. There is no check
   * before the first install. Default: only rules that a check has found are reported as missing.
   */
  readonly placed?: () => number;
  /** Called after each check that found all rules; rejects when it fails. Default: nothing. */
  readonly afterCheck?: () => Promise<void>;
  readonly onDrift: (what: string) => void;
  /** Called when other programs changed the tables of the rules. Default: nothing. */
  readonly onForeignChange?: (() => void) | undefined;
  /** Called when a check fails; once until a check succeeds again. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Checks periodically whether rules are still installed, as {@link RuleSentinels} does.
 *
 * @returns when the signal aborts.
 */
export async function watchRules(options: RuleWatchOptions): Promise<void> {
  const { rules, iptables, clock, signal, placed, onDrift, onFailure } = options;
  const { afterCheck, onForeignChange } = options;
  const sentinels = new RuleSentinels(rules, iptables);
  let failing = false;
  while (!signal.aborted) {
    await pause(clock, INTERVAL, signal);
    if (placed?.() === 0) {
      continue;
    }
    try {
      if ((await sentinels.check(signal, onDrift, placed)) && !signal.aborted) {
        await afterCheck?.();
      }
      if (onForeignChange && (await sentinels.hasForeignChanges()) && !signal.aborted) {
        onForeignChange();
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
