import { hash } from 'node:crypto';
import { expectedNftFingerprint, type NftFamily, type NftListedChain, renderNftRule } from '@kube-proxier/linux';
import type { Rule } from './chain.js';

/**
 * The comment that identifies a rule when it is listed: versions of nft print the same rule differently, but all keep
 * comments.
 */
export function ruleTag(rule: Rule): string {
  return hash('sha256', renderNftRule(rule), 'hex').slice(0, 12);
}

/** Whether a chain has these rules, by their tags, and by their fingerprints if listed. */
export function hasRules(found: NftListedChain, rules: readonly Rule[], family: NftFamily): boolean {
  const { rules: tags, fingerprints } = found;
  return (
    tags.length === rules.length &&
    rules.every((rule, index) => tags[index] === ruleTag(rule)) &&
    (fingerprints === undefined ||
      rules.every((rule, index) => fingerprints[index] === expectedNftFingerprint(rule, family)))
  );
}
