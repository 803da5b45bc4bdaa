import {
  type ChangeSet,
  type Clock,
  diffStates,
  type IPFamily,
  type Logger,
  messageOf,
  type ProxyState,
  type SyncObserver,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import type { Conntrack, ConntrackEntry } from '@kube-proxier/linux';
import { protocolsWithStaleFlows, type StaleReason, staleFlowJudge } from './stale-flows.js';

/** What one look for stale flows came to. */
export interface ConntrackCleaning {
  readonly family: IPFamily;
  /** Milliseconds. */
  readonly duration: number;
  /** Entries that were deleted, by why they were stale. */
  readonly deleted: ReadonlyMap<StaleReason, number>;
}

/** Milliseconds before a look that failed is repeated; doubled with each failure in a row up to the last. */
const FIRST_RETRY = 1000;
const LAST_RETRY = 300_000;

/**
 * Deletes stale flows after each sync that can leave some (spec T-10…T-19). A failure is logged, and never in the way; the look
 * is repeated, as the next sync may be long in coming.
 */
export class ConntrackCleaner implements SyncObserver {
  private failure = '';
  /** By family: the state that stale flows were last looked for in. */
  private readonly looked = new Map<IPFamily, ProxyState>();
  private readonly retries = new Map<IPFamily, Timer>();
  private failures = 0;

  constructor(
    private readonly conntrack: Conntrack,
    private readonly logger: Logger,
    private readonly localAddresses: () => Promise<readonly string[]>,
    private readonly clock: Clock = systemClock,
    private readonly onCleaned: (cleaning: ConntrackCleaning) => void = () => {},
    /** Whether a host that it cannot delete on is worth a word: clients then depend on it. */
    private readonly isNeeded = true,
  ) {}

  /** Tells, before there is anything to delete, what it lacks on this host. Never rejects. */
  async checkHost(): Promise<void> {
    try {
      await this.conntrack.check?.();
    } catch (error) {
      this.failure = messageOf(error);
      this.logger.warn(
        `Stale UDP and SCTP flows will not be deleted, so clients may go on talking to endpoints that are gone: ${this.failure}`,
      );
    }
  }

  /** Repeats no failed look any more. */
  async stop(): Promise<void> {
    for (const retry of this.retries.values()) {
      retry.cancel();
    }
    this.retries.clear();
  }

  async synced(success: SyncSuccess): Promise<void> {
    const { family, state, changes, full } = success;
    this.retries.get(family)?.cancel();
    this.retries.delete(family);
    const before = this.looked.get(family);
    const step = stepSince(before, state, changes, full);
    const protocols = protocolsWithStaleFlows(step);
    if (protocols.length === 0) {
      this.looked.set(family, state);
      return;
    }
    const begin = this.clock.monotonic();
    try {
      const judge = staleFlowJudge(state, step, new Set(await this.localAddresses()));
      const isStale = (entry: ConntrackEntry) => judge(entry) !== undefined;
      const lists = await Promise.all(protocols.map((protocol) => this.conntrack.list(family, protocol, isStale)));
      const deleted = new Map<StaleReason, number>();
      const stale = new Map<StaleReason, ConntrackEntry[]>();
      for (const entry of lists.flat()) {
        const reason = judge(entry);
        if (reason !== undefined) {
          const same = stale.get(reason) ?? [];
          same.push(entry);
          stale.set(reason, same);
        }
      }
      for (const [reason, entries] of stale) {
        deleted.set(reason, await this.conntrack.delete(entries));
        this.logger.debug(2, 'Deleted stale conntrack entries', { family, reason, deleted: deleted.get(reason) });
      }
      this.failure = '';
      this.failures = 0;
      this.looked.set(family, state);
      this.onCleaned({ family, duration: this.clock.monotonic() - begin, deleted });
    } catch (error) {
      const delay = Math.min(FIRST_RETRY * 2 ** this.failures, LAST_RETRY);
      this.failures += 1;
      this.retries.set(
        family,
        this.clock.setTimer(delay, () => void this.synced(success)),
      );
      const reason = messageOf(error);
      // What is missing on a host is missing at every sync; saying it once is enough.
      if (this.failure !== reason) {
        this.failure = reason;
        if (this.isNeeded) {
          this.logger.error(
            `Stale conntrack entries cannot be deleted, so clients may go on talking to endpoints that are gone: ${reason}`,
            { family },
          );
        } else {
          this.logger.debug(2, `Conntrack entries that another mode left cannot be deleted: ${reason}`, { family });
        }
      }
    }
  }
}

/**
 * What stale flows are looked for in. A full sync may have ended a time without rules, in which flows went past every
 * Service: all that is served is looked at then. After a failure the changes do not say what differs since the last look;
 * the states do.
 */
function stepSince(before: ProxyState | undefined, state: ProxyState, changes: ChangeSet, full: boolean): ChangeSet {
  if (!full && before !== undefined && changes.previous === before) {
    return changes;
  }
  const step = diffStates(before, state);
  if (!full || before === undefined) {
    return step;
  }
  const resolvedServicePorts = new Map(step.resolvedServicePorts);
  for (const [key, current] of state.servicePorts) {
    if (!resolvedServicePorts.has(key)) {
      resolvedServicePorts.set(key, { previous: undefined, current });
    }
  }
  return { ...step, previous: undefined, resolvedServicePorts };
}
