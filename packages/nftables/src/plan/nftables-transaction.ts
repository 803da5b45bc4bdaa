import { type NftCommand, type NftTransaction, renderNftTransaction } from '@kube-proxier/linux';

/** Clients that are to be forgotten. */
export interface ForgottenClients {
  /** The number of the service port. */
  readonly id: number;
  /** Endpoints (as classid) whose clients are forgotten; undefined for all of the service port. */
  readonly numbers: ReadonlySet<string> | undefined;
}

/** What is written for one sync. */
export interface NftablesTransaction {
  /** Carried out all or none. */
  readonly write: NftTransaction;
  /**
   * Removed afterwards. No packet is sent to them any more, so this only frees memory; it cannot be part of the rest, for
   * the kernel may expire a client at any moment.
   */
  readonly forget: readonly ForgottenClients[];
  /** What Services request and do not get, for the log. */
  readonly problems: readonly string[];
}

/** The transaction as it goes to nft, for people. */
export function renderTransaction(transaction: NftablesTransaction): string {
  return renderNftTransaction(transaction.write);
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
  readonly #additions = new Map<string, (readonly [string, string?])[]>();
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
    const list = this.#additions.get(container) ?? [];
    this.#additions.set(container, list);
    list.push(value === undefined ? [key] : [key, value]);
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
