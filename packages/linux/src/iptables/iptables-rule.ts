import type { IptablesRuleParts } from './iptables-rule-parts.js';
import { readRule } from './read-rule.js';
import { renderRule } from './render-rule.js';
import { withoutComment } from './rule-text.js';

/**
 * One rule, without its chain. It renders and parses itself in the format of `iptables-save`, so that a written rule
 * can be read back and compared as text.
 */
export class IptablesRule {
  #text: string | undefined;
  #bare: string | undefined;

  constructor(readonly parts: IptablesRuleParts) {}

  /** As `iptables-save` prints it after `-A CHAIN `. */
  get text(): string {
    this.#text ??= renderRule(this.parts, true);
    return this.#text;
  }

  /** The same without the comment: the effect of the rule. Rules with the same effect have the same text. */
  get bareText(): string {
    this.#bare ??= renderRule(this.parts, false);
    return this.#bare;
  }

  /**
   * Parses a rule as `iptables-save` prints it, without `-A CHAIN `.
   *
   * @returns undefined when the rule contains anything that this class does not support: such a rule is foreign, and is
   *   kept as text.
   */
  static parse(text: string): IptablesRule | undefined {
    const parts = readRule(text);
    return parts === undefined ? undefined : new IptablesRule(parts);
  }
}

/**
 * The effect of any rule, given as text: {@link IptablesRule.bareText} of a supported rule, however it is spelled; else the text
 * without its comment.
 */
export function effectOf(ruleText: string): string {
  return IptablesRule.parse(ruleText)?.bareText ?? withoutComment(ruleText);
}
