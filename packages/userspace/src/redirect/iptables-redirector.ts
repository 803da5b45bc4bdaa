import type { IPFamily } from '@kube-proxier/core';
import {
  type Iptables,
  parseSavedTable,
  type RuleWatchOptions,
  type SavedTable,
  targetOf,
  watchRules,
} from '@kube-proxier/linux';
import { UserspaceError } from '../userspace-error.js';
import {
  CHAINS,
  clusterIPRules,
  JUMPS,
  listenerRules,
  nodeRules,
  ownConnectionRules,
  type PortalRule,
  WRITTEN,
} from './portal-rules.js';
import type { RedirectChanges, Redirector, RedirectState } from './redirector.js';

const TABLES = ['nat', 'filter'] as const;
const OURS: readonly string[] = Object.values(CHAINS);
/** Keys of what rules belong to, besides the ids of listeners, which begin with a namespace. */
const NODE = '\0node';
const OWN = '\0own';
const clusterIPKey = (address: string) => `\0${address}`;

/**
 * Redirects by rules in the chains that kube-proxy's userspace mode had (spec U-40…U-43). They lead to ports of this process:
 * rules of a process that is gone are of no use, and are replaced when the next one begins (spec U-5).
 */
export class IptablesRedirector implements Redirector {
  /** Rules by what they belong to, as they were written last. */
  #written = new Map<string, readonly PortalRule[]>();
  #known = false;
  /** How often the jumps were put in place, or found there. */
  #jumpsPlaced = 0;

  /**
   * @param iptables finds the tools to use; asked each time, so it should remember.
   * @param ownMark of packets that are never redirected when this host sends them. Default: there is none.
   */
  constructor(
    private readonly family: IPFamily,
    private readonly iptables: () => Promise<Iptables>,
    private readonly ownMark?: number,
  ) {}

