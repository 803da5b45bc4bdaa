import { type Clock, type DriftReporter, type IPFamily, pause } from '@kube-proxier/core';
import type { Nft, NftChange } from '@kube-proxier/linux';
import { nftFamily, TABLE } from '../plan/layout.js';

/** Minimum time in milliseconds between two starts of monitoring. */
const MIN_INTERVAL = 1000;

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
  const onChange = ({ pid, program, ownerEnded, uncertain, otherTable }: NftChange) => {
    if (signal.aborted) {
      return;
    }
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
  };
  for (let isRestarted = false; !signal.aborted; isRestarted = true) {
    const begin = clock.monotonic();
    const watch = nft.watch(nftFamily(family), TABLE, onChange);
    if (watch === undefined) {
      return;
    }
    if (isRestarted) {
      // After the restart, so that no change between the check and the restart is missed.
      onDrift(`monitoring of table ${table} was interrupted`, 'possible');
    }
    const stop = () => watch.stop();
    signal.addEventListener('abort', stop, { once: true });
    await watch.ended;
    signal.removeEventListener('abort', stop);
    if (!signal.aborted && clock.monotonic() - begin < MIN_INTERVAL) {
      await pause(clock, MIN_INTERVAL, signal);
    }
  }
}
