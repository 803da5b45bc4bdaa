import type { IPFamily } from '@kube-proxier/core';
import {
  EMPTY_TABLE_DOCUMENT,
  type Iptables,
  type IptablesChainRule,
  type IptablesDocument,
  type IptablesInsertion,
  type IptablesTableDocument,
  parseSavedTable,
  type RuleWatchOptions,
  removeChains,
  renderDocument,
  type SavedTable,
  userChain,
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
  type PortalTable,
  WRITTEN,
} from './portal-rules.js';
import type { RedirectChanges, Redirector, RedirectState } from './redirector.js';

const TABLES: readonly PortalTable[] = ['nat', 'filter'];
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
    const document = renderDocument(
      whole
        ? wholeDocument(wanted, parseSaved(await iptables.save('nat'), await iptables.save('filter')))
        : stepDocument(this.#written, wanted),
    );
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

type Saved = Readonly<Record<PortalTable, SavedTable>>;

function parseSaved(nat: string, filter: string): Saved {
  return { nat: parseSavedTable(nat, 'nat'), filter: parseSavedTable(filter, 'filter') };
}

function sameRules(left: readonly string[], right: readonly string[]): boolean {
  const sorted = [...right].sort();
  return left.length === right.length && [...left].sort().every((text, index) => text === sorted[index]);
}

/** Writes the whole content of our chains, and the jumps that are missing. */
function wholeDocument(wanted: ReadonlyMap<string, readonly PortalRule[]>, saved: Saved): IptablesDocument {
  // The node's own rules stand last.
  const groups = [...wanted].sort(([left], [right]) => Number(left === NODE) - Number(right === NODE));
  const rules = groups.flatMap(([, list]) => list);
  return documentOf((table) => {
    const written = WRITTEN[table].map((chain) => {
      const own = rules.filter((rule) => rule.table === table && rule.chain === chain);
      return [chain, userChain(own.map(({ rule }) => rule.text))] as const;
    });
    const jumps = JUMPS.filter(
      (jump) => jump.table === table && !saved[table].get(jump.chain)?.rules.includes(jump.rule.text),
    );
    return {
      ...EMPTY_TABLE_DOCUMENT,
      written: new Map(written),
      appendedRules: jumps.filter(({ at }) => at === 'bottom').map(chainRule),
      insertedRules: jumps.filter(({ at }) => at === 'top').map(onTop),
    };
  });
}

/** Deletes and adds what differs. */
function stepDocument(
  written: ReadonlyMap<string, readonly PortalRule[]>,
  wanted: ReadonlyMap<string, readonly PortalRule[]>,
): IptablesDocument {
  const changed = [...wanted].filter(([key, rules]) => textOf(written.get(key) ?? []) !== textOf(rules));
  const deleted = changed.flatMap(([key]) => written.get(key) ?? []);
  // Before the node's own rules, which stand last; in reverse, as each is inserted at the top.
  const goesOnTop = (key: string) => key.startsWith('\0') && key !== NODE;
  const inserted = changed.flatMap(([key, rules]) => (goesOnTop(key) ? [...rules].reverse() : []));
  const appended = changed.flatMap(([key, rules]) => (goesOnTop(key) ? [] : rules));
  return documentOf((table) => {
    const ofTable = (rules: readonly PortalRule[]) => rules.filter((rule) => rule.table === table);
    return {
      ...EMPTY_TABLE_DOCUMENT,
      deletedRules: ofTable(deleted).map(chainRule),
      appendedRules: ofTable(appended).map(chainRule),
      insertedRules: ofTable(inserted).map(onTop),
    };
  });
}

function documentOf(contentOf: (table: PortalTable) => IptablesTableDocument): IptablesDocument {
  return new Map(TABLES.map((table) => [table, contentOf(table)]));
}

function chainRule({ chain, rule }: PortalRule): IptablesChainRule {
  return { chain, rule: rule.text };
}

function onTop(rule: PortalRule): IptablesInsertion {
  return { ...chainRule(rule), position: 1 };
}

function textOf(rules: readonly PortalRule[]): string {
  return rules.map(({ table, chain, rule }) => `${table} ${chain} ${rule.text}`).join('\n');
}

/** What {@link removePortalChains} would remove. Changes nothing. */
export async function findPortalChains(iptables: Iptables): Promise<IptablesDocument> {
  const all = await iptables.save();
  const saved = parseSaved(all, all);
  return documentOf((table) => removeChains(saved[table], (chain) => OURS.includes(chain)));
}

/**
 * Removes the chains of the userspace mode and every jump into one, whoever wrote them (spec U-54). Tables that are not
 * in use are not brought into use.
 *
 * @returns what was removed.
 * @throws UserspaceError `USERSPACE_LEFTOVERS` when something else keeps a chain.
 */
export async function removePortalChains(iptables: Iptables): Promise<IptablesDocument> {
  const document = await findPortalChains(iptables);
  const text = renderDocument(document);
  if (text === '') {
    return document;
  }
  try {
    await iptables.restore(text);
  } catch (error) {
    const message = `could not remove the ${iptables.family} chains of mode userspace; see the cause, and run the clean-up again`;
    throw new UserspaceError('USERSPACE_LEFTOVERS', message, { cause: error });
  }
  return document;
}
