import { EventLoopPace, finishWithPauses, type Logger, PartlyAppliedError } from '@kube-proxier/core';
import { type Iptables, IptablesDocumentRefused, lineOfDocument } from '@kube-proxier/linux';
import {
  documentOf,
  EMPTY_TABLE,
  type IptablesTransaction,
  isEmptyTable,
  ownersOf,
  renderTransaction,
  renderTransactionInSlices,
  type TableTransaction,
  withoutGuard,
  withoutOwners,
} from '../plan/iptables-transaction.js';
import { groupRuns, splitLoad } from './split-load.js';

const CODE = 'IPTABLES_PARTLY_APPLIED';
/** Placeholder for service ports that were not identified within the attempts. */
const UNIDENTIFIED = 'rules of service ports that were not identified';

/** Maximum number of documents tried to identify refused service ports. Each contains the rest of the transaction. */
const MAX_ATTEMPTS = 64;

/**
 * Larger transactions use one document per table: the nft variant takes three times as long for the second table of a
 * large document.
 */
const MAX_CHAINS_IN_ONE = 500;

/**
 * Writes a transaction in one document, or a large one in several, of which the last one activates it. When one is
 * refused, identifies the causing service ports, and writes everything except their rules, so that one Service cannot
 * block others.
 *
 * @returns whether the guard of 127.0.0.0/8 was written. It is omitted after a refusal: another program may have created its
 *   chain.
 * @throws PartlyAppliedError (`IPTABLES_PARTLY_APPLIED`) when some were omitted.
 * @throws IptablesError when the rest could not be written either.
 */
export async function applyTransaction(
  iptables: Iptables,
  transaction: IptablesTransaction,
  logger: Logger,
): Promise<boolean> {
  let isGuarded = transaction.filter.guard !== undefined;
  const refused = new Map<string, string>();
  const refusedIn = { filter: new Set<string>(), nat: new Set<string>() };
  let cause: unknown;
  const runs = groupRuns(await partsOf(iptables, transaction));
  let ahead: Promise<string> | undefined;
  for (const [index, run] of runs.entries()) {
    const document = await (ahead ?? documentOfRun(run));
    ahead = undefined;
    const renderNext = () => {
      ahead = documentOfRun(runs[index + 1]);
    };
    const refusal = refused.size === 0 ? await write(iptables, document, renderNext) : undefined;
    if (refused.size === 0 && refusal === undefined) {
      continue;
    }
    if (refusal !== undefined && run.length > 1) {
      logger.debug(2, 'iptables refused a document; its parts are written one by one', { reason: refusal.message });
    }
    isGuarded = false;
    for (const part of run) {
      const table = isEmptyTable(part.nat) ? 'filter' : 'nat';
      const omitted = refusedIn[table];
      const rest = omitted.size > 0 ? withoutOwners(part, (key) => omitted.has(key)) : part;
      try {
        await applyPart(iptables, rest, run.length > 1 ? undefined : refusal, logger);
      } catch (error) {
        if (!(error instanceof PartlyAppliedError)) {
          throw error;
        }
        cause = error;
        for (const [key, reason] of error.refused) {
          refused.set(key, reason);
          omitted.add(key);
        }
      }
    }
  }
  if (refused.size > 0) {
    throw new PartlyAppliedError(CODE, refused, { cause });
  }
  return isGuarded;
}

/** The legacy variant replaces the whole table with each document, so it gets one for each table. */
async function partsOf(iptables: Iptables, transaction: IptablesTransaction): Promise<readonly IptablesTransaction[]> {
  const { filter, nat } = transaction;
  if (filter.writes.size + nat.writes.size <= MAX_CHAINS_IN_ONE) {
    return [transaction];
  }
  const parts = (await iptables.version()).variant === 'nft' ? splitLoad(transaction) : [transaction];
  return parts.length > 1 || isEmptyTable(filter) || isEmptyTable(nat)
    ? parts
    : [
        { ...transaction, nat: EMPTY_TABLE },
        { ...transaction, filter: EMPTY_TABLE },
      ];
}

/** The document of parts that are written together. */
async function documentOfRun(parts: readonly IptablesTransaction[] = []): Promise<string> {
  const documents: string[] = [];
  const pace = new EventLoopPace();
  for (const part of parts) {
    documents.push(await finishWithPauses(renderTransactionInSlices(part), pace));
  }
  return documents.join('');
}

/**
 * @param meanwhile called while the program runs.
 * @returns the refusal of the document, whose sections before the refused one are written; undefined when all of it is written.
 */
async function write(
  iptables: Iptables,
  document: string,
  meanwhile = () => {},
): Promise<IptablesDocumentRefused | undefined> {
  try {
    const written = document === '' ? undefined : iptables.restore(document);
    meanwhile();
    await written;
    return undefined;
  } catch (error) {
    if (error instanceof IptablesDocumentRefused) {
      return error;
    }
    throw error;
  }
}

/** @param refused the refusal of its document; undefined when it was not written yet. */
async function applyPart(
  iptables: Iptables,
  transaction: IptablesTransaction,
  refused: IptablesDocumentRefused | undefined,
  logger: Logger,
): Promise<void> {
  const refusal = refused ?? (await write(iptables, await documentOfRun([transaction])));
  if (refusal !== undefined) {
    logger.warn('iptables refused a document; looking for what is wrong with it', { reason: refusal.message });
    await new PiecemealApply(iptables, transaction, refusal).run();
  }
}

