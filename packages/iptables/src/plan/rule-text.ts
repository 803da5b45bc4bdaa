import { withoutComment } from '@kube-proxier/linux';

/**
 * What is read of a rule to be written; `IptablesRule` has it too. Of the rules that are kept for as long as
 * their state only the text is: it takes a quarter of the memory of what it is made from.
 */
export class RuleText {
  #bare: string | undefined;

  /** @param text as `iptables-save` prints it after `-A CHAIN `. */
  constructor(readonly text: string) {}

  /** The same without the comment: what the rule does. */
  get bareText(): string {
    this.#bare ??= withoutComment(this.text);
    return this.#bare;
  }
}
