import {
  EventLoopPace,
  finishWithPauses,
  type IPFamily,
  type Logger,
  messageOf,
  type SyncFailure,
  type SyncSuccess,
  systemClock,
  type TextStore,
} from '@kube-proxier/core';
import { PackedTextStore, type ServerObserver } from '@kube-proxier/server';

/**
 * The texts of the objects of an API server. They are compressed when the first sync of each IP family has ended, as
 * the first rules must not wait.
 */
export class ObjectTexts implements ServerObserver {
  readonly #stores: PackedTextStore[] = [];
  /** Families whose first sync is awaited; undefined when the texts are being compressed. */
  #awaited: Set<IPFamily> | undefined = new Set();

  /** @param onCompressed called when all texts are compressed. */
  constructor(
    private readonly logger: Logger,
    private readonly onCompressed: () => void,
  ) {}

  /** Creates a store of the objects of one kind. */
  create(): TextStore {
    const store = new PackedTextStore({ maxEarlySize: Number.POSITIVE_INFINITY });
    this.#stores.push(store);
    return store;
  }

  started(family: IPFamily): void {
    this.#awaited?.add(family);
  }

  synced({ family }: Pick<SyncSuccess, 'family'>): void {
    this.#ended(family);
  }

  /** It is retried, possibly without success. */
  failed({ family }: Pick<SyncFailure, 'family'>): void {
    this.#ended(family);
  }

  #ended(family: IPFamily): void {
    this.#awaited?.delete(family);
    if (this.#awaited?.size === 0) {
      this.#awaited = undefined;
      this.#pack().then(this.onCompressed, (error: unknown) =>
        this.logger.error(`Objects of the API server are not compressed in memory: ${messageOf(error)}`, { error }),
      );
    }
  }

  async #pack(): Promise<void> {
    const pace = new EventLoopPace(systemClock);
    for (const store of this.#stores) {
      await pace.pause();
      await finishWithPauses(store.packInSlices(), pace);
    }
  }
}
