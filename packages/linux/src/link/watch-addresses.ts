import { type AddressChange, type Clock, messageOf, pause } from '@kube-proxier/core';
import type { AddressEvents } from './address-events.js';

/** Milliseconds between two looks, each of which is one system call. */
const INTERVAL = 250;
/** Milliseconds after changes were told until more are: what comes and goes again meanwhile is told once. */
const REST = 1000;
/** Milliseconds until it is tried again after a first failure; doubled with each that follows. */
const FIRST_RETRY = 1000;
const MAX_RETRY_DELAY = 30_000;

export interface AddressWatchOptions {
  /** Asked again after each failure. */
  readonly open: () => AddressEvents;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * Told of changes; of undefined when there may have been some that are not known: when watching begins, after more than
   * the kernel keeps, and each time that watching fails. Is waited for. Must not reject.
   */
  readonly onChange: (changes: readonly AddressChange[] | undefined) => void | Promise<void>;
  /** Told each time that watching fails, with how often it has in a row (from 1). */
  readonly onFailure: (reason: string, failures: number) => void;
  /** Told when watching works again. */
  readonly onRecovery: () => void;
}

/**
 * Watches the addresses of interfaces, and begins anew whenever that fails, later and later. So where they cannot be
 * watched at all, `onChange` has them looked at every 30 seconds.
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
