import { countOf, finish, type IPFamily, type Slices } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  type IptablesChain,
  type IptablesChainRule,
  type IptablesDocument,
  type IptablesInsertion,
  type IptablesRule,
  type IptablesTableDocument,
  type RecentAddition,
  renderDocumentInSlices,
  userChain,
} from '@kube-proxier/linux';
import type { RuleText } from './rule-text.js';

/** The whole content of one chain. */
export interface Chain {
  readonly rules: readonly RuleText[];
  /** The service port that the chain belongs to; undefined for chains that several share. */
  readonly owner?: string;
  /** In a shared chain: the service port that the rule at the same place is there for. */
  readonly owners?: readonly (string | undefined)[];
}

/** A rule to insert into a built-in chain. */
export interface JumpInsertion {
  readonly chain: string;
  /** 1 for the first. */
  readonly position: number;
  readonly rule: IptablesRule;
}

/** The rules of the filter table that keep foreign packets to 127.0.0.0/8 out (spec I-24), as far as they are missing. */
export interface LocalnetGuard {
  /** The chain to create; empty where it exists. */
  readonly created: readonly string[];
  readonly appendedRules: readonly IptablesChainRule[];
  /** At the top of their chains: they precede all jumps of this backend. */
  readonly insertedRules: readonly IptablesInsertion[];
}

export interface TableTransaction {
  /** Chains to create or replace. */
  readonly writes: ReadonlyMap<string, Chain>;
  /** Chains of `writes` that are known not to exist yet. */
  readonly created: ReadonlySet<string>;
  /** Chains to delete, with their service port. */
  readonly deletes: ReadonlyMap<string, string | undefined>;
  /** Rules to delete from built-in chains. */
  readonly removals: readonly IptablesChainRule[];
  readonly insertions: readonly JumpInsertion[];
  /** Change of the number of rules in own chains. */
  readonly growth: number;
  /** In the filter table, where packets to 127.0.0.0/8 are to be routed: the rules that are known to be missing. */
  readonly guard?: LocalnetGuard;
}

/** What one sync writes: whole chains, and only those that change. */
export interface IptablesTransaction {
  readonly family: IPFamily;
  /** Whether rules carry the comments that name their Service. */
  readonly comments: boolean;
  readonly filter: TableTransaction;
  readonly nat: TableTransaction;
  /** Packets to 127.0.0.0/8 are to be routed, and those from elsewhere kept out (spec I-24, I-70). */
  readonly localnet: boolean;
  /** Clients of session affinity of other rules, to be added to the lists of their endpoints. Default: none. */
  readonly keptClients?: readonly RecentAddition[];
}

export const EMPTY_TABLE: TableTransaction = {
  writes: new Map(),
  created: new Set(),
  deletes: new Map(),
  removals: [],
  insertions: [],
  growth: 0,
};

/** Whether it writes nothing to this table. */
export function isEmptyTable(table: TableTransaction): boolean {
  return (
    table.writes.size === 0 &&
    table.deletes.size === 0 &&
    table.removals.length === 0 &&
    table.insertions.length === 0 &&
    table.guard === undefined
  );
}

/** A short summary for the log. */
export function describeTransaction({ filter, nat }: IptablesTransaction): string {
  const sum = (count: (table: TableTransaction) => number) => count(filter) + count(nat);
  const chains = sum(({ writes }) => writes.size);
  const removed = sum(({ deletes }) => deletes.size);
  const jumps = sum(({ insertions }) => insertions.length);
  return `${countOf(chains, 'chain')} and ${countOf(jumps, 'jump')}, removed ${countOf(removed, 'chain')}`;
}

/** The text for `iptables-restore --noflush`; empty when nothing changes. */
export function renderTransaction(transaction: IptablesTransaction): string {
  return finish(renderTransactionInSlices(transaction));
}