  async apply(state: RedirectState, changes: RedirectChanges): Promise<void> {
    const iptables = await this.iptables();
    const whole = changes === 'all';
    if (!whole && !this.#known) {
      throw new UserspaceError('USERSPACE_LEFTOVERS', 'what is redirected is not known; apply everything anew');
    }
    const wanted = whole ? this.#all(state) : this.#touched(state, changes);
    const document = whole
      ? wholeDocument(wanted, parseSaved(await iptables.save('nat'), await iptables.save('filter')))
      : stepDocument(this.#written, wanted);
    // Until `restore` has returned, the current state is unknown.
    this.#known = false;
    if (document !== '') {
      await iptables.restore(document);
    }
    if (whole) {
      this.#jumpsPlaced++;
      this.#written = new Map(wanted);
    }
    for (const [key, rules] of wanted) {
      if (rules.length > 0) {
        this.#written.set(key, rules);
      } else {
        this.#written.delete(key);
      }
    }
    this.#known = true;
  }

  async inForce(): Promise<boolean> {
    if (!this.#known) {
      return false;
    }
    const iptables = await this.iptables();
    const saved = parseSaved(await iptables.save('nat'), await iptables.save('filter'));
    const expected = new Map<string, string[]>();
    for (const { table, chain, rule } of [...this.#written.values()].flat()) {
      const name = `${table} ${chain}`;
      expected.set(name, [...(expected.get(name) ?? []), rule.text]);
    }
    const chainsHold = TABLES.every((table) =>
      WRITTEN[table].every((chain) => {
        const found = saved[table].get(chain)?.rules;
        return found !== undefined && sameRules(found, expected.get(`${table} ${chain}`) ?? []);
      }),
    );
    // What stands before it would redirect this backend's own connections.
    const [own] = this.#written.get(OWN) ?? [];
    const ownStandsFirst = !own || saved[own.table].get(own.chain)?.rules[0] === own.rule.text;
    const jumpsStand = JUMPS.every(({ table, chain, rule }) => saved[table].get(chain)?.rules.includes(rule.text));
    if (jumpsStand) {
      this.#jumpsPlaced++;
    }
    return chainsHold && ownStandsFirst && jumpsStand;
  }

  watch(options: Omit<RuleWatchOptions, 'rules' | 'iptables' | 'placed'>): Promise<void> {
    const rules = TABLES.flatMap((table) => {
      const jump = JUMPS.find((candidate) => candidate.table === table);
      return jump ? [{ table, from: jump.chain, text: jump.rule.text }] : [];
    });
    return watchRules({ ...options, rules, iptables: this.iptables, placed: () => this.#jumpsPlaced });
  }

  close(): void {
    // What was never found need not be closed.
    void this.iptables().then(
      (iptables) => iptables.close(),
      () => {},
    );
  }

  async cleanup(): Promise<void> {
    this.#known = false;
    this.#written = new Map();
    await removePortalChains(await this.iptables());
  }

  #all(state: RedirectState): Map<string, readonly PortalRule[]> {
    const own = this.ownMark === undefined ? [] : ownConnectionRules(this.ownMark);
    return new Map([[OWN, own], ...this.#rules(state, state.listeners.keys(), state.clusterIPs, true)]);
  }

  #touched(state: RedirectState, changes: Exclude<RedirectChanges, 'all'>): Map<string, readonly PortalRule[]> {
    // What the node is like shows in the rules of every listener.
    const listeners = changes.node
      ? new Set([...state.listeners.keys(), ...changes.listeners])
      : (changes.listeners as Iterable<string>);
    return this.#rules(state, listeners, changes.clusterIPs, changes.node);
  }

  #rules(
    { node, listeners, clusterIPs }: RedirectState,
    ids: Iterable<string>,
    addresses: Iterable<string>,
    withNode: boolean,
  ): Map<string, readonly PortalRule[]> {
    const rules = new Map<string, readonly PortalRule[]>();
    for (const id of ids) {
      const listener = listeners.get(id);
      rules.set(id, listener ? listenerRules(this.family, node, listener) : []);
    }
    for (const address of addresses) {
      rules.set(clusterIPKey(address), clusterIPs.has(address) ? clusterIPRules(this.family, address) : []);
    }
    if (withNode) {
      rules.set(NODE, nodeRules(node));
    }
    return rules;
  }
}

type Saved = Readonly<Record<(typeof TABLES)[number], SavedTable>>;

function parseSaved(nat: string, filter: string): Saved {
  return { nat: parseSavedTable(nat, 'nat'), filter: parseSavedTable(filter, 'filter') };
}

function sameRules(left: readonly string[], right: readonly string[]): boolean {
  const sorted = [...right].sort();
  return left.length === right.length && [...left].sort().every((text, index) => text === sorted[index]);
}

/** Empties our chains and fills them anew; each table at once. */
function wholeDocument(wanted: ReadonlyMap<string, readonly PortalRule[]>, saved: Saved): string {
  // The node's own rules stand last.
  const groups = [...wanted].sort(([left], [right]) => Number(left === NODE) - Number(right === NODE));
  const rules = groups.flatMap(([, list]) => list);
  return TABLES.map((table) => {
    const jumps = JUMPS.filter(
      (jump) => jump.table === table && !saved[table].get(jump.chain)?.rules.includes(jump.rule.text),
    ).map(({ chain, rule, at }) => (at === 'top' ? `-I ${chain} 1 ${rule.text}` : `-A ${chain} ${rule.text}`));
    return [
      `*${table}`,
      ...WRITTEN[table].map((chain) => `:${chain} - [0:0]`),
      ...rules.filter((rule) => rule.table === table).map(({ chain, rule }) => `-A ${chain} ${rule.text}`),
      ...jumps,
      'COMMIT',
      '',
    ].join('\n');
  }).join('');
}

/** Deletes and adds what differs. Nothing is ever looked at that does not. */
function stepDocument(
  written: ReadonlyMap<string, readonly PortalRule[]>,
  wanted: ReadonlyMap<string, readonly PortalRule[]>,
): string {
  const lines: Record<(typeof TABLES)[number], string[]> = { nat: [], filter: [] };
  const changed = [...wanted].filter(([key, rules]) => textOf(written.get(key) ?? []) !== textOf(rules));
  for (const [key] of changed) {
    for (const { table, chain, rule } of written.get(key) ?? []) {
      lines[table].push(`-D ${chain} ${rule.text}`);
    }
  }
  for (const [key, rules] of changed) {
    // Before the node's own rules, which stand last; turned round, as each goes to the top.
    const onTop = key.startsWith('\0') && key !== NODE;
    for (const { table, chain, rule } of onTop ? [...rules].reverse() : rules) {
      lines[table].push(onTop ? `-I ${chain} 1 ${rule.text}` : `-A ${chain} ${rule.text}`);
    }
  }
  return TABLES.map((table) =>
    lines[table].length > 0 ? [`*${table}`, ...lines[table], 'COMMIT', ''].join('\n') : '',
  ).join('');
}

function textOf(rules: readonly PortalRule[]): string {
  return rules.map(({ table, chain, rule }) => `${table} ${chain} ${rule.text}`).join('\n');
}

/** What is removed of one table. */
export interface PortalRemoval {
  readonly table: (typeof TABLES)[number];
  /** Names of chains. */
  readonly chains: readonly string[];
  /** Rules in foreign chains that jump to these, each after the name of its chain. */
  readonly rules: readonly string[];
}

/** What {@link removePortalChains} would remove. Changes nothing. */
export async function findPortalChains(iptables: Iptables): Promise<readonly PortalRemoval[]> {
  const all = await iptables.save();
  const saved = parseSaved(all, all);
  return TABLES.flatMap((table) => {
    const chains = [...saved[table].keys()].filter((name) => OURS.includes(name));
    const rules = [...saved[table]]
      .filter(([name]) => !chains.includes(name))
      .flatMap(([name, { rules }]) =>
        rules.filter((rule) => OURS.includes(targetOf(rule) ?? '')).map((rule) => `${name} ${rule}`),
      );
    return chains.length === 0 ? [] : [{ table, chains, rules }];
  });
}

/**
 * Removes the chains of the userspace mode and every jump into one, whoever wrote them (spec U-54). Tables that are not
 * in use are not brought into use.
 *
 * @returns what was removed.
 * @throws UserspaceError `USERSPACE_LEFTOVERS` when something else keeps a chain.
 */
export async function removePortalChains(iptables: Iptables): Promise<readonly PortalRemoval[]> {
  const removals = await findPortalChains(iptables);
  if (removals.length === 0) {
    return [];
  }
  const document = removals
    .flatMap(({ table, chains, rules }) => [
      `*${table}`,
      ...chains.map((name) => `:${name} - [0:0]`),
      ...rules.map((rule) => `-D ${rule}`),
      ...chains.map((name) => `-X ${name}`),
      'COMMIT',
      '',
    ])
    .join('\n');
  try {
    await iptables.restore(document);
  } catch (error) {
    const message = `could not remove the ${iptables.family} chains of mode userspace; see the cause, and run the clean-up again`;
    throw new UserspaceError('USERSPACE_LEFTOVERS', message, { cause: error });
  }
  return removals;
}
