import type { NftTransaction } from '../nft-transaction.js';
import { nextNftGeneration } from './nft-commits.js';
import { nftTableKey } from './nft-journal.js';
import type { NftTableLists } from './nft-table-lists.js';
import { type NftElementTypes, nftElementTypes } from './set-attributes.js';

/** Element types of the sets and maps of a table, in one generation of the ruleset. */
export interface SetTypes {
  readonly generation: number;
  /** By the name of the set or map; undefined for types that are not supported. */
  readonly types: Map<string, NftElementTypes | undefined>;
}

/**
 * Remembers the element types of sets and maps, by which elements of a transaction are encoded: they are read again only where
 * others may have changed the table since.
 */
export class KnownSets {
  readonly #known = new Map<string, SetTypes>();

  constructor(private readonly lists: Pick<NftTableLists, 'sets'>) {}

  /** Those of a table as it was listed. */
  note(key: string, types: SetTypes): void {
    this.#known.set(key, types);
  }

  /** Of the table of a transaction, as far as they are known; undefined where it has no elements. */
  knownFor(transaction: NftTransaction): SetTypes | undefined {
    return hasElements(transaction) ? this.#known.get(nftTableKey(transaction.family, transaction.table)) : undefined;
  }

  /**
   * The types that elements in a transaction have, where it does not declare them; undefined where it has no elements.
   *
   * @param isListed nobody else has changed the table since it was listed.
   */
  typesFor(
    transaction: NftTransaction,
    generation: number,
    isListed: boolean,
  ): SetTypes | undefined | Promise<SetTypes> {
    if (!hasElements(transaction)) {
      return undefined;
    }
    const known = this.knownFor(transaction);
    return known !== undefined && (known.generation === generation || isListed)
      ? known
      : this.#read(transaction, generation);
  }

  /**
   * A transaction led to a generation.
   *
   * @param used the types that it was encoded with.
   * @param isListed as for {@link typesFor}.
   */
  noteOwn(transaction: NftTransaction, generation: number, used: SetTypes | undefined, isListed: boolean): void {
    const key = nftTableKey(transaction.family, transaction.table);
    const sets = used ?? this.#known.get(key);
    if (sets === undefined || !(isListed || nextNftGeneration(sets.generation) === generation)) {
      this.#known.delete(key);
      return;
    }
    const { types } = sets;
    for (const command of transaction.commands) {
      if (command.do === 'add-container') {
        types.set(command.name, nftElementTypes(command.container));
      } else if (command.do === 'delete-container') {
        types.delete(command.name);
      } else if (command.do === 'delete-table') {
        types.clear();
      }
    }
    this.#known.set(key, { generation, types });
  }

  forget(key: string): void {
    this.#known.delete(key);
  }

  clear(): void {
    this.#known.clear();
  }

  async #read({ family, table }: NftTransaction, generation: number): Promise<SetTypes> {
    const { value } = await this.lists.sets(family, table);
    const fresh: SetTypes = { generation, types: new Map(value?.map(({ name, types }) => [name, types])) };
    this.#known.set(nftTableKey(family, table), fresh);
    return fresh;
  }
}

/** Whether a transaction adds or deletes elements: then their types are needed. */
function hasElements({ commands }: NftTransaction): boolean {
  return commands.some(({ do: what }) => what === 'add-elements' || what === 'delete-elements');
}
