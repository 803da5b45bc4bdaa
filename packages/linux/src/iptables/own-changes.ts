/** Where somebody has got to who follows the changes of a table: its stamp at that time. */
export interface TablePosition {
  stamp: string | undefined;
}

/**
 * Tells the changes of others from those of this process: whoever follows a table is carried along by what this process
 * writes, so a stamp that is another all the same is that of somebody else's change.
 */
export class OwnChanges {
  readonly #positions = new Map<string, Set<TablePosition>>();

  /** @param scope what one stamp stands for: a table, or all there are. */
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

  /**
   * This process has written.
   *
   * @param counted stamps are numbers that rise: who has come half-way, as other writes of this process ended meanwhile, is
   * carried along too.
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
