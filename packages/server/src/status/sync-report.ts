import type { Clock, IPFamily, Logger, ProxyState, SyncFailure, SyncSuccess } from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';
import { countObjects, totalOf } from './count-objects.js';

/** Logs one line when every IP family had its first sync, and one when all succeed again after a failure. */
export class SyncReport implements ServerObserver {
  readonly #states = new Map<IPFamily, ProxyState>();
  readonly #failing = new Set<IPFamily>();
  readonly #begin: number;
  #isFirst = true;
  /** By the monotonic clock. */
  #failingSince = 0;

  constructor(
    private readonly families: readonly IPFamily[],
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.#begin = clock.monotonic();
  }

  failed({ family }: Pick<SyncFailure, 'family'>): void {
    if (this.#failing.size === 0) {
      this.#failingSince = this.clock.monotonic();
    }
    this.#failing.add(family);
  }

  synced({ family, state }: Pick<SyncSuccess, 'family' | 'state'>): void {
    const hasFailed = this.#failing.delete(family);
    this.#states.set(family, state);
    if (this.#failing.size > 0 || this.#states.size < this.families.length) {
      return;
    }
    if (this.#isFirst) {
      this.#isFirst = false;
      this.#log('First sync: this node is programmed', this.#begin);
    } else if (hasFailed) {
      this.#log('Syncs succeed again: this node is programmed', this.#failingSince);
    }
  }

  #log(message: string, since: number): void {
    const { services, endpoints } = totalOf([...this.#states.values()].map(countObjects));
    this.logger.info(message, {
      services,
      endpoints,
      families: this.families.join(','),
      milliseconds: Math.round(this.clock.monotonic() - since),
    });
  }
}
