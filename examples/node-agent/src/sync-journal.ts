import type { Logger, SyncFailure, SyncSuccess } from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';

/** An observer of the agent: a log line for every sync. */
export class SyncJournal implements ServerObserver {
  constructor(private readonly logger: Logger) {}

  synced({ family, state, duration }: SyncSuccess): void {
    this.logger.info('synced', { family, servicePorts: state.servicePorts.size, milliseconds: Math.round(duration) });
  }

  failed({ family }: SyncFailure): void {
    this.logger.warn('sync failed; it will be retried', { family });
  }
}
