import type { Logger, SyncFailure, SyncSuccess } from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';

/** The agent's own observer: a line for every sync. */
export class SyncJournal implements ServerObserver {
  constructor(private readonly logger: Logger) {}

  synced({ family, state, duration }: SyncSuccess): void {
    this.logger.info('in force', { family, servicePorts: state.servicePorts.size, milliseconds: Math.round(duration) });
  }

  failed({ family }: SyncFailure): void {
    this.logger.warn('not in force yet; it is tried again', { family });
  }
}
