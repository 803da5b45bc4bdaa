import { type Clock, messageOf, pause } from '@kube-proxier/core';
import {
  type Iptables,
  type Ipvs,
  type Links,
  RuleSentinels,
  type SavedTable,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import { JUMPS, RULE_TABLES, type RuleTable } from '../plan/fixed-chains.js';
import { INTERFACE } from '../plan/layout.js';

/** Milliseconds between two checks of IPVS and the interface: three netlink messages. */
const INTERVAL = 700;
/** Number of checks for each check of the rules, which may start programs. */
const RULES_EVERY = 2;

/** One jump of each table. */
const SENTINELS = RULE_TABLES.flatMap((table) =>
  JUMPS[table].slice(0, 1).map(({ from, rule }) => ({ table, from, text: rule.text })),
);

/** Whether the watched jumps exist in tables that were read. */
export function jumpsStand(tables: Readonly<Record<RuleTable, SavedTable>>): boolean {
  return SENTINELS.every(({ table, from, text }) => tables[table].get(from)?.rules.includes(text) ?? false);
}

export interface KernelWatchOptions {
  readonly ipvs: Ipvs;
  readonly links: Links;
  readonly iptables: () => Promise<Iptables>;
  /** A virtual server that should be there; undefined when there is none. */
  readonly sentinel: () => VirtualServerAddress | undefined;
  /** Index of the interface that the addresses were given to; undefined when there is none. */
  readonly link: () => number | undefined;
  /** Install count of the jumps, including detected ones: they may be removed again before the next check. */
  readonly placed: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onDrift: (what: string) => void;
  /** Called when other programs changed the tables of iptables. Default: nothing. */
  readonly onForeignChange?: (() => void) | undefined;
  /** Called for a failed check, once until a check succeeds again. */
  readonly onFailure: (reason: string) => void;
}

/**
 * Checks periodically whether foreign programs removed objects of this backend. `ipvsadm -C`, a removal of the
 * interface and a flush of a table each remove all of it, so one object of each kind is checked, independent of how
 * many are installed. An object counts as removed only after it was found.
 *
 * @returns when the signal aborts.
 */
export async function watchKernel(options: KernelWatchOptions): Promise<void> {
  const { clock, signal, iptables, placed, onDrift, onForeignChange, onFailure } = options;
  const seen = new Set<string>();
  const sentinels = new RuleSentinels(SENTINELS, iptables);
  let failing = false;
  for (let look = 0; !signal.aborted; look++) {
    await pause(clock, INTERVAL, signal);
    try {
      await lookOnce(options, seen);
      // Before the first sync, nothing can be missing.
      if (look % RULES_EVERY === 0 && placed() > 0) {
        await sentinels.check(signal, onDrift, placed);
        if (onForeignChange && (await sentinels.hasForeignChanges()) && !signal.aborted) {
          onForeignChange();
        }
      }
      failing = false;
    } catch (error) {
      if (!failing) {
        failing = true;
        onFailure(messageOf(error));
      }
    }
  }
}

async function lookOnce(
  { ipvs, links, sentinel, link, signal, onDrift }: KernelWatchOptions,
  seen: Set<string>,
): Promise<void> {
  const note = (key: string, isThere: boolean, what: string) => {
    if (isThere) {
      seen.add(key);
    } else if (seen.delete(key) && !signal.aborted) {
      onDrift(what);
    }
  };
  const expected = sentinel();
  if (expected !== undefined && !signal.aborted) {
    const isThere = await ipvs.has(expected);
    // This process may have removed it in the meantime.
    if (isThere || sentinel() === expected) {
      note('ipvs', isThere, `the virtual server ${virtualServerKey(expected)} is gone, as after ipvsadm -C`);
    }
  }
  if (!signal.aborted) {
    const expected = link();
    const found = await links.find(INTERFACE);
    // The proxier of the other family may have created a new one.
    if (expected !== undefined && expected === link()) {
      note('interface', found?.index === expected, `the interface ${INTERFACE} is gone`);
    }
  }
}
