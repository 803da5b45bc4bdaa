/** How long the files have to be unchanged, in milliseconds. */
export interface SettleTimes {
  /** Before files are read. */
  readonly settleTime: number;
  /** Before anything is removed. */
  readonly removalSettleTime: number;
  /** Maximum time for which a change waits. */
  readonly maxSettleTime: number;
}

/** A change that is not in force. Times are those of the monotonic clock, in milliseconds. */
export interface PendingChange {
  /** The last observed change of any file. */
  readonly changedAt: number;
  /** Since when a change is pending. */
  readonly pendingSince: number;
}

/** Whether a change is read even though the files keep changing. Pure. */
export function isOverdue({ pendingSince }: PendingChange, now: number, { maxSettleTime }: SettleTimes): boolean {
  return now - pendingSince >= maxSettleTime;
}

/**
 * The remaining delay of a change. Pure.
 *
 * @param effect `remove` when it removes an object.
 * @returns milliseconds; 0 when it need not wait.
 */
export function settleDelay(change: PendingChange, now: number, times: SettleTimes, effect: 'read' | 'remove'): number {
  const quiet = effect === 'remove' ? Math.max(times.removalSettleTime, times.settleTime) : times.settleTime;
  return isOverdue(change, now, times) ? 0 : Math.max(0, quiet - (now - change.changedAt));
}
