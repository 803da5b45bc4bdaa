import { type Clock, messageOf, pause } from '@kube-proxier/core';
import type { Iptables } from '@kube-proxier/linux';
import { JUMPS } from './fixed-rules.js';

/** Milliseconds between two looks. With what a look and a repair take, a flush is repaired within a second. */
const INTERVAL = 500;

/** The rule whose absence tells that a table was flushed: one jump of each, in a chain that is short. */
const SENTINELS = (['nat', 'filter'] as const).map((table) => {
  const from = table === 'nat' ? 'PREROUTING' : 'FORWARD';
  const jump = JUMPS.find((candidate) => candidate.table === table && candidate.from === from);
  if (!jump) {
    throw new Error(`no jump from ${from} in ${table}`);
  }
  return jump;
});

export interface JumpWatchOptions {
  readonly iptables: () => Promise<Iptables>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onDrift: (what: string) => void;
  /** Told of a look that failed, once until one succeeds again. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Looks again and again whether the jumps into our chains still stand: a foreigner who flushes a table takes them with
 * the rest. It looks at two rules only, whatever is installed. A jump is missed only after it was seen.
 *
 * @returns when the signal aborts.
 */
export async function watchJumps({ iptables, clock, signal, onDrift, onFailure }: JumpWatchOptions): Promise<void> {
  const seen = new Set<string>();
  let failing = false;
  while (!signal.aborted) {
    await pause(clock, INTERVAL, signal);
    try {
      for (const { table, from, rule } of SENTINELS) {
        if (signal.aborted) {
          return;
        }
        const there = await (await iptables()).ruleExists(table, from, rule.text);
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
