import type { Iptables, IptablesTable } from './iptables.js';

/** Number of skipped checks after which a check is forced: a replaced legacy table may have the same size. */
const MAX_SPARED = 60;
/** Maximum number of checks skipped while a repair is awaited. */
const MAX_HELD = 20;

/** A rule whose absence means that its table was flushed: preferably a jump in a short chain. */
export interface WatchedRule {
  readonly table: IptablesTable;
  /** The chain that contains it. */
  readonly from: string;
  /** As `iptables-save` prints it, without its chain. */
  readonly text: string;
}

/**
 * Rules that are checked periodically: a program that flushes a table removes them with the rest. The cost is that of
 * the chains of these rules only, independent of how many are installed. No program is started while the kernel reports
 * no change of these chains (nft variant) or tables (legacy variant). A rule is reported as missing only after it was
 * present.
 */
export class RuleSentinels {
  readonly #rules: readonly SentinelRule[];
  /** Install count when a rule was reported as missing; undefined after the next install. */
  #missedAt: number | undefined;
  #held = 0;

  /**
   * @param rules one for each table is enough.
   * @param iptables returns the tools; called each time, so it should cache them.
   */
  constructor(
    rules: readonly WatchedRule[],
    private readonly iptables: () => Promise<Iptables>,
  ) {
    this.#rules = rules.map((rule) => new SentinelRule(rule));
  }

  /**
   * After a rule was reported as missing, nothing is checked until the rules are installed again: the repair reads all tables,
   * and would wait for the programs of checks.
   *
   * @param onGone called for a rule that was present and is missing, with text for a log line.
   * @param placed install count so far, including rules found outside of checks. A rule installed since the last check
   *   is reported as missing when this check does not find it. Default: unknown, and no check waits for it.
   * @returns whether no rule is known to be missing.
   * @throws IptablesError when the check fails.
   */
  async check(signal: AbortSignal, onGone: (what: string) => void, placed?: () => number): Promise<boolean> {
    if (this.#missedAt !== undefined && this.#missedAt === placed?.() && this.#held++ < MAX_HELD) {
      return false;
    }
    this.#missedAt = undefined;
    this.#held = 0;
    let missed = false;
    for (const rule of this.#rules) {
      if (signal.aborted) {
        return false;
      }
      const before = placed?.();
      // During shutdown this process may remove the rules itself.
      if ((await rule.isGone(await this.iptables(), before ?? 0)) && !signal.aborted) {
        const { from, table } = rule.watched;
        onGone(`the jump from ${from} in the ${table} table is gone, as after a flush`);
        missed = true;
        if (before !== undefined) {
          this.#missedAt = before;
          return false;
        }
      }
    }
    return !missed;
  }

  /** Whether other programs changed the tables of the rules since the last call; false where the kernel does not report it. */
  async hasForeignChanges(): Promise<boolean> {
    const iptables = await this.iptables();
    let changed = false;
    for (const table of new Set(this.#rules.map(({ watched }) => watched.table))) {
      changed = ((await iptables.hasForeignChanges(table)) ?? false) || changed;
    }
    return changed;
  }
}

class SentinelRule {
  #seen = false;
  #placed = 0;
  /** Stamps of table and chain at the last check, or when they showed that its result still holds. */
  #stamp: string | undefined;
  #chainStamp: string | undefined;
  #spared = 0;

  constructor(readonly watched: WatchedRule) {}

  /** Whether the rule was present and is now missing. */
  async isGone(iptables: Iptables, placed: number): Promise<boolean> {
    const { table, from, text } = this.watched;
    // Read before the check: a change during the check shows in the next one.
    const stamp = await iptables.stamp(table);
    const isTableUnchanged = stamp !== undefined && stamp === this.#stamp;
    const readChainStamp = async () => (await iptables.chainStamp(table, from)) ?? stamp;
    const chainStamp = isTableUnchanged ? this.#chainStamp : await readChainStamp();
    const isUnchanged = chainStamp !== undefined && chainStamp === this.#chainStamp;
    // A missing rule that was installed in the meantime is missing again.
    if (isUnchanged && (this.#seen || placed === this.#placed) && this.#spared < MAX_SPARED) {
      this.#spared++;
      this.#stamp = stamp;
      return false;
    }
    this.#spared = 0;
    this.#stamp = undefined;
    this.#chainStamp = undefined;
    const isThere = await iptables.ruleExists(table, from, text);
    const isGone = (this.#seen || placed !== this.#placed) && !isThere;
    this.#seen = isThere;
    this.#placed = placed;
    // A missing rule may have been removed after the stamps were read; they are then outdated.
    if (isThere || chainStamp === (await readChainStamp())) {
      this.#stamp = stamp;
      this.#chainStamp = chainStamp;
    }
    return isGone;
  }
}
