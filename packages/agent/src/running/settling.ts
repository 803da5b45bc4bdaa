import {
  type Clock,
  type IPFamily,
  type SyncFailure,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';

/** Milliseconds from the first syncs, and from the first verification, until the callback is called. */
const DELAY = 2000;

/**
 * Detects that the work of a start is done: each IP family has been synced, or has failed to be, and the node has been verified. Each of
 * both leaves much garbage behind.
 */
export class Settling implements ServerObserver {
  /** Families whose first sync is awaited. */
  readonly #awaited = new Set<IPFamily>();
  #isSynced = false;
  #isVerified = false;
  #pending: Timer | undefined;

  /** @param onSettled called some time after the first syncs, and again after the first verification; once where they are near each other. */
  constructor(
    private readonly onSettled: () => void,
    private readonly clock: Clock = systemClock,
  ) {}

  started(family: IPFamily): void {
    this.#awaited.add(family);
  }

  synced({ family }: Pick<SyncSuccess, 'family'>): void {
    this.#ended(family);
  }

  /** It is retried, perhaps in vain for long. */
  failed({ family }: Pick<SyncFailure, 'family'>): void {
    this.#ended(family);
  }

  /** The first one loads code, and leaves behind as much garbage as a start. */
  verified(): void {
    if (this.#isVerified) {
      return;
    }
    this.#isVerified = true;
    if (this.#awaited.size === 0) {
      this.#settleLater();
    }
  }

  #ended(family: IPFamily): void {
    this.#awaited.delete(family);
    if (!this.#isSynced && this.#awaited.size === 0) {
      this.#isSynced = true;
      this.#settleLater();
    }
  }

  #settleLater(): void {
    this.#pending?.cancel();
    this.#pending = this.clock.setTimer(DELAY, this.onSettled);
  }
}
