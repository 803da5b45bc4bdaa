import { createHash } from 'node:crypto';
import { renderNftRule } from '@kube-proxier/linux';
import type { Rule } from './fixed-chains.js';

/**
 * The comment that identifies a rule when it is listed: versions of nft print the same rule differently, but all keep
 * comments.
 */
export function ruleTag(rule: Rule): string {
  return createHash('sha256').update(renderNftRule(rule)).digest('hex').slice(0, 12);
}

/** Whether a chain has these rules, by their tags. */
export function sameTags(found: readonly (string | undefined)[], rules: readonly Rule[]): boolean {
  return found.length === rules.length && rules.every((rule, index) => found[index] === ruleTag(rule));
}