/** Writes a refused transaction without the causing service ports. */
class PiecemealApply {
  readonly #refused = new Map<string, string>();
  #attempts = 0;
  #last: IptablesDocumentRefused;

  /** @param first the refusal of the whole transaction. */
  constructor(
    private readonly iptables: Iptables,
    private transaction: IptablesTransaction,
    first: IptablesDocumentRefused,
  ) {
    this.#last = first;
  }

  async run(): Promise<void> {
    let error: IptablesDocumentRefused | undefined = this.#last;
    while (error !== undefined) {
      // The line refers to the transaction as sent, so it is looked up before anything is removed.
      const blamed = this.#blameLine(error);
      const mayBlameGuard = this.transaction.filter.guard !== undefined;
      this.transaction = withoutGuard(this.transaction);
      await this.#forgetWhatIsDone();
      if (!blamed && !mayBlameGuard && !(await this.#blameByHalves(error))) {
        throw error;
      }
      error = await this.#try(this.transaction);
    }
    if (this.#refused.size > 0) {
      throw new PartlyAppliedError(CODE, this.#refused, { cause: this.#last });
    }
  }

  /** Omits the object that the refused line belongs to; false when the line does not identify it. */
  #blameLine(error: IptablesDocumentRefused): boolean {
    if (error.line === undefined) {
      return false;
    }
    const line = lineOfDocument(documentOf(this.transaction), error.line);
    if (line?.operation === 'delete-chain' && line.chain !== undefined) {
      this.#keepEmpty(line.table === 'nat' ? 'nat' : 'filter', line.chain);
      return true;
    }
    if (line?.owner !== undefined) {
      this.#leaveOut([line.owner], error);
      return true;
    }
    return false;
  }

  /** A foreign rule jumps to a chain that was to be deleted. */
  #keepEmpty(name: 'filter' | 'nat', kept: string): void {
    const table = this.transaction[name];
    const deletes = new Map([...table.deletes].filter(([chain]) => chain !== kept));
    const writes = new Map([...table.writes, [kept, { rules: [] }] as const]);
    this.transaction = { ...this.transaction, [name]: { ...table, deletes, writes } };
  }

  /** Bisects groups of service ports, on top of the accepted ones. */
  async #blameByHalves(error: IptablesDocumentRefused): Promise<boolean> {
    const good = new Set<string>();
    const bad: string[] = [];
    let reason = error;
    const whole = this.transaction;
    const tryGroup = async (group: readonly string[]): Promise<void> => {
      const failed = await this.#try(withoutOwners(whole, (key) => !good.has(key) && !group.includes(key)));
      if (failed === undefined) {
        for (const key of group) {
          good.add(key);
        }
      } else if (group.length <= 1) {
        reason = failed;
        bad.push(...group);
      } else {
        const half = group.length >> 1;
        await tryGroup(group.slice(0, half));
        await tryGroup(group.slice(half));
      }
    };
    // If the kernel refuses rules that belong to no service port, none is the cause.
    if ((await this.#try(withoutOwners(whole, () => true))) !== undefined) {
      return false;
    }
    await this.#forgetWhatIsDone();
    await tryGroup([...ownersOf(whole)]);
    this.#leaveOut(bad, reason);
    return bad.length > 0;
  }

  #leaveOut(keys: readonly string[], error: IptablesDocumentRefused): void {
    for (const key of keys) {
      this.#refused.set(key, error.reason);
    }
    const excluded = new Set(keys);
    this.transaction = withoutOwners(this.transaction, (key) => excluded.has(key));
  }

  async #try(transaction: IptablesTransaction): Promise<IptablesDocumentRefused | undefined> {
    if (++this.#attempts > MAX_ATTEMPTS) {
      const refused = new Map([...this.#refused, [UNIDENTIFIED, this.#last.reason] as const]);
      throw new PartlyAppliedError(CODE, refused, { cause: this.#last });
    }
    const refusal = await write(this.iptables, renderTransaction(transaction));
    this.#last = refusal ?? this.#last;
    return refusal;
  }

  /**
   * The first table of a document may be in force when the second was refused. Writing chains again does no harm, but
   * jumps would be duplicated.
   */
  async #forgetWhatIsDone(): Promise<void> {
    for (const name of ['filter', 'nat'] as const) {
      const table = this.transaction[name];
      if (isEmptyTable(table) || table.insertions.length === 0) {
        continue;
      }
      const [insertion] = table.insertions;
      if (
        table.removals.length === 0 &&
        insertion !== undefined &&
        (await this.iptables.chainExists(name, targetChain(table) ?? '')) &&
        (await this.iptables.ruleExists(name, insertion.chain, insertion.rule.text))
      ) {
        this.transaction = { ...this.transaction, [name]: { ...table, insertions: [] } };
      }
    }
  }
}

function targetChain(table: TableTransaction): string | undefined {
  const target = table.insertions[0]?.rule.parts.target;
  return target?.target === 'jump' ? target.chain : undefined;
}
