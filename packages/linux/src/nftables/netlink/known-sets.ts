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
 * Caches the element types of sets and maps, which the encoding of elements requires. They are read again only after
 * possible foreign changes of the table.
 */
export class KnownSets {
  readonly #known = new Map<string, SetTypes>();

  constructor(private readonly lists: Pick<NftTableLists, 'sets'>) {}

  /** Sets the types of a listed table. */
  note(key: string, types: SetTypes): void {
    this.#known.set(key, types);
  }

  /** The cached types of the table of a transaction; undefined when it has no elements. */
  knownFor(transaction: NftTransaction): SetTypes | undefined {
    return hasElements(transaction) ? this.#known.get(nftTableKey(transaction.family, transaction.table)) : undefined;
  }

  /**
   * The types of elements in a transaction that does not declare them; undefined when it has no elements.
   *
   * @param isListed the table has no foreign change since it was listed.
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
   * Called when a transaction led to a generation.
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

/** Whether a transaction adds or deletes elements, which requires their types. */
function hasElements({ commands }: NftTransaction): boolean {
  return commands.some(({ do: what }) => what === 'add-elements' || what === 'delete-elements');
}
