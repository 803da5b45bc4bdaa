import {
  type BackendModule,
  type Clock,
  type IPFamily,
  type Logger,
  messageOf,
  type ProxyMode,
  type Timer,
} from '@kube-proxier/core';
import { CleanupError, cleanupBackends, type RemovedOfMode } from './cleanup-backends.js';
import type { FinishedTakeover, ServerObserver } from './server-observer.js';

/** Milliseconds until the first look at what stayed for connections that were open; each time twice as long, up to the last. */
const FIRST_LOOK = 10_000;
const LAST_LOOK = 300_000;

export interface TakeoverOptions {
  /** Every mode that may have left something on this host, the one in force among them. */
  readonly backends: readonly BackendModule[];
  readonly inForce: ProxyMode;
  readonly families: readonly IPFamily[];
  readonly logger: Logger;
  readonly clock: Clock;
  /** Called once, when the first removal has ended. */
  readonly onFinished?: (takeover: FinishedTakeover) => void;
}

/**
 * Removes what other modes and kube-proxy left on this host, once: when the mode in force has programmed every family.
 * Until then both are in place, so no connection meets a node without rules (unlike spec M-10, which removes first). What
 * the backend of the mode in force has installed is never removed. What open connections go through is removed when they
 * have closed. What cannot be removed is logged and left; the next start tries again.
 */
export class Takeover implements ServerObserver {
  readonly #waiting: Set<IPFamily>;
  #done: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #stopped = false;
  /** Milliseconds. */
  #next = FIRST_LOOK;
  #isFinished = false;

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
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#done;
  }

  async #removeLeftovers(): Promise<void> {
    const { backends, clock, inForce, logger } = this.options;
    try {
      const { remaining, removed } = await cleanupBackends(backends, { logger, inForce, kubeProxy: true });
      this.#finish(removed);
      if (remaining.length === 0) {
        logger.debug(1, 'Nothing of other proxy modes is left', { inForce });
        return;
      }
      if (this.#next === FIRST_LOOK) {
        logger.info(`Of other proxy modes, what is in use stays until it is not: ${remaining.join('; ')}`, { inForce });
      }
      if (!this.#stopped) {
        this.#timer = clock.setTimer(this.#next, () => {
          this.#done = this.#removeLeftovers();
        });
        this.#next = Math.min(2 * this.#next, LAST_LOOK);
      }
    } catch (error) {
      this.#finish(error instanceof CleanupError ? error.summary.removed : [], error);
      if (error instanceof CleanupError && error.isDenied) {
        // A mode that needs no privilege is in force.
        logger.info(`Whether other proxy modes left anything is not known: ${messageOf(error)}`, { inForce });
        return;
      }
      logger.warn(`Not everything that other proxy modes left could be removed: ${messageOf(error)}`, { inForce });
    }
  }

  #finish(removed: readonly RemovedOfMode[], error?: unknown): void {
    if (!this.#isFinished) {
      this.#isFinished = true;
      const { inForce, onFinished } = this.options;
      onFinished?.({ inForce, removed, ...(error === undefined ? {} : { error }) });
    }
  }
}
