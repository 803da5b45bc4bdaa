import {
  type IPFamily,
  type Logger,
  messageOf,
  type Protocol,
  type SyncObserver,
  type SyncSuccess,
} from '@kube-proxier/core';
import { mayLeaveStaleFlows, staleFlows, type TrackedFlow } from './stale-flows.js';

/** The kernel's table of tracked flows, as far as cleaning it takes. */
export interface FlowTable<Flow extends TrackedFlow = TrackedFlow> {
  /** All tracked flows of one family and protocol. */
  list(family: IPFamily, protocol: Protocol): Promise<readonly Flow[]>;
  /**
   * Deletes exactly these flows; one that is gone already is no error.
   *
   * @returns how many were deleted.
   */
  delete(flows: readonly Flow[]): Promise<number>;
}

/** Deletes stale UDP flows after each sync that can leave some (spec §9.2). A failure is logged, and never in the way. */
export class ConntrackCleaner<Flow extends TrackedFlow = TrackedFlow> implements SyncObserver {
  private failure = '';

  constructor(
    private readonly table: FlowTable<Flow>,
    private readonly logger: Logger,
  ) {}

  async synced({ family, state, changes }: SyncSuccess): Promise<void> {
    if (!mayLeaveStaleFlows(changes)) {
      return;
    }
    try {
      const stale = staleFlows(state, await this.table.list(family, 'UDP'));
      if (stale.length > 0) {
        const deleted = await this.table.delete(stale);
        this.logger.debug(2, 'Deleted stale conntrack entries', { family, found: stale.length, deleted });
      }
      this.failure = '';
    } catch (error) {
      const reason = messageOf(error);
      // What is missing on a host is missing at every sync; saying it once is enough.
      if (this.failure !== reason) {
        this.failure = reason;
        this.logger.error(
          `Stale conntrack entries cannot be deleted, so clients may go on talking to endpoints that are gone: ${reason}`,
          { family },
        );
      }
    }
  }
}
