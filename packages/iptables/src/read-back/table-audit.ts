import { type Clock, EventLoopPace, finishWithPauses, readWhileCurrent, type Slices } from '@kube-proxier/core';
import type { Iptables } from '@kube-proxier/linux';
import type { ExpectedRules } from '../apply/rule-counts.js';
import { JUMPS } from '../plan/fixed-chains.js';
import { isOurChain } from '../plan/layout.js';

/** Pause after an audit, as a multiple of its duration: audits take at most a twentieth of the time. */
const REST = 19;
const TABLES = ['nat', 'filter'] as const;

export interface TableAuditOptions {
  /** Finds the tools for checks, once: separate from those that write, which a check would block. */
  readonly iptables: () => Promise<Iptables>;
  readonly clock: Clock;
  /** The expected counts; undefined while unknown. A new object after each change. */
  readonly expected: () => ExpectedRules | undefined;
}

/**
 * Checks whether foreign programs deleted or added rules in our chains, or deleted jumps to them: only after the kernel reported
 * a foreign change, and then by counting rules. Where the kernel does not report changes, there is no check.
 */
export class TableAudit {
  readonly #suspects = new Set<'filter' | 'nat'>();
  #restsUntil = Number.NEGATIVE_INFINITY;
  #found: Promise<Iptables> | undefined;

  constructor(private readonly options: TableAuditOptions) {}

  /** Begins to observe foreign changes. Never rejects. */
  async begin(): Promise<void> {
    try {
      const iptables = await this.#tools();
      await Promise.all(TABLES.map((table) => iptables.hasForeignChanges(table)));
    } catch {
      // It then starts with the first check.
    }
  }

  /** Releases the tools of checks. */
  async end(): Promise<void> {
    (await this.#found?.catch(() => undefined))?.close();
    this.#found = undefined;
  }

  /**
   * @param onDrift receives a description of the drift, as text for the log.
   * @param onForeignChange called when other programs changed the tables, whichever rules.
   * @throws IptablesError when a table cannot be read; the next call reads it again.
   */
  async look(onDrift: (what: string) => void, onForeignChange?: () => void): Promise<void> {
    const { clock, expected } = this.options;
    const iptables = await this.#tools();
    for (const table of TABLES) {
      if (await iptables.hasForeignChanges(table)) {
        this.#suspects.add(table);
        onForeignChange?.();
      }
    }
    for (const table of this.#suspects) {
      const rules = expected();
      if (rules === undefined || clock.monotonic() < this.#restsUntil) {
        return;
      }
      const begin = clock.monotonic();
      // iptables-save of the nft variant restarts at every commit, so it may not end while Services change.
      const saved = await readWhileCurrent(({ signal }) => iptables.save(table, signal), {
        clock,
        isCurrent: () => expected() === rules,
      });
      const end = clock.monotonic();
      this.#restsUntil = end + REST * (end - begin);
      if (saved?.isCurrent !== true) {
        return;
      }
      this.#suspects.delete(table);
      const wrong = await finishWithPauses(whatIsWrong(saved.value, table, rules[table]), new EventLoopPace());
      if (wrong !== undefined) {
        onDrift(wrong);
        return;
      }
    }
  }

  #tools(): Promise<Iptables> {
    this.#found ??= this.options.iptables().catch((error) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }
}

function* whatIsWrong(saved: string, table: 'filter' | 'nat', expected: number): Slices<string | undefined> {
  for (const jump of JUMPS) {
    yield;
    if (jump.table === table && !saved.includes(`\n-A ${jump.from} ${jump.rule.text}\n`)) {
      return `the jump from ${jump.from} in the ${table} table is gone`;
    }
  }
  const count = yield* countOurRules(saved, table);
  return count === expected
    ? undefined
    : `${count} rules in chains of the ${table} table, where there were ${expected}`;
}

function* countOurRules(saved: string, table: 'filter' | 'nat'): Slices<number> {
  let count = 0;
  let last: string | undefined;
  let isOurs = false;
  for (const [, chain = ''] of saved.matchAll(/^-A (\S+)/gm)) {
    // The rules of a chain are contiguous.
    if (chain !== last) {
      yield;
      last = chain;
      isOurs = isOurChain(table, chain);
    }
    count += isOurs ? 1 : 0;
  }
  return count;
}
