import { createHash } from 'node:crypto';

/**
 * The comment that identifies a rule when it is listed: versions of nft print the same rule differently, but all keep
 * comments.
 */
export function ruleTag(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Whether a chain has these rules, by their tags. */
export function sameTags(found: readonly (string | undefined)[], rules: readonly string[]): boolean {
  return found.length === rules.length && rules.every((text, index) => found[index] === ruleTag(text));
}
