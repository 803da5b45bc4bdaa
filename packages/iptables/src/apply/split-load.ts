import {
  type Chain,
  EMPTY_TABLE,
  type IptablesTransaction,
  isEmptyTable,
  type TableTransaction,
} from '../plan/iptables-transaction.js';

/**
 * Approximate number of chains and rules in a part. Larger parts take longer to write, smaller ones need more commits.
 */
const LINES = 1500;

/** Maximum number of parts in one run of the program, which limits the size of the text. */
const PARTS_OF_RUN = 12;

/**
 * A large transaction in parts, to be written one after another: first new chains, then everything else in one part.
 * Nothing jumps to the new chains before the last part, so packets are handled as with one document. The nft variant
 * keeps a sorted list of the chains that a document names, and searches it from its head for each line, so its time
 * grows with the square of the size. Pure.
 *
 * @param lines approximate size of a part. A table with less than twice as many new ones is one part.
 * @returns the parts that write something. The tables are not mixed when there is more than one part.
 */
export function splitLoad(transaction: IptablesTransaction, lines = LINES): readonly IptablesTransaction[] {
  const filter = partsOf(transaction.filter, lines);
  const nat = partsOf(transaction.nat, lines);
  if (filter.length + nat.length <= 2) {
    return [transaction];
  }
  return [
    ...filter.map((part) => ({ ...transaction, filter: part, nat: EMPTY_TABLE })),
    ...nat.map((part) => ({ ...transaction, filter: EMPTY_TABLE, nat: part })),
  ];
}

/**
 * Parts that one run of the program writes, each in a separate commit: starting the program takes as long as a part. A
 * part that does more than write new chains gets a separate run, since it could not be repeated after the refusal of a
 * later part. Pure.
 */
export function groupRuns(parts: readonly IptablesTransaction[]): readonly (readonly IptablesTransaction[])[] {
  const runs: IptablesTransaction[][] = [];
  for (const part of parts) {
    const run = runs.at(-1);
    const [previous] = run ?? [];
    const isNext =
      run !== undefined &&
      previous !== undefined &&
      run.length < PARTS_OF_RUN &&
      isEmptyTable(previous.nat) === isEmptyTable(part.nat) &&
      [previous, part].every(({ filter, nat }) => writesOnly(filter) && writesOnly(nat));
    if (isNext) {
      run.push(part);
    } else {
      runs.push([part]);
    }
  }
  return runs;
}

function writesOnly({ deletes, removals, insertions, guard }: TableTransaction): boolean {
  return deletes.size === 0 && removals.length === 0 && insertions.length === 0 && guard === undefined;
}

function partsOf(table: TableTransaction, lines: number): readonly TableTransaction[] {
  const { writes, created } = table;
  const isNew = ([name]: readonly [string, Chain]) => created.has(name);
  const fresh = [...writes].filter(isNew);
  if (isEmptyTable(table) || fresh.reduce((sum, [, { rules }]) => sum + 1 + rules.length, 0) < 2 * lines) {
    return isEmptyTable(table) ? [] : [table];
  }
  const shared = fresh.filter(([, { owner }]) => owner === undefined);
  const owned = fresh.filter(([, { owner }]) => owner !== undefined);
  // Chains of service ports jump to shared ones, and shared ones to those of service ports.
  const empty = shared.map(([name]) => [name, { rules: [] }] as const);
  const groups = [empty, ...groupsOf(owned, lines), ...groupsOf(shared, lines)].filter((group) => group.length > 0);
  const rest = new Map([...writes].filter((entry) => !isNew(entry)));
  return [...groups.map((group) => ({ ...EMPTY_TABLE, writes: new Map(group) })), { ...table, writes: rest }];
}

/** In their order, and all chains of a service port in one group: they may jump to each other. */
function groupsOf(
  chains: readonly (readonly [string, Chain])[],
  lines: number,
): readonly (readonly (readonly [string, Chain])[])[] {
  const groups: (readonly [string, Chain])[][] = [];
  let size = lines;
  let last: string | undefined;
  for (const [name, chain] of chains) {
    if (size >= lines && (chain.owner === undefined || chain.owner !== last)) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push([name, chain]);
    size += 1 + chain.rules.length;
    last = chain.owner;
  }
  return groups;
}
