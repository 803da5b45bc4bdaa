import { type IPFamily, listDifference, type RuleChange } from '@kube-proxier/core';
import { isBuiltinChain } from './builtin-chains.js';
import type { IptablesDocument, IptablesTableDocument, SavedTable } from './iptables-document.js';

/** Input of {@link iptablesDocumentChanges}. */
export interface IptablesChangesOptions {
  readonly family: IPFamily;
  /** The tables of the document as they are in the kernel. An absent table has no chains. */
  readonly saved: Readonly<Partial<Record<string, SavedTable>>>;
}

interface ChainContent {
  readonly rules: readonly string[];
  /** Owner of each rule, in the order of the rules. */
  readonly owners: readonly (string | undefined)[];
}

/**
 * The changes that `iptables-restore --noflush` makes with a document: chains and rules as `iptables-save` prints them.
 * Pure. Built-in chains are not reported.
 */
export function iptablesDocumentChanges(
  document: IptablesDocument<string>,
  { family, saved }: IptablesChangesOptions,
): readonly RuleChange[] {
  return [...document].flatMap(([table, content]) =>
    tableChanges(content, saved[table] ?? new Map(), `iptables ${table}, ${family}`),
  );
}

function tableChanges(document: IptablesTableDocument<string>, saved: SavedTable, table: string): RuleChange[] {
  const after = new Map<string, ChainContent>();
  const contentOf = (chain: string): ChainContent => after.get(chain) ?? installed(saved, chain);
  for (const [chain, { rules, owner, owners }] of document.written) {
    after.set(chain, { rules, owners: rules.map((_rule, index) => owner ?? owners?.[index]) });
  }
  for (const chain of document.created) {
    after.set(chain, { rules: [], owners: [] });
  }
  for (const { chain, rule } of document.deletedRules) {
    const { rules, owners } = contentOf(chain);
    const place = rules.indexOf(rule);
    after.set(chain, { rules: without(rules, place), owners: without(owners, place) });
  }
  for (const { chain, rule } of document.appendedRules) {
    const { rules, owners } = contentOf(chain);
    after.set(chain, { rules: [...rules, rule], owners: [...owners, undefined] });
  }
  for (const { chain, position, rule } of document.insertedRules) {
    const { rules, owners } = contentOf(chain);
    after.set(chain, {
      rules: rules.toSpliced(position - 1, 0, rule),
      owners: owners.toSpliced(position - 1, 0, undefined),
    });
  }
  const changes = [...after]
    .filter(([chain]) => !document.deletedChains.has(chain))
    .flatMap(([chain, content]) => chainChanges(table, chain, saved, content, document.written.get(chain)?.owner));
  const deleted = [...document.deletedChains].flatMap(([chain, owner]) =>
    saved.has(chain) ? chainChanges(table, chain, saved, undefined, owner) : [],
  );
  return [...changes, ...deleted];
}

function installed(saved: SavedTable, chain: string): ChainContent {
  const rules = saved.get(chain)?.rules ?? [];
  return { rules, owners: rules.map(() => undefined) };
}

function chainChanges(
  table: string,
  chain: string,
  saved: SavedTable,
  after: ChainContent | undefined,
  owner: string | undefined,
): readonly RuleChange[] {
  const before = saved.get(chain);
  const changeOfChain = (action: RuleChange['action']): RuleChange[] =>
    isBuiltinChain(chain) ? [] : [{ action, table, kind: 'chain', text: `:${chain} - [0:0]`, ...ownedBy(owner) }];
  const rules = listDifference(before?.rules ?? [], after?.rules ?? []).map(
    ({ action, position, text }): RuleChange => ({
      ...{ action, table, kind: 'rule', container: chain, position, text: `-A ${chain} ${text}`.trimEnd() },
      ...ownedBy(action === 'add' ? after?.owners[position - 1] : owner),
    }),
  );
  return [
    ...(before === undefined && after !== undefined ? changeOfChain('add') : []),
    ...rules,
    ...(before !== undefined && after === undefined ? changeOfChain('remove') : []),
  ];
}

function ownedBy(owner: string | undefined): { readonly owner?: string } {
  return owner === undefined ? {} : { owner };
}

function without<T>(list: readonly T[], place: number): readonly T[] {
  return place < 0 ? list : list.toSpliced(place, 1);
}
