import type { Iptables, IptablesTable } from './iptables.js';

/**
 * After so many looks that were spared, one is taken all the same: what takes the place of a legacy table may be of the
 * same size.
 */
const MAX_SPARED = 60;

/** A rule whose absence tells that its table was flushed: best a jump in a chain that is short. */
export interface WatchedRule {
  readonly table: IptablesTable;
  /** The chain that it stands in. */
  readonly from: string;
  /** As `iptables-save` prints it, without its chain. */
  readonly text: string;
}

/**
 * Rules that are looked at again and again: a foreigner who flushes a table takes them with the rest. The cost is that of
 * these rules only, whatever else is installed; and next to nothing while the kernel says that nothing was changed. A rule
 * is missed only after it was there.
 */
export class RuleSentinels {
  readonly #rules: readonly SentinelRule[];

  /**
   * @param rules one for each table is enough.
   * @param iptables finds the tools; asked each time, so it should remember.
   */
  constructor(
    rules: readonly WatchedRule[],
    private readonly iptables: () => Promise<Iptables>,
  ) {
    this.#rules = rules.map((rule) => new SentinelRule(rule));
  }

  /**
   * @param onGone told of each rule that is gone since it was there, in words for a log line.
   * @param placed how often the rules were put in place so far, or found there by others than a look. What was put in
   * place since the last look is missed when this one does not see it.
   * @throws IptablesError when it cannot be told.
   */
  async look(signal: AbortSignal, onGone: (what: string) => void, placed: () => number = () => 0): Promise<void> {
    for (const rule of this.#rules) {
      if (signal.aborted) {
        return;
      }
      // At its end this process may take them away itself.
      if ((await rule.isGone(await this.iptables(), placed())) && !signal.aborted) {
        const { from, table } = rule.watched;
        onGone(`the jump from ${from} in the ${table} table is gone, as after a flush`);
      }
    }
  }
}

class SentinelRule {
  #seen = false;
  #placed = 0;
  /** Of the table when the rule was there. */
  #stamp: string | undefined;
  #spared = 0;

  constructor(readonly watched: WatchedRule) {}

  /** Whether it was there, and is not any more. */
  async isGone(iptables: Iptables, placed: number): Promise<boolean> {
    const { table, from, text } = this.watched;
    // Before the look: what is changed during it shows next time.
    const stamp = await iptables.stamp(table);
    if (stamp !== undefined && stamp === this.#stamp && this.#spared < MAX_SPARED) {
      this.#spared++;
      return false;
    }
    this.#spared = 0;
    this.#stamp = undefined;
    const isThere = await iptables.ruleExists(table, from, text);
    const isGone = (this.#seen || placed !== this.#placed) && !isThere;
    this.#seen = isThere;
    this.#placed = placed;
    this.#stamp = isThere ? stamp : undefined;
    return isGone;
  }
}
