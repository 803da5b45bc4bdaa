import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';

/** What a backend can tell of the last `apply`, for metrics. */
export interface ApplyReport {
  /** By table: the rules that it has there, and how many of these it wrote last. */
  readonly rules?: Readonly<Record<string, { readonly total: number; readonly written: number }>>;
  /** It could not remove yet what is not needed any more, and left it for later. Default false. */
  readonly leftovers?: boolean;
}

/**
 * Reports a foreign change, in a few words: `table ip kube-proxier changed by nft (process 812)`.
 *
 * `certainty` is `seen` when something of this backend was changed, and `possible` when that has to be checked: it is
 * logged as drift only when the check finds some. Default `seen`.
 */
export type DriftReporter = (what: string, certainty?: 'seen' | 'possible') => void;

/**
 * The four things that a backend does, when `ReconcilingProxier` does the rest. One instance serves one IP family.
 *
 * @typeParam Transaction what `plan` hands to `apply`: typed objects, not text, so that they can be shown and tested.
 * @typeParam Installed what the kernel holds of this backend, in the backend's own terms.
 */
export interface Dataplane<Transaction = unknown, Installed = unknown> {
  /**
   * What is served follows the addresses that interfaces have: `NodeState.localAddresses` is told, and a change of them
   * is planned like any other change of the node. Default false: only the addresses that options ask for are followed.
   */
  readonly followsLocalAddresses?: boolean;

  /**
   * Works out what has to be written so that the kernel does what `next` says.
   *
   * Pure: same input, same output; no clock, no input or output, no memory that shows. (A memo keyed by the state
   * objects is fine.) It is told where to start from in one of two ways:
   * - `installed` is undefined: the kernel holds what was planned for `changes.previous`. Cost must follow the size
   *   of `changes.servicePorts`, not of `next.servicePorts`.
   * - `installed` is given (at start, after a failure, after drift): the kernel holds that, whoever wrote it; the
   *   transaction must lead from there to `next`, and leave alone what is already right.
   *
   * @returns undefined when there is nothing to write.
   */
  plan(next: ProxyState, changes: ChangeSet, installed?: Installed): Transaction | undefined;

  /**
   * Writes it to the kernel, all or nothing where the kernel allows that. Packets of Services that the transaction
   * does not change are never disturbed.
   *
   * @throws when not all of it is in force. The caller then reads back and plans anew; nothing may be assumed of
   * what is installed.
   */
  apply(transaction: Transaction): Promise<void>;

  /** Reads what the kernel holds of this backend now. Changes nothing. May be slow; it is not on the hot path. */
  readBack(): Promise<Installed>;

  /**
   * Watches for foreign changes of what this backend installed, and reports them soon after (within a second, where the
   * kernel or cheap polling allows it). It need not see everything: everything is read back periodically anyway.
   * Optional; default is not to watch.
   *
   * @returns when `signal` aborts. A failure is no reason to end before; the backend tries again.
   */
  watch?(onDrift: DriftReporter, signal: AbortSignal): Promise<void>;

  /**
   * Ends what is kept running in this process between calls, so that nothing of it keeps the process alive. Called when
   * the sync loop has ended; what is programmed in the kernel stays. Optional.
   */
  close?(): void | Promise<void>;

  /** A transaction in a few words, for the log: how much it sets and removes. Optional. */
  describe?(transaction: Transaction): string;

  /** Tells of the last `apply` that succeeded; asked after each sync. Must be cheap. Optional. */
  report?(): ApplyReport;

  /**
   * Removes every trace of this backend from the kernel and nothing else. Idempotent; works without a `plan` before,
   * and whoever wrote the traces.
   */
  cleanup(): Promise<void>;
}
