import { withoutComment } from '@kube-proxier/linux';

/**
 * The part of a rule needed for writing; `IptablesRule` has it too. For rules retained with their state, only the text
 * is kept, which takes a quarter of the memory.
 */
export class RuleText {
  /** @param text as `iptables-save` prints it after `-A CHAIN `. */
  constructor(readonly text: string) {}

  /** The same without the comment: the effect of the rule. Not kept, as it is seldom used after a load. */
  get bareText(): string {
    return withoutComment(this.text);
  }
}
