/**
 * Terminating processes that own tables: they own their tables until they exit. Shared by instances of `Nft` that take
 * over each other's tables.
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
