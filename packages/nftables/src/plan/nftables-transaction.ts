import { type NftCommand, type NftNewElement, type NftTransaction, renderNftTransaction } from '@kube-proxier/linux';

/** Clients that are to be forgotten. */
export interface ForgottenClients {
  /** The number of the service port. */
  readonly id: number;
  /** Endpoints (as classid) whose clients are forgotten; undefined for all of the service port. */
  readonly numbers: ReadonlySet<string> | undefined;
}

/**
 * The rest of a large table that does not exist yet. It is written in parts, so that neither a list of all elements nor a message with all
 * of them is in memory, and the kernel works on one part while the next is made. That is safe without being atomic: no packet uses the
 * table before its base chains are there, which come last.
 */
export interface TableLoad {
  /**
   * Elements, some at a time, made when they are asked for: the same each time. Undefined stands for a place where the work can pause.
   */
  readonly elements: () => Iterable<readonly NftCommand[] | undefined>;
  /** The base chains with their rules. */
  readonly end: readonly NftCommand[];
}

/** What is written for one sync. */
export interface NftablesTransaction {
  /** Carried out all or none. With {@link load}, what comes first. */
  readonly write: NftTransaction;
  /** Where there is no table, and many elements. */
  readonly load?: TableLoad;
  /**
   * Removed afterwards. No packet is sent to them any more, so this only frees memory; it cannot be part of the rest, for
   * the kernel may expire a client at any moment.
   */
  readonly forget: readonly ForgottenClients[];
  /** What Services request and do not get, for the log. */
  readonly problems: readonly string[];
}

/** All that a transaction writes, as one. */
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

/** The transaction without the deletion of chains, which older kernels refuse for a moment after their use ended. */
export function withoutChainDeletions({ write, ...rest }: NftablesTransaction): NftablesTransaction {
  const commands = write.commands.filter((command) => command.do !== 'delete-chain');
  return { ...rest, write: { ...write, commands } };
}

type Element = readonly [container: string, key: string, value: string | undefined];

/** Collects changes, and puts them in the order in which the kernel accepts them. */
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

  /** Makes a chain. */
  declareChain(command: Extract<NftCommand, { do: 'add-chain' }>): void {
    this.#chains.push(command);
  }

  /** Empties a chain that is there. */
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

  /** Resets nothing: an existing counter keeps its value. */
  addCounter(name: string): void {
    this.#before.push({ do: 'add-counter', name });
  }

  deleteCounter(name: string): void {
    this.#last.push({ do: 'delete-counter', name });
  }

  deleteContainer(kind: 'set' | 'map', name: string): void {
    this.#last.push({ do: 'delete-container', kind, name });
  }

  addElement([container, key, value]: Element): void {
    const element: NftNewElement = value === undefined ? [key] : [key, value];
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
