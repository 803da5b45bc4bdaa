import type { IPFamily, SyncObserver, SyncSuccess } from '@kube-proxier/core';

/** Work to run after syncs. */
type Work = (success: SyncSuccess) => Promise<void>;

/**
 * Runs work after syncs that the next sync does not wait for: with a million tracked flows, it takes seconds. One run
 * at a time for each family; syncs during a run are coalesced into one more run with the last state, full if any of
 * them is.
 */
export class BackgroundCleaning implements SyncObserver {
  readonly #waiting = new Map<IPFamily, SyncSuccess>();
  readonly #running = new Map<IPFamily, Promise<void>>();

  /** @param work never rejects, and determines the changes since its last run itself. */
  constructor(private readonly work: Work) {}

  /** Returns at once. */
  async synced(success: SyncSuccess): Promise<void> {
    const { family } = success;
    const full = success.full || (this.#waiting.get(family)?.full ?? false);
    this.#waiting.set(family, { ...success, full });
    if (!this.#running.has(family)) {
      this.#running.set(family, this.#run(family));
    }
  }

  /** Waits for the current run, and discards pending ones. */
  async stop(): Promise<void> {
    this.#waiting.clear();
    await Promise.all(this.#running.values());
  }

  async #run(family: IPFamily): Promise<void> {
    try {
      for (;;) {
        const success = this.#waiting.get(family);
        if (success === undefined) {
          return;
        }
        this.#waiting.delete(family);
        await this.work(success);
      }
    } finally {
      this.#running.delete(family);
    }
  }
}
