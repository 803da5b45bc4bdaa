import type { Logger } from '../contract/logger.js';
import type { Proxier } from '../contract/proxier.js';
import { messageOf } from '../contract/proxier-error.js';
import type { CompanionProgress } from './companion-progress.js';
import { ProxierGroup } from './proxier-group.js';

/** A proxier, and beside it another that does what the first cannot. It is the first that counts. */
export class CompanionProxier extends ProxierGroup {
  constructor(
    private readonly primary: Proxier,
    private readonly companion: Proxier,
    private readonly progress: CompanionProgress,
    private readonly logger: Logger,
  ) {
    super(primary.mode, [primary, companion]);
  }

  /** Ends with the first. When the companion gives up, the first goes on, and the log says what is missing. */
  async syncLoop(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const beside = this.companion
      .syncLoop(AbortSignal.any([signal, ended.signal]))
      .catch((error: unknown) => {
        this.logger.error(`What ${this.companion.mode} does beside ${this.mode} has ended: ${messageOf(error)}`);
      })
      .finally(() => this.progress.end());
    try {
      await this.primary.syncLoop(signal);
    } finally {
      ended.abort();
      await beside;
    }
  }
}
