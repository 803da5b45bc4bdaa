import type { ApplyReport } from '../contract/dataplane.js';
import type { IPFamily } from '../model/address.js';
import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';

/** One successful sync: the kernel now has `state`. */
export interface SyncSuccess {
  readonly family: IPFamily;
  readonly state: ProxyState;
  readonly changes: ChangeSet;
  /** It started from the current state of the kernel, not from the last written state. */
  readonly full: boolean;
  /** Duration of the sync in milliseconds. */
  readonly duration: number;
  /** Times (milliseconds since the epoch) of the object changes that are now in force (spec K-40). */
  readonly triggerTimes: readonly number[];
  /** Statistics of the write, where the backend reports them. */
  readonly report?: ApplyReport;
}

/** One failed sync. It is retried automatically. */
export interface SyncFailure {
  readonly family: IPFamily;
  readonly error: unknown;
  readonly full: boolean;
  readonly duration: number;
  /** Consecutive failures, this one included. */
  readonly failures: number;
}

/** Foreign changes that were repaired. */
export interface DriftRepair {
  readonly family: IPFamily;
  /** The detected change, or the written repair, in a few words. */
  readonly what: string;
}

/** Notified of a proxier's activity. A method that throws is logged and has no effect. */
export interface SyncObserver {
  /** The sync loop started. */
  started?(family: IPFamily): void;
  /** A sync was requested. */
  queued?(family: IPFamily): void;
  /** A sync begins to resolve all changes up to now; later ones belong to the next. `latest` is the state before them. */
  resolving?(family: IPFamily, latest: ProxyState): void;
  /** A sync has resolved its changes into this state, and begins to write it. It then succeeds or fails. */
  resolved?(family: IPFamily, state: ProxyState): void;
  /** May do work that belongs to the sync (conntrack); the next sync waits for it. */
  synced?(success: SyncSuccess): void | Promise<void>;
  failed?(failure: SyncFailure): void;
  /** The installed rules differed from what was written, and were restored. */
  repaired?(repair: DriftRepair): void;
  /** Another program changed its own rules, which packets of Services may traverse as well. */
  foreignRulesChanged?(family: IPFamily): void;
  /**
   * A companion of the backend, such as sockets for NodePorts on 127.0.0.1, could not be updated; undefined: it is up
   * to date again. The update is retried, and does not affect syncs.
   */
  companion?(family: IPFamily, error: unknown): void;
}
