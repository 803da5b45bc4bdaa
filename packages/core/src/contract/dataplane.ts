import type { ChangeSet } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { Slices } from '../pacing/slices.js';
import type { RuleChange } from './rule-change.js';

/** Statistics of the last `apply`, for metrics. */
export interface ApplyReport {
  /** By table: number of installed rules, and number of rules in the last write. */
  readonly rules?: Readonly<Record<string, { readonly total: number; readonly written: number }>>;
  /** Unused objects could not be removed yet, and are left for a later sync. Default false. */
  readonly leftovers?: boolean;
}

/**
 * Reports a foreign change, in a few words: `table ip kube-proxier changed by nft (process 812)`.
 *
 * `certainty` is `seen` when an object of this backend was changed, and `possible` when that has to be checked: drift
 * is logged only if the check finds some. Default `seen`.
 */
export type DriftReporter = (what: string, certainty?: 'seen' | 'possible') => void;

/**
 * The operations that a backend implements; `ReconcilingProxier` does the rest. One instance serves one IP family.
 *
 * @typeParam Transaction what `plan` passes to `apply`: typed objects, not text, so that they can be inspected and
 *   tested.
 * @typeParam Installed the objects of this backend in the kernel, in the backend's own terms.
 */
export interface Dataplane<Transaction = unknown, Installed = unknown> {
  /**
   * The backend depends on the addresses of interfaces: `NodeState.localAddresses` is set, and a change of them is
   * planned like any other change of the node. Default false: only addresses that options depend on are followed.
   */
  readonly followsLocalAddresses?: boolean;

  /**
   * Computes the writes that bring the kernel to the state `next`.
   *
   * Pure: same input, same output; no clock, no input or output, no visible memory. (A memo keyed by the state objects
   * is fine.) The starting point is given in one of two ways:
   * - `installed` is undefined: the kernel has what was planned for `changes.previous`. Cost must be proportional to
   *   the size of `changes.servicePorts`, not of `next.servicePorts`.
   * - `installed` is given (at start, after a failure, after drift): the current state of the kernel, whichever program
   *   installed it; the transaction must lead from there to `next`, and must not touch what is already correct.
   *
   * @returns undefined when no write is needed.
   */
  plan(next: ProxyState, changes: ChangeSet, installed?: Installed): Transaction | undefined;

  /**
   * `plan` in slices, so that the process answers requests while it plans a large state. The result is the same. Yields
   * after at most a millisecond of work. No other planning method is called until it ends or is aborted. Optional;
   * default is `plan`.
   */
  planInSlices?(next: ProxyState, changes: ChangeSet, installed?: Installed): Slices<Transaction | undefined>;

  /**
   * Writes the transaction to the kernel, atomically where the kernel supports that. Packets of Services that the
   * transaction does not change are never affected.
   *
   * @throws when only part of it is in force. The caller then reads back and plans again; the installed state is
   *   unknown.
   */
  apply(transaction: Transaction): Promise<void>;

  /** Reads the current state of this backend in the kernel. Changes nothing. May be slow; it is not on the hot path. */
  readBack(): Promise<Installed>;

  /**
   * Watches for foreign changes of what this backend installed, and reports them soon after (within a second, where the
   * kernel or cheap polling allows it). Detection may be incomplete: everything is read back periodically.
   * Optional; default is not to watch.
   *
   * @param onForeignChange called where the kernel reports that another program changed its own rules, such as a firewall that
   *   starts: they may drop the packets of Services. Default: nothing.
   * @returns when `signal` aborts. It must not return on a failure; the backend retries.
   */
  watch?(onDrift: DriftReporter, signal: AbortSignal, onForeignChange?: () => void): Promise<void>;

  /**
   * Stops background work in this process, so that it does not keep the process alive. Called when the sync loop has
   * ended; the rules in the kernel are kept. Optional.
   */
  close?(): void | Promise<void>;

  /** A short summary of a transaction for the log: how much it sets and removes. Optional. */
  describe?(transaction: Transaction): string;

  /**
   * The changes that `apply` of a transaction makes to what is installed: all of them, and no others. Pure. For
   * `kube-proxier plan`; required of a backend that binds `Tokens.Preview`, else optional.
   *
   * @param installed what the transaction was planned from.
   */
  render?(transaction: Transaction, installed: Installed): readonly RuleChange[];

  /** Statistics of the last successful `apply`; called after each sync. Must be cheap. Optional. */
  report?(): ApplyReport;

  /**
   * Removes every object of this backend from the kernel and nothing else. Idempotent; works without a `plan` before,
   * whichever program installed the objects.
   */
  cleanup(): Promise<void>;
}
