import { type Clock, type DriftReporter, type IPFamily, pause } from '@kube-proxier/core';
import type { Nft } from '@kube-proxier/linux';
import { nftFamily, TABLE } from '../plan/layout.js';

/** Milliseconds until monitoring restarts after it ended. */
const RESTART_DELAY = 1000;

/**
 * Monitors the table of one family, and reports foreign changes.
 *
 * @returns when the signal aborts, or at once when changes cannot be monitored.
 */
export async function watchTable(
  nft: Nft,
  family: IPFamily,
  clock: Clock,
  onDrift: DriftReporter,
  signal: AbortSignal,
  onForeignChange?: () => void,
): Promise<void> {
  const table = `${nftFamily(family)} ${TABLE}`;
  while (!signal.aborted) {
    const watch = nft.watch(nftFamily(family), TABLE, ({ pid, program, ownerEnded, uncertain, otherTable }) => {
      if (otherTable !== undefined) {
        // A change of our table of the other family is drift, which its own watch reports.
        if (otherTable !== TABLE) {
          onForeignChange?.();
        }
        return;
      }
      if (ownerEnded) {
        onDrift(`the nft process that owned table ${table} ended`);
        return;
      }
      if (uncertain && pid === undefined) {
        onDrift('changes of nftables were not received', 'possible');
        return;
      }
      const who = pid === undefined ? 'an unknown process' : `${program ?? 'process'} (process ${pid})`;
      if (uncertain) {
        onDrift(`${who} changed an nftables table that nft monitor cannot print`, 'possible');
      } else {
        onDrift(`table ${table} changed by ${who}`);
      }
    });
    if (watch === undefined) {
      return;
    }
    const stop = () => watch.stop();
    signal.addEventListener('abort', stop, { once: true });
    await watch.ended;
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) {
      onDrift(`monitoring of table ${table} was interrupted`, 'possible');
      await pause(clock, RESTART_DELAY, signal);
    }
  }
}
