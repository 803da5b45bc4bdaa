import { type IPFamily, type Logger, messageOf, type SyncObserver, type SyncSuccess } from '@kube-proxier/core';
import { mayLeaveStaleFlows, staleFlows, type TrackedFlow } from './stale-flows.js';

/** The kernel's table of tracked flows, as far as cleaning it takes. */
export interface FlowTable<Flow extends TrackedFlow = TrackedFlow> {
  /** All tracked UDP flows of the family. */
  listUDP(family: IPFamily): Promise<readonly Flow[]>;
  /**
   * Deletes exactly these flows; one that is gone already is no error.
   *
   * @returns how many were deleted.
   */
  delete(family: IPFamily, flows: readonly Flow[]): Promise<number>;
}

/** Deletes stale UDP flows after each sync that can leave some (spec §9.2). A failure is logged, and never in the way. */
export class ConntrackCleaner<Flow extends TrackedFlow = TrackedFlow> implements SyncObserver {
  constructor(
    private readonly table: FlowTable<Flow>,
    private readonly logger: Logger,
  ) {}

  async synced({ family, state, changes }: SyncSuccess): Promise<void> {
    if (!mayLeaveStaleFlows(changes)) {
      return;
    }
    try {
      const stale = staleFlows(state, await this.table.listUDP(family));
      if (stale.length > 0) {
        const deleted = await this.table.delete(family, stale);
        this.logger.debug(2, 'Deleted stale conntrack entries', { family, found: stale.length, deleted });
      }
    } catch (error) {
      this.logger.error(`Stale conntrack entries could not be deleted: ${messageOf(error)}`, { family });
    }
  }
}
