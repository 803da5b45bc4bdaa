import { finish, type RemovedObjects, type Slices } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  type IptablesChain,
  type IptablesChainRule,
  type IptablesTableDocument,
  type SavedTable,
  userChain,
} from './iptables-document.js';
import { targetOf } from './rule-text.js';

export interface ChainRemovalOptions {
  /** Further rules to delete from kept chains, besides jumps to removed chains. Default: none. */
  readonly alsoDelete?: (chain: string, rule: string) => boolean;
  /**
   * A removed chain that a foreign user-defined chain jumps to. `delete-jump` deletes these jumps, and the chain;
   * `keep-empty` keeps both, and empties the chain. Default `delete-jump`.
   */
  readonly foreignReferences?: 'delete-jump' | 'keep-empty';
}

/** Removes chains of a table, and every jump to them. Keeps all other rules of the table. Pure. */
export function removeChains(
  saved: SavedTable,
  isRemoved: (chain: string) => boolean,
  options?: ChainRemovalOptions,
): IptablesTableDocument {
  return finish(removeChainsInSlices(saved, isRemoved, options));
}

/** {@link removeChains}. Yields after each chain, so that a caller can pause. */
export function* removeChainsInSlices(
  saved: SavedTable,
  isRemoved: (chain: string) => boolean,
  { alsoDelete, foreignReferences = 'delete-jump' }: ChainRemovalOptions = {},
): Slices<IptablesTableDocument> {
  const removed = new Set<string>();
  for (const chain of saved.keys()) {
    yield;
    if (isRemoved(chain)) {
      removed.add(chain);
    }
  }
  if (removed.size === 0 && alsoDelete === undefined) {
    return EMPTY_TABLE_DOCUMENT;
  }
  const needed = new Set<string>();
  const deletedRules: IptablesChainRule[] = [];
  for (const [chain, { policy, rules }] of saved) {
    yield;
    if (removed.has(chain)) {
      continue;
    }
    for (const rule of rules) {
      if (alsoDelete?.(chain, rule)) {
        deletedRules.push({ chain, rule });
        continue;
      }
      const target = mentionsAny(rule, removed) ? targetOf(rule) : undefined;
      if (target === undefined || !removed.has(target)) {
        continue;
      }
      if (foreignReferences === 'keep-empty' && policy === '-') {
        needed.add(target);
      } else {
        deletedRules.push({ chain, rule });
      }
    }
  }
  const empty = userChain();
  const written = new Map<string, IptablesChain>();
  const deletedChains = new Map<string, undefined>();
  for (const chain of removed) {
    yield;
    if (!needed.has(chain)) {
      written.set(chain, empty);
      deletedChains.set(chain, undefined);
    } else if ((saved.get(chain)?.rules.length ?? 0) > 0) {
      written.set(chain, empty);
    }
  }
  return { ...EMPTY_TABLE_DOCUMENT, written, deletedRules, deletedChains };
}

const JUMP = /-(?:[jg]|-jump|-goto) (\S+)/g;

/** A quick pre-check for tables with many foreign rules; it may match words in a comment. */
function mentionsAny(rule: string, chains: ReadonlySet<string>): boolean {
  for (const [, chain = ''] of rule.matchAll(JUMP)) {
    if (chains.has(chain)) {
      return true;
    }
  }
  return false;
}

/** The objects that a document removes from a table, for a report. `location` names the table. */
export function removedObjects(
  { written, deletedRules, deletedChains }: IptablesTableDocument,
  location: string,
): readonly RemovedObjects[] {
  return [
    { kind: 'chain', location, names: [...deletedChains.keys()] },
    { kind: 'content of chain', location, names: [...written.keys()].filter((chain) => !deletedChains.has(chain)) },
    { kind: 'rule', location, names: deletedRules.map(({ chain, rule }) => `${chain} ${rule}`) },
  ].filter(({ names }) => names.length > 0);
}