/** {@link renderTransaction}. Yields often, so that a caller can pause. */
export function* renderTransactionInSlices(transaction: IptablesTransaction): Slices<string> {
  return yield* renderDocumentInSlices(yield* documentInSlices(transaction));
}

/**
 * The document for `iptables-restore --noflush`; owners are service ports.
 *
 * Every chain to write or delete is declared first, which creates or flushes it: so every jump target exists, and
 * deleted chains are not referenced.
 */
export function documentOf(transaction: IptablesTransaction): IptablesDocument<string> {
  return finish(documentInSlices(transaction));
}

function* documentInSlices(transaction: IptablesTransaction): Slices<IptablesDocument<string>> {
  const { filter, nat, comments } = transaction;
  return new Map([
    ['filter', yield* tableDocument(filter, comments)],
    ['nat', yield* tableDocument(nat, comments)],
  ]);
}

function* tableDocument(table: TableTransaction, comments: boolean): Slices<IptablesTableDocument<string>> {
  const written = new Map<string, IptablesChain<string>>();
  for (const [name, chain] of table.writes) {
    yield;
    written.set(name, chainContent(chain, comments));
  }
  for (const name of table.deletes.keys()) {
    written.set(name, userChain());
  }
  const { created, appendedRules, insertedRules } = table.guard ?? EMPTY_TABLE_DOCUMENT;
  const jumps = table.insertions.map(({ chain, position, rule }) => ({ chain, position, rule: rule.text }));
  return {
    ...{ written, created, deletedRules: table.removals, appendedRules },
    // The guard comes last, so that its jumps precede ours.
    insertedRules: [...jumps, ...insertedRules],
    deletedChains: table.deletes,
  };
}

/** Rules that no service port owns always have their comments. */
function chainContent({ rules, owner, owners }: Chain, comments: boolean): IptablesChain<string> {
  if (owner !== undefined) {
    return { policy: '-', rules: rules.map((rule) => (comments ? rule.text : rule.bareText)), owner };
  }
  if (owners !== undefined) {
    const texts = rules.map((rule, index) => (comments || owners[index] === undefined ? rule.text : rule.bareText));
    return { policy: '-', rules: texts, owners };
  }
  return userChain(rules.map(({ text }) => text));
}

/** The service ports that the transaction writes rules for. */
export function ownersOf(transaction: IptablesTransaction): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const table of [transaction.filter, transaction.nat]) {
    for (const { owner, owners } of table.writes.values()) {
      for (const key of owner === undefined ? (owners ?? []) : [owner]) {
        if (key !== undefined) {
          keys.add(key);
        }
      }
    }
    for (const key of table.deletes.values()) {
      if (key !== undefined) {
        keys.add(key);
      }
    }
  }
  return keys;
}

/** The transaction without the guard of 127.0.0.0/8. */
export function withoutGuard(transaction: IptablesTransaction): IptablesTransaction {
  const { guard, ...filter } = transaction.filter;
  return guard === undefined ? transaction : { ...transaction, filter };
}

/** The transaction without the excluded service ports. */
export function withoutOwners(
  transaction: IptablesTransaction,
  excluded: (key: string) => boolean,
): IptablesTransaction {
  const kept = (key: string | undefined) => key === undefined || !excluded(key);
  const restrict = (table: TableTransaction): TableTransaction => ({
    ...table,
    writes: new Map(
      [...table.writes]
        .filter(([, chain]) => kept(chain.owner))
        .map(([name, chain]) => [name, chain.owners === undefined ? chain : withoutRules(chain, chain.owners, kept)]),
    ),
    deletes: new Map([...table.deletes].filter(([, key]) => kept(key))),
  });
  return { ...transaction, filter: restrict(transaction.filter), nat: restrict(transaction.nat) };
}

function withoutRules(
  chain: Chain,
  owners: readonly (string | undefined)[],
  kept: (key: string | undefined) => boolean,
): Chain {
  return {
    rules: chain.rules.filter((_rule, index) => kept(owners[index])),
    owners: owners.filter(kept),
  };
}
