/**
 * Processes that own tables and were requested to end: until they have ended, they own their tables. Instances of `Nft`
 * that take over tables of each other share one.
 */
export class EndingOwners {
  readonly #ending = new Set<Promise<unknown>>();

  /** @param ended resolves when the process has ended. */
  add(ended: Promise<unknown>): void {
    const ending: Promise<unknown> = ended.then(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  /** Resolves when all of them have ended. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#ending);
  }
}
