import { type Clock, messageOf, pause } from '@kube-proxier/core';
import type { Iptables, IptablesTable } from './iptables.js';

/** Milliseconds between two looks. With what a look and a repair take, a flush is repaired within a second. */
const INTERVAL = 500;

/** A rule whose absence tells that its table was flushed: best a jump in a chain that is short. */
export interface WatchedRule {
  readonly table: IptablesTable;
  /** The chain that it stands in. */
  readonly from: string;
  /** As `iptables-save` prints it, without its chain. */
  readonly text: string;
}

export interface RuleWatchOptions {
  /** One for each table is enough. */
  readonly rules: readonly WatchedRule[];
  readonly iptables: () => Promise<Iptables>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onDrift: (what: string) => void;
  /** Told of a look that failed, once until one succeeds again. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Looks again and again whether rules still stand: a foreigner who flushes a table takes them with the rest. The cost is
 * that of these rules only, whatever else is installed. A rule is missed only after it was seen.
 *
 * @returns when the signal aborts.
 */
export async function watchRules(options: RuleWatchOptions): Promise<void> {
  const { rules, iptables, clock, signal, onDrift, onFailure } = options;
  const seen = new Set<string>();
  let failing = false;
  while (!signal.aborted) {
    await pause(clock, INTERVAL, signal);
    try {
      for (const { table, from, text } of rules) {
        if (signal.aborted) {
          return;
        }
        const there = await (await iptables()).ruleExists(table, from, text);
        if (there) {
          seen.add(table);
        } else if (seen.delete(table)) {
          onDrift(`the jump from ${from} in the ${table} table is gone, as after a flush`);
        }
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
