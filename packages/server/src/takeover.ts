import { type BackendModule, type IPFamily, type Logger, messageOf, type ProxyMode } from '@kube-proxier/core';
import { cleanupBackends } from './cleanup-backends.js';
import type { ServerObserver } from './server-observer.js';

export interface TakeoverOptions {
  /** Every mode that may have left something on this host, the one in force among them. */
  readonly backends: readonly BackendModule[];
  readonly inForce: ProxyMode;
  readonly families: readonly IPFamily[];
  readonly logger: Logger;
}

/**
 * Removes what other modes, and kube-proxy's, left on this host, once: when the mode in force has programmed every
 * family. Until then both are in place, so no connection meets a node without rules (unlike spec M-10, which removes
 * first). What cannot be removed is told and left; the next start tries again.
 */
export class Takeover implements ServerObserver {
  readonly #waiting: Set<IPFamily>;
  #done: Promise<void> = Promise.resolve();

  constructor(private readonly options: TakeoverOptions) {
    this.#waiting = new Set(options.families);
  }

  /** Not waited for by the sync: what it removes is not used any more. */
  synced({ family }: { readonly family: IPFamily }): void {
    if (this.#waiting.delete(family) && this.#waiting.size === 0) {
      this.#done = this.#removeLeftovers();
    }
  }

  /** Waits for a removal that is under way: cut off, it would leave half of it. */
  async stop(): Promise<void> {
    await this.#done;
  }

  async #removeLeftovers(): Promise<void> {
    const { backends, inForce, logger } = this.options;
    try {
      await cleanupBackends(backends, logger, inForce);
      logger.debug(1, 'Nothing of other proxy modes is left', { inForce });
    } catch (error) {
      logger.warn(`Not everything that other proxy modes left could be removed: ${messageOf(error)}`, { inForce });
    }
  }
}
