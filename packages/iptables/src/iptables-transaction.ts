import type { IPFamily } from '@kube-proxier/core';
import type { IptablesRule } from '@kube-proxier/linux';
import type { RuleText } from './rule-text.js';

/** The whole content of one chain. */
export interface Chain {
  readonly rules: readonly Pick<RuleText, 'text' | 'bareText'>[];
  /** The service port that the chain belongs to; undefined for chains that several share. */
  readonly owner?: string;
  /** In a shared chain: the service port that the rule at the same place is there for. */
  readonly owners?: readonly (string | undefined)[];
}

/** A rule that is put into a chain of the kernel's. */
export interface JumpInsertion {
  readonly chain: string;
  /** 1 for the first. */
  readonly position: number;
  readonly rule: IptablesRule;
}

/** A rule that is taken out of a chain of the kernel's, as `iptables-save` printed it. */
export interface JumpRemoval {
  readonly chain: string;
  readonly text: string;
}

export interface TableTransaction {
  /** Chains that are made, or whose content is replaced. */
  readonly writes: ReadonlyMap<string, Chain>;
  /** Chains that are removed, with the service port that they belonged to. */
  readonly deletes: ReadonlyMap<string, string | undefined>;
  readonly removals: readonly JumpRemoval[];
  readonly insertions: readonly JumpInsertion[];
  /** How many rules more there are in chains of ours afterwards; negative for fewer. */
  readonly growth: number;
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
}

export const EMPTY_TABLE: TableTransaction = {
  writes: new Map(),
  deletes: new Map(),
  removals: [],
  insertions: [],
  growth: 0,
};

/** Whether it writes nothing to this table. */
export function isEmptyTable(table: TableTransaction): boolean {
  return (
    table.writes.size === 0 && table.deletes.size === 0 && table.removals.length === 0 && table.insertions.length === 0
  );
}

/** Whose fault a refused line is. */
export type LineOwner =
  | { readonly kind: 'service-port'; readonly key: string }
  | { readonly kind: 'deletion'; readonly table: 'filter' | 'nat'; readonly chain: string }
  | { readonly kind: 'nobody' };

/**
 * The document for `iptables-restore --noflush`.
 *
 * Every chain that is written or deleted is declared first, which makes or empties it: so a jump always finds its
 * chain, and what is deleted at the end is no longer jumped to.
 */
export function renderTransaction(transaction: IptablesTransaction): string {
  const lines: string[] = [];
  eachLine(transaction, (line) => lines.push(line));
  lines.push('');
  return lines.join('\n');
}

/** Whose fault line `number` (from 1) of the rendered document is. */
export function ownerOfLine(transaction: IptablesTransaction, number: number): LineOwner {
  let at = 0;
  let found: LineOwner = { kind: 'nobody' };
  eachLine(transaction, (_line, owner) => {
    if (++at === number && owner !== undefined) {
      found = owner;
    }
  });
  return found;
}

function eachLine(transaction: IptablesTransaction, write: (line: string, owner?: LineOwner) => void): void {
  for (const name of ['filter', 'nat'] as const) {
    const table = transaction[name];
    if (isEmptyTable(table)) {
      continue;
    }
    write(`*${name}`);
    for (const chain of declarations(table)) {
      write(`:${chain} - [0:0]`);
    }
    for (const { chain, text } of table.removals) {
      write(`-D ${chain} ${text}`);
    }
    for (const [chain, { rules, owner, owners }] of table.writes) {
      rules.forEach((rule, index) => {
        const key = owner ?? owners?.[index];
        const keepComment = transaction.comments || key === undefined;
        write(
          `-A ${chain} ${keepComment ? rule.text : rule.bareText}`,
          key === undefined ? undefined : { kind: 'service-port', key },
        );
      });
    }
    for (const { chain, position, rule } of table.insertions) {
      write(`-I ${chain} ${position} ${rule.text}`);
    }
    for (const chain of table.deletes.keys()) {
      write(`-X ${chain}`, { kind: 'deletion', table: name, chain });
    }
    write('COMMIT');
  }
}

/** The nft variant keeps chains in a sorted list that it searches from its head: names that fall cost it nothing. */
function declarations(table: TableTransaction): readonly string[] {
  return [...table.writes.keys(), ...table.deletes.keys()].sort().reverse();
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

/** The transaction without what it does for the service ports that `excluded` holds for. */
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
