import {
  type NftCommand,
  type NftCounter,
  type NftNewElement,
  type NftTransaction,
  renderNftTransaction,
} from '@kube-proxier/linux';

/** Affinity clients to delete. */
export interface ForgottenClients {
  /** The number of the service port. */
  readonly id: number;
  /** Endpoints (as classid) whose clients are deleted; undefined for all of the service port. */
  readonly numbers: ReadonlySet<string> | undefined;
}

/**
 * The rest of a large new table. It is written in parts, so that all elements are never in memory at once, and the
 * kernel commits one part while the next is generated. It need not be atomic: no packet uses the table before its base
 * chains exist, which are written last.
 */
export interface TableLoad {
  /** Elements in batches, generated on demand: the same each time. Undefined marks a possible pause. */
  readonly elements: () => Iterable<readonly NftCommand[] | undefined>;
  /** The base chains with their rules. */
  readonly end: readonly NftCommand[];
}

/** What is written for one sync. */
export interface NftablesTransaction {
  /** Committed atomically. With {@link load}, the first part. */
  readonly write: NftTransaction;
  /** Set for a new table with many elements. */
  readonly load?: TableLoad;
  /**
   * Affinity clients to delete afterwards. They have no effect any more, so this only frees memory; a separate
   * transaction, as the kernel may expire a client at any time.
   */
  readonly forget: readonly ForgottenClients[];
  /** Number of affinity clients of other rules that a new table has. Default 0. */
  readonly keptClients?: number;
  /** Unsupported requests of Services, for the log. */
  readonly problems: readonly string[];
}

/** The whole transaction as one document. */
export function completeWrite({ write, load }: NftablesTransaction): NftTransaction {
  if (load === undefined) {
    return write;
  }
  const commands = [...write.commands];
  for (const part of load.elements()) {
    commands.push(...(part ?? []));
  }
  return { ...write, commands: [...commands, ...load.end] };
}

/** The transaction as it goes to nft, for people. */
export function renderTransaction(transaction: NftablesTransaction): string {
  return renderNftTransaction(completeWrite(transaction));
}

/** The transaction without the deletion of chains, which older kernels refuse briefly after their last use. */
export function withoutChainDeletions({ write, ...rest }: NftablesTransaction): NftablesTransaction {
  const commands = write.commands.filter((command) => command.do !== 'delete-chain');
  return { ...rest, write: { ...write, commands } };
}

type Element = readonly [
  container: string,
  key: string,
  value: string | undefined,
  timeoutSeconds?: number | undefined,
];

/** Collects changes, and orders them as the kernel requires. */
export class TransactionDraft {
  readonly #before: NftCommand[] = [];
  readonly #chains: NftCommand[] = [];
  readonly #flushes: NftCommand[] = [];
  readonly #rules: NftCommand[] = [];
  readonly #deletions = new Map<string, string[]>();
  readonly #additions = new Map<string, NftNewElement[]>();
  readonly #after: NftCommand[] = [];
  readonly #last: NftCommand[] = [];

  /** Before everything else. */
  first(command: NftCommand): void {
    this.#before.push(command);
  }

  /** Creates a chain. */
  declareChain(command: Extract<NftCommand, { do: 'add-chain' }>): void {
    this.#chains.push(command);
  }

  /** Flushes an existing chain. */
  flushChain(chain: string): void {
    this.#flushes.push({ do: 'flush-chain', chain });
  }

  addRule(command: Extract<NftCommand, { do: 'add-rule' }>): void {
    this.#rules.push(command);
  }

  deleteChain(chain: string): void {
    this.flushChain(chain);
    this.#after.push({ do: 'delete-chain', chain });
  }

  /**
   * Resets nothing: an existing counter keeps its value.
   *
   * @param value of a new counter. Default: 0.
   */
  addCounter(name: string, value?: NftCounter): void {
    this.#before.push({ do: 'add-counter', name, ...(value === undefined ? {} : { value }) });
  }

  deleteCounter(name: string): void {
    this.#last.push({ do: 'delete-counter', name });
  }

  deleteContainer(kind: 'set' | 'map', name: string): void {
    this.#last.push({ do: 'delete-container', kind, name });
  }

  addElement([container, key, value, timeoutSeconds]: Element): void {
    const element: NftNewElement =
      timeoutSeconds === undefined ? (value === undefined ? [key] : [key, value]) : [key, value, timeoutSeconds];
    const list = this.#additions.get(container);
    if (list === undefined) {
      this.#additions.set(container, [element]);
    } else {
      list.push(element);
    }
  }

  deleteElement(container: string, key: string): void {
    const list = this.#deletions.get(container) ?? [];
    this.#deletions.set(container, list);
    list.push(key);
  }

  commands(): readonly NftCommand[] {
    return [
      ...this.#before,
      ...this.#chains,
      ...this.#flushes,
      ...this.#rules,
      ...[...this.#deletions].map(([name, keys]): NftCommand => ({ do: 'delete-elements', name, keys })),
      ...[...this.#additions].map(([name, elements]): NftCommand => ({ do: 'add-elements', name, elements })),
      ...this.#after,
      ...this.#last,
    ];
  }
}
