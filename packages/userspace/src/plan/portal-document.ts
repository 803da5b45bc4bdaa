import {
  EMPTY_TABLE_DOCUMENT,
  type IptablesChainRule,
  type IptablesDocument,
  type IptablesInsertion,
  type IptablesTableDocument,
  removeChains,
  type SavedTable,
  userChain,
} from '@kube-proxier/linux';
import { NODE_GROUP, type PortalGroups, precedesOthers } from './portal-groups.js';
import { CHAINS, JUMPS, PORTAL_TABLES, type PortalRule, type PortalTable, WRITTEN } from './portal-rules.js';

/** The tables of portals, as the kernel holds them. */
export type SavedPortals = Readonly<Record<PortalTable, SavedTable>>;

const OWNED_CHAINS: readonly string[] = Object.values(CHAINS);

/** Writes the whole content of the portal chains, and the jumps that are missing. */
export function wholeDocument(wanted: PortalGroups, saved: SavedPortals): IptablesDocument {
  const sorted = [...wanted].sort(([left], [right]) => Number(left === NODE_GROUP) - Number(right === NODE_GROUP));
  const rules = sorted.flatMap(([, list]) => list);
  return documentOf((table) => {
    const written = WRITTEN[table].map((chain) => {
      const own = rules.filter((rule) => rule.table === table && rule.chain === chain);
      return [chain, userChain(own.map(({ rule }) => rule.text))] as const;
    });
    const jumps = JUMPS.filter(
      (jump) => jump.table === table && !saved[table].get(jump.chain)?.rules.includes(jump.rule.text),
    );
    return {
      ...EMPTY_TABLE_DOCUMENT,
      written: new Map(written),
      appendedRules: jumps.filter(({ at }) => at === 'bottom').map(chainRule),
      insertedRules: jumps.filter(({ at }) => at === 'top').map(atTop),
    };
  });
}

/** Deletes and adds what differs between rules that are in force and those that are wanted. */
export function stepDocument(written: PortalGroups, wanted: PortalGroups): IptablesDocument {
  const changed = [...wanted].filter(([key, rules]) => textOf(written.get(key) ?? []) !== textOf(rules));
  const deleted = changed.flatMap(([key]) => written.get(key) ?? []);
  // In reverse, as each is inserted at the top.
  const inserted = changed.flatMap(([key, rules]) => (precedesOthers(key) ? [...rules].reverse() : []));
  const appended = changed.flatMap(([key, rules]) => (precedesOthers(key) ? [] : rules));
  return documentOf((table) => {
    const ofTable = (rules: readonly PortalRule[]) => rules.filter((rule) => rule.table === table);
    return {
      ...EMPTY_TABLE_DOCUMENT,
      deletedRules: ofTable(deleted).map(chainRule),
      appendedRules: ofTable(appended).map(chainRule),
      insertedRules: ofTable(inserted).map(atTop),
    };
  });
}

/** Removes the chains of the userspace mode and every jump into one (spec U-54). */
export function removalDocument(saved: SavedPortals): IptablesDocument {
  return documentOf((table) => removeChains(saved[table], (chain) => OWNED_CHAINS.includes(chain)));
}

function documentOf(contentOf: (table: PortalTable) => IptablesTableDocument): IptablesDocument {
  return new Map(PORTAL_TABLES.map((table) => [table, contentOf(table)]));
}

function chainRule({ chain, rule }: PortalRule): IptablesChainRule {
  return { chain, rule: rule.text };
}

function atTop(rule: PortalRule): IptablesInsertion {
  return { ...chainRule(rule), position: 1 };
}

function textOf(rules: readonly PortalRule[]): string {
  return rules.map(({ table, chain, rule }) => `${table} ${chain} ${rule.text}`).join('\n');
}
