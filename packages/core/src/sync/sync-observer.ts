import type { ApplyReport } from '../contract/dataplane.js';
import type { IPFamily } from '../model/address.js';
import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';

/** One sync that succeeded: what the kernel now holds is `state`. */
export interface SyncSuccess {
  readonly family: IPFamily;
  readonly state: ProxyState;
  readonly changes: ChangeSet;
  /** It started from what the kernel was read to hold, not from what was written before. */
  readonly full: boolean;
  /** Milliseconds that the sync took. */
  readonly duration: number;
  /** Times (milliseconds since the epoch) at which the changes were made that are now in force (spec K-40). */
  readonly triggerTimes: readonly number[];
  /** What the backend tells of what it wrote, where it tells anything. */
  readonly report?: ApplyReport;
}

/** One sync that failed. It is tried again by itself. */
export interface SyncFailure {
  readonly family: IPFamily;
  readonly error: unknown;
  readonly full: boolean;
  readonly duration: number;
  /** Failures in a row, this one included. */
  readonly failures: number;
}

/** What others had changed, and was put right again. */
export interface DriftRepair {
  readonly family: IPFamily;
  /** What was noticed, or what had to be written; in a few words. */
  readonly what: string;
}

/** Told of what a proxier does. A method that throws is logged and disturbs nothing. */
export interface SyncObserver {
  /** The loop began. */
  started?(family: IPFamily): void;
  /** A sync was asked for. */
  queued?(family: IPFamily): void;
  /** May do work that belongs to the sync (conntrack); the next sync waits for it. */
  synced?(success: SyncSuccess): void | Promise<void>;
  failed?(failure: SyncFailure): void;
  /** What is installed was not what had been installed, and is again. */
  repaired?(repair: DriftRepair): void;
}
