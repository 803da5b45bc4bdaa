import {
  type Clock,
  type IPFamily,
  type SyncFailure,
  type SyncSuccess,
  systemClock,
  type Timer,
} from '@kube-proxier/core';
import type { ServerObserver } from '@kube-proxier/server';

/** Milliseconds from the first syncs, the removal of leftovers and the first verification until their garbage is collected. */
const DELAY = 1000;

/** Phases of a start, and of the work after it, for the memory management of this process. */
export interface ProcessPhases {
  /** All objects are read, and the first sync begins. */
  objectsRead(): void;
  /** The first syncs have ended. */
  synced(): void;
  /**
   * Some time after the first syncs, and again after objects are compressed, after the removal of leftovers and after the
   * first verification; only once if they are close together.
   *
   * @param isOver false while the first verification is still to come.
   */
  settled(isOver: boolean): void;
  /** A verification begins. */
  verifying(): void;
  /** A verification has ended. */
  verified(): void;
}

/**
 * Detects that the work of a start is done: each IP family was synced or has failed, and the node was verified. Both
 * leave much garbage.
 */
export class Settling implements ServerObserver {
  /** Families whose first sync is awaited. */
  readonly #awaited = new Set<IPFamily>();
  #isResolving = false;
  #isSynced = false;
  #isVerified = false;
  #pending: Timer | undefined;

  /** @param verifies whether the node is verified. */
  constructor(
    private readonly phases: ProcessPhases,
    private readonly verifies: boolean,
    private readonly clock: Clock = systemClock,
  ) {}

  started(family: IPFamily): void {
    this.#awaited.add(family);
  }

  resolving(): void {
    if (!this.#isResolving) {
      this.#isResolving = true;
      this.phases.objectsRead();
    }
  }

  synced({ family }: Pick<SyncSuccess, 'family'>): void {
    this.#ended(family);
  }

  /** It is retried, possibly without success. */
  failed({ family }: Pick<SyncFailure, 'family'>): void {
    this.#ended(family);
  }

  verifying(): void {
    this.phases.verifying();
  }

  /** The first one loads code, and leaves as much garbage as a start. */
  verified(): void {
    this.phases.verified();
    if (this.#isVerified) {
      return;
    }
    this.#isVerified = true;
    if (this.#awaited.size === 0) {
      this.#settleLater();
    }
  }

  /** Leftovers of other modes are removed after a verification, too. */
  takenOver(): void {
    this.#leftGarbage();
  }

  /** The objects that were read are compressed. */
  compressed(): void {
    this.#leftGarbage();
  }

  #leftGarbage(): void {
    if (this.#isSynced && !this.#isVerified) {
      this.#settleLater();
    }
  }

  #ended(family: IPFamily): void {
    this.#awaited.delete(family);
    if (!this.#isSynced && this.#awaited.size === 0) {
      this.#isSynced = true;
      // Not in the course of a sync.
      this.clock.setTimer(0, () => this.phases.synced());
      this.#settleLater();
    }
  }

  #settleLater(): void {
    this.#pending?.cancel();
    this.#pending = this.clock.setTimer(DELAY, () => this.phases.settled(this.#isVerified || !this.verifies));
  }
}
