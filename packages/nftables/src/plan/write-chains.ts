import type { Chain, LayoutContext } from './chain.js';
import { renderKind } from './chain-rules.js';
import { fixedChains } from './fixed-chains.js';
import type { TransactionDraft } from './nftables-transaction.js';
import { ruleTag } from './rule-tag.js';
import type { SharedParts } from './shared-parts.js';

type Chains = ReadonlyMap<string, Chain>;

/** All chains of a table by name: those of every table, and those that service ports have in common. */
export function allChains(context: LayoutContext, parts: SharedParts): Chains {
  const chains = new Map(fixedChains(context));
  for (const [name, kind] of parts.chains) {
    chains.set(name, renderKind(kind, context));
  }
  return chains;
}

/** Adds chains to a new table. */
export function writeChains(chains: Chains, draft: TransactionDraft): void {
  for (const [name, chain] of chains) {
    writeChain(name, chain, false, draft);
  }
}

/** An existing base chain gets its policy. */
export function declareChain(name: string, base: Chain['base'], draft: TransactionDraft): void {
  draft.declareChain({ do: 'add-chain', chain: name, ...(base === undefined ? {} : { base }) });
}

/** @param isThere the chain exists, and gets these rules instead of its own. */
export function writeChain(name: string, { base, rules }: Chain, isThere: boolean, draft: TransactionDraft): void {
  if (isThere) {
    draft.flushChain(name);
  } else {
    declareChain(name, base, draft);
  }
  for (const statements of rules) {
    draft.addRule({ do: 'add-rule', chain: name, rule: { statements, comment: ruleTag(statements) } });
  }
}

/**
 * Writes common chains whose rules differ, due to the node state or the features in use.
 *
 * @param written chains that are written already.
 */
export function rewriteChains(
  before: LayoutContext,
  after: LayoutContext,
  parts: SharedParts,
  written: ReadonlySet<string>,
  draft: TransactionDraft,
): void {
  const was = allChains(before, parts);
  for (const [name, chain] of allChains(after, parts)) {
    if (!written.has(name) && JSON.stringify(was.get(name)?.rules) !== JSON.stringify(chain.rules)) {
      writeChain(name, chain, true, draft);
    }
  }
}
