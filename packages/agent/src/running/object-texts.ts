import {
  EventLoopPace,
  finishWithPauses,
  type Logger,
  messageOf,
  systemClock,
  type TextStore,
} from '@kube-proxier/core';
import { PackedTextStore } from '@kube-proxier/server';

/** The texts of the objects of an API server. */
export class ObjectTexts {
  readonly #stores: PackedTextStore[] = [];

  constructor(private readonly logger: Logger) {}

  /** Creates a store of the objects of one kind. */
  create(): TextStore {
    const store = new PackedTextStore({ maxEarlySize: Number.POSITIVE_INFINITY });
    this.#stores.push(store);
    return store;
  }

  /**
   * Compresses all texts, with pauses, and from now on those that change. To be called after the first sync, which must
   * not wait. Resolves when it is done; a failure is logged, and the rest stays uncompressed.
   */
  async compress(): Promise<void> {
    const pace = new EventLoopPace(systemClock);
    try {
      for (const store of this.#stores) {
        await pace.pause();
        await finishWithPauses(store.packInSlices(), pace);
      }
    } catch (error) {
      this.logger.error(`Objects of the API server are not compressed in memory: ${messageOf(error)}`, { error });
    }
  }
}
