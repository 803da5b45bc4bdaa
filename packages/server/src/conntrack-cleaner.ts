import {
  type Clock,
  type IPFamily,
  type Logger,
  messageOf,
  type SyncObserver,
  type SyncSuccess,
  systemClock,
} from '@kube-proxier/core';
import type { Conntrack } from '@kube-proxier/linux';
import { mayLeaveStaleFlows, staleFlows } from './stale-flows.js';

/** Deletes stale UDP flows after each sync that can leave some (spec §9.2). A failure is logged, and never in the way. */
export class ConntrackCleaner implements SyncObserver {
  private failure = '';

  constructor(
    private readonly conntrack: Conntrack,
    private readonly logger: Logger,
    private readonly localAddresses: () => Promise<readonly string[]>,
    private readonly clock: Clock = systemClock,
    private readonly onCleaned: (family: IPFamily, duration: number, deleted: number) => void = () => {},
  ) {}

  async synced({ family, state, changes }: SyncSuccess): Promise<void> {
    if (!mayLeaveStaleFlows(changes)) {
      return;
    }
    const begin = this.clock.now();
    try {
      const [flows, addresses] = await Promise.all([this.conntrack.list(family, 'UDP'), this.localAddresses()]);
      const stale = staleFlows(state, flows, new Set(addresses));
      let deleted = 0;
      if (stale.length > 0) {
        deleted = await this.conntrack.delete(stale);
        this.logger.debug(2, 'Deleted stale conntrack entries', { family, found: stale.length, deleted });
      }
      this.failure = '';
      this.onCleaned(family, this.clock.now() - begin, deleted);
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
