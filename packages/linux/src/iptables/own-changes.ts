/** An observer of a table, with its last stamp. */
export interface TablePosition {
  stamp: string | undefined;
}

/**
 * Distinguishes foreign changes from those of this process: a write of this process advances the stamp of every
 * observer, so any other new stamp is a foreign change.
 */
export class OwnChanges {
  readonly #positions = new Map<string, Set<TablePosition>>();
  /** Writes that are in progress. */
  readonly #writing = new Map<string, number>();
  readonly #ended = new Map<string, number>();

  /** @param scope the scope of a stamp: one table, or all tables. */
  follow(scope: string): TablePosition {
    const position: TablePosition = { stamp: undefined };
    const all = this.#positions.get(scope) ?? new Set();
    this.#positions.set(scope, all.add(position));
    return position;
  }

  leave(scope: string, position: TablePosition): void {
    const all = this.#positions.get(scope);
    all?.delete(position);
    if (all?.size === 0) {
      this.#positions.delete(scope);
    }
  }

  isFollowed(scope: string): boolean {
    return this.#positions.has(scope);
  }

  /** A write begins; its changes are in the kernel before {@link moved} is called for it. */
  begin(scope: string): void {
    this.#writing.set(scope, (this.#writing.get(scope) ?? 0) + 1);
  }

  end(scope: string): void {
    this.#writing.set(scope, (this.#writing.get(scope) ?? 0) - 1);
    this.#ended.set(scope, (this.#ended.get(scope) ?? 0) + 1);
  }

  /**
   * Number of completed writes; undefined while one is in progress and may be partly in the kernel. A stamp is
   * comparable when the number is equal before and after it is read.
   */
  completedWrites(scope: string): number | undefined {
    return this.#writing.get(scope) ? undefined : (this.#ended.get(scope) ?? 0);
  }

  /**
   * Records a write of this process.
   *
   * @param counted stamps are increasing numbers: an observer that is only partly up to date, because other writes of
   *   this process ended in the meantime, is advanced too.
   */
  moved(scope: string, from: string | undefined, to: string | undefined, counted: boolean): void {
    for (const position of this.#positions.get(scope) ?? []) {
      const { stamp } = position;
      const between = counted && Number(stamp) >= Number(from) && Number(stamp) <= Number(to);
      if (stamp !== undefined && (stamp === from || between)) {
        position.stamp = to;
      }
    }
  }
}
