import { type AddressChange, type Clock, messageOf, pause } from '@kube-proxier/core';
import type { AddressEvents } from './address-events.js';

/** Milliseconds between two polls, each of which is one system call. */
const INTERVAL = 250;
/** Minimum interval in milliseconds between two reports: changes in the meantime are reported together. */
const REST = 1000;
/** Milliseconds before the retry after a first failure; doubled with each further failure. */
const FIRST_RETRY = 1000;
const MAX_RETRY_DELAY = 30_000;

export interface AddressWatchOptions {
  /** Called again after each failure. */
  readonly open: () => AddressEvents;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Called for changes; with undefined when changes may have been missed: at the start, when the kernel's buffer
   * overran, and each time that watching fails. Is awaited. Must not reject.
   */
  readonly onChange: (changes: readonly AddressChange[] | undefined) => void | Promise<void>;
  /** Called each time that watching fails, with the number of consecutive failures (from 1). */
  readonly onFailure: (reason: string, failures: number) => void;
  /** Called when watching works again. */
  readonly onRecovery: () => void;
}

/**
 * Watches the addresses of interfaces, and retries with increasing delay after a failure. If they cannot be watched at
 * all, `onChange` makes the caller read them every 30 seconds.
 *
 * @returns when the signal aborts.
 */
export async function watchAddresses(options: AddressWatchOptions): Promise<void> {
  const { open, clock, signal, onChange, onFailure, onRecovery } = options;
  let failures = 0;
  while (!signal.aborted) {
    const events = open();
    try {
      await events.take();
      if (failures > 0) {
        onRecovery();
      }
      await onChange(undefined);
      for (let wait = REST; ; ) {
        await pause(clock, wait, signal);
        if (signal.aborted) {
          return;
        }
        const { changes, missed } = await events.take();
        failures = 0;
        const isNews = missed || changes.length > 0;
        if (isNews) {
          await onChange(missed ? undefined : changes);
        }
        wait = isNews ? REST : INTERVAL;
      }
    } catch (error) {
      failures += 1;
      onFailure(messageOf(error), failures);
      await onChange(undefined);
    } finally {
      events.close();
    }
    await pause(clock, Math.min(FIRST_RETRY * 2 ** (failures - 1), MAX_RETRY_DELAY), signal);
  }
}
