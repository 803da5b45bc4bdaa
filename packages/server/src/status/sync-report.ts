import {
  type Clock,
  EventLoopPace,
  finishWithPauses,
  type IPFamily,
  type Logger,
  type ProxyState,
  type Slices,
  type SyncFailure,
  type SyncSuccess,
} from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';
import { countObjectsInSlices, sumOfEndpoints } from './count-objects.js';

/**
 * Logs one line when every IP family had its first sync, a warning if no source has a Service, and one when all succeed again
 * after a failure.
 */
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

  synced({ family, state }: Pick<SyncSuccess, 'family' | 'state'>): void | Promise<void> {
    const hasFailed = this.#failing.delete(family);
    this.#states.set(family, state);
    if (this.#failing.size > 0 || this.#states.size < this.families.length) {
      return undefined;
    }
    const now = this.clock.monotonic();
    if (this.#isFirst) {
      this.#isFirst = false;
      const isEmpty = [...this.#states.values()].every(({ servicePorts }) => servicePorts.size === 0);
      return isEmpty ? this.#warnOfNoServices() : this.#log('First sync: this node is programmed', now - this.#begin);
    }
    return hasFailed ? this.#log('Syncs succeed again: this node is programmed', now - this.#failingSince) : undefined;
  }

  /** A cluster has at least its own Service; an API server that lost its data, or an unmounted directory, has none. */
  #warnOfNoServices(): void {
    this.logger.warn(
      'First sync: the sources have no Service for this node, so none is served; Services that were served before a restart have been removed, too. If this is unexpected, check the API server or the files that the Services come from',
      { families: this.families.join(',') },
    );
  }

  #log(message: string, milliseconds: number): void | Promise<void> {
    return finishWithPauses(this.#logInSlices(message, milliseconds), new EventLoopPace(this.clock));
  }

  *#logInSlices(message: string, milliseconds: number): Slices<void> {
    const counts = yield* countObjectsInSlices([...this.#states.values()]);
    this.logger.info(message, {
      services: counts.services,
      endpoints: sumOfEndpoints(counts),
      families: this.families.join(','),
      milliseconds: Math.round(milliseconds),
    });
  }
}
