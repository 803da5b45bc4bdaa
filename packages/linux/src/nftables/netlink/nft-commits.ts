/** Maximum number of recorded transactions. */
const MAX_REMEMBERED = 1000;

/** The generation of the ruleset that a transaction leads to. */
export function nextNftGeneration(generation: number): number {
  return (generation + 1) >>> 0 || 1;
}

/**
 * The transactions of the instances that share it, by resulting generation. With it, an instance that lost
 * notifications can identify transactions of the other instances.
 */
export class NftCommits {
  readonly #commits = new Map<number, { readonly table: string; readonly by: object }>();
  readonly #sending = new Set<Promise<void>>();
  #latest = 0;

  /** The generation that the last of them led to; 0 before the first. */
  get latest(): number {
    return this.#latest;
  }

  /** Marks a transaction as in flight. @returns a function to call when it was recorded or refused. */
  begin(): () => void {
    let end = () => {};
    const sending = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#sending.add(sending);
    return () => {
      this.#sending.delete(sending);
      end();
    };
  }

  /** Resolves when all transactions now in flight were recorded or refused. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** @param by the instance that made the transaction. */
  note(generation: number, table: string, by: object): void {
    this.#commits.set(generation, { table, by });
    this.#latest = generation;
    for (const oldest of this.#commits.size > MAX_REMEMBERED ? this.#commits.keys() : []) {
      this.#commits.delete(oldest);
      break;
    }
  }

  /** Whether the transaction that led to a generation is recorded. */
  has(generation: number): boolean {
    return this.#commits.has(generation);
  }

  /** Whether every transaction after a generation is recorded, and only `by` changed a table. */
  spare(table: string, by: object, after: number, until: number): boolean {
    let generation = after;
    for (let steps = 0; generation !== until && steps < MAX_REMEMBERED; steps++) {
      generation = nextNftGeneration(generation);
      const commit = this.#commits.get(generation);
      if (commit === undefined || (commit.table === table && commit.by !== by)) {
        return false;
      }
    }
    return generation === until;
  }
}
