import {
  EMPTY_TABLE_DOCUMENT,
  effectOf,
  type IptablesDocument,
  type IptablesRule,
  type IptablesTableDocument,
  isEmptyTableDocument,
  mergeTableDocuments,
  removeChains,
  type SavedTable,
  userChain,
} from '@kube-proxier/linux';
import { type FixedChains, JUMPS, RULE_TABLES, type RuleTable } from './fixed-chains.js';
import { CHAINS, KUBE_PROXY_CHAINS, kubeProxySets } from './layout.js';

type SavedTables = Readonly<Record<RuleTable, SavedTable>>;
type WrittenChain = readonly [chain: string, rules: readonly IptablesRule[]];

/** All chains that this backend may have. */
export const OWN_CHAINS: readonly string[] = Object.values(CHAINS);

const KUBE_PROXY_SETS = new Set([...kubeProxySets('IPv4'), ...kubeProxySets('IPv6')]);

/** Whether only kube-proxy's ipvs mode creates a set of this name. */
export function isKubeProxySet(name: string): boolean {
  return KUBE_PROXY_SETS.has(name);
}

/** Writes the fixed chains and jumps that differ from the current ones, and removes what kube-proxy left. */
export function reconcileRules(wanted: FixedChains, installed: SavedTables | undefined): IptablesDocument {
  return documentOf((table) => {
    const saved: SavedTable = installed?.[table] ?? new Map();
    const differing = [...wanted[table]].filter(([chain, rules]) => !holds(saved.get(chain)?.rules, rules));
    return mergeTableDocuments(writeChains(differing), placeJumps(table, saved), removeKubeProxyRules(table, saved));
  });
}

/** Writes the chains whose rules differ between two node states. Jumps never differ. */
export function rewriteRules(before: FixedChains, after: FixedChains): IptablesDocument {
  return documentOf((table) =>
    writeChains(
      [...after[table]].filter(([chain, rules]) => {
        const old = before[table].get(chain) ?? [];
        return old.length !== rules.length || rules.some((rule, index) => rule.text !== old[index]?.text);
      }),
    ),
  );
}

/** Writes all fixed chains, without jumps to them. */
export function writeRules(wanted: FixedChains): IptablesDocument {
  return documentOf((table) => writeChains([...wanted[table]]));
}

/** Flushes own chains, as rules reference sets. */
export function emptyOwnChains(installed: SavedTables): IptablesDocument {
  return documentOf((table) =>
    writeChains(OWN_CHAINS.filter((chain) => installed[table].has(chain)).map((chain) => [chain, []])),
  );
}

/** Removes our chains, what only kube-proxy's ipvs mode creates, or both. Every jump to these chains is deleted. */
export function removeRules(
  installed: SavedTables,
  { ownChains, kubeProxyChains }: { readonly ownChains: boolean; readonly kubeProxyChains: boolean },
): IptablesDocument {
  return documentOf((table) => {
    const isRemoved = (chain: string) =>
      (ownChains && OWN_CHAINS.includes(chain)) || (kubeProxyChains && isKubeProxyChain(table, chain));
    return removeChains(installed[table], isRemoved, kubeProxyChains ? { alsoDelete: looksAtKubeProxySet(table) } : {});
  });
}

/** Whether the tables contain chains or rules that only kube-proxy's ipvs mode creates. */
export function hasKubeProxyRules(installed: SavedTables): boolean {
  return RULE_TABLES.some((table) => !isEmptyTableDocument(removeKubeProxyRules(table, installed[table])));
}

/** Removes what only kube-proxy's ipvs mode creates. Keeps foreign rules that reference its sets, and these sets. */
function removeKubeProxyRules(table: RuleTable, saved: SavedTable): IptablesTableDocument {
  return removeChains(saved, (chain) => isKubeProxyChain(table, chain), { alsoDelete: looksAtKubeProxySet(table) });
}

function isKubeProxyChain(table: RuleTable, chain: string): boolean {
  return table !== 'mangle' && KUBE_PROXY_CHAINS[table].includes(chain);
}

/** Finds rules of kube-proxy's chains that match a set of its ipvs mode. */
function looksAtKubeProxySet(table: RuleTable): (chain: string, rule: string) => boolean {
  return (chain, rule) => {
    const [, set = ''] = /--match-set (\S+)/.exec(rule) ?? [];
    return table !== 'mangle' && chain.startsWith('KUBE-') && isKubeProxySet(set);
  };
}

function writeChains(chains: readonly WrittenChain[]): IptablesTableDocument {
  return {
    ...EMPTY_TABLE_DOCUMENT,
    written: new Map(chains.map(([chain, rules]) => [chain, userChain(rules.map(({ text }) => text))])),
  };
}

/** Each own jump exists once. */
function placeJumps(table: RuleTable, saved: SavedTable): IptablesTableDocument {
  const misplaced = JUMPS[table]
    .map(({ from, rule }) => {
      const found = (saved.get(from)?.rules ?? []).filter((text) => effectOf(text) === rule.bareText);
      return { chain: from, rule: rule.text, found };
    })
    .filter(({ found }) => found.length !== 1);
  return {
    ...EMPTY_TABLE_DOCUMENT,
    deletedRules: misplaced.flatMap(({ chain, found }) => found.map((rule) => ({ chain, rule }))),
    insertedRules: misplaced.map(({ chain, rule }) => ({ chain, position: 1, rule })),
  };
}

/** Whether a chain has the desired rules, regardless of spelling. */
function holds(found: readonly string[] | undefined, wanted: readonly IptablesRule[]): boolean {
  return (
    found?.length === wanted.length && wanted.every((rule, index) => effectOf(found[index] ?? '') === rule.bareText)
  );
}

/** A document without the tables in which nothing changes. */
function documentOf(contentOf: (table: RuleTable) => IptablesTableDocument): IptablesDocument {
  return new Map(
    RULE_TABLES.map((table) => [table, contentOf(table)] as const).filter(
      ([, content]) => !isEmptyTableDocument(content),
    ),
  );
}
