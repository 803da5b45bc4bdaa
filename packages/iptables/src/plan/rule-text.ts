import { IptablesRule, type IptablesRuleParts } from '@kube-proxier/linux';

/** What writing and comparing a rule needs. `IptablesRule` has it too, and takes several times as much memory. */
export interface RuleText {
  /** As `iptables-save` prints it after `-A CHAIN `. */
  readonly text: string;
  /** The same without the comment: the effect of the rule. */
  readonly bareText: string;
}

/** A rule that has no comment, or does not need the one it has. */
export class BareRule implements RuleText {
  readonly text: string;

  constructor(parts: IptablesRuleParts) {
    this.text = new IptablesRule(parts).bareText;
  }

  get bareText(): string {
    return this.text;
  }
}
