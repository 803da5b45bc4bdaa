import type { Logger } from '../contract/logger.js';
import type { Proxier } from '../contract/proxier.js';
import { messageOf } from '../contract/proxier-error.js';
import type { CompanionProgress } from './companion-progress.js';
import { ProxierGroup } from './proxier-group.js';

/** A proxier with a companion that adds missing features. The proxier determines the result. */
export class CompanionProxier extends ProxierGroup {
  constructor(
    private readonly primary: Proxier,
    private readonly companion: Proxier,
    private readonly progress: CompanionProgress,
    private readonly logger: Logger,
  ) {
    super(primary.mode, [primary, companion]);
  }

  /**
   * Ends with the proxier. When the companion ends early, the proxier continues, and the log reports the missing
   * features.
   */
  async syncLoop(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const companionLoop = this.companion
      .syncLoop(AbortSignal.any([signal, ended.signal]))
      .then(() => this.progress.end())
      .catch((error: unknown) => {
        this.logger.error(`Companion ${this.companion.mode} of ${this.mode} has ended: ${messageOf(error)}`);
        this.progress.end(error);
      });
    try {
      await this.primary.syncLoop(signal);
    } finally {
      ended.abort();
      await companionLoop;
    }
  }
}
