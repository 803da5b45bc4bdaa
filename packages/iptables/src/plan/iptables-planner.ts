import { type ChangeSet, finish, type ProxyState, type Slices, StateMemo } from '@kube-proxier/core';
import { effectOf, type IptablesChainRule, type SavedTable, withoutComment } from '@kube-proxier/linux';
import { DispatchIndex, rulesOf, rulesOfAllInSlices, type StateRules, sameNode } from './dispatch-index.js';
import { TREE_NAMES, TREES } from './dispatch-tree.js';
import { fixedChains, JUMPS } from './fixed-chains.js';
import type { InstalledIptables } from './installed-iptables.js';
import {
  type Chain,
  EMPTY_TABLE,
  type IptablesTransaction,
  isEmptyTable,
  type JumpInsertion,
  type LocalnetGuard,
  type TableTransaction,
} from './iptables-transaction.js';
import { keptClientsOfState } from './kept-clients.js';
import { isOurChain } from './layout.js';
import { missingGuard } from './localnet-guard.js';
import type { ServiceRules } from './service-rules.js';

/** Number of endpoints from which rules have no comments, to save memory and time (spec I-61). */
export const MAX_ENDPOINTS_WITH_COMMENTS = 1000;

type TableName = 'filter' | 'nat';
const TABLES: readonly TableName[] = ['filter', 'nat'];

/** A table under construction. */
interface Draft {
  readonly writes: Map<string, Chain>;
  readonly created: Set<string>;
  readonly deletes: Map<string, string | undefined>;
  readonly removals: IptablesChainRule[];
  readonly insertions: JumpInsertion[];
  growth: number;
  guard?: LocalnetGuard;
}

type Drafts = Readonly<Record<TableName, Draft>>;

/** The current rules without comments; undefined when the chain does not exist. */
interface Present {
  rules(table: TableName, chain: string): readonly string[] | undefined;
  /** Own chains. */
  names(table: TableName): Iterable<string>;
}

/** Tables without chains, on a host with the minimum capabilities. */
const NOTHING: InstalledIptables = {
  filter: new Map(),
  nat: new Map(),
  routeLocalnet: false,
  facts: { randomFully: true, dropInvalid: true, counters: new Set() },
};

/** Data derived from a state. */
interface PlannedState {
  readonly index: DispatchIndex;
  /** The rules of all service ports, until the first plan has used them, as they take most of the memory. */
  readonly rules?: StateRules;
}

/** Plans transactions. Pure. */
export class IptablesPlanner {
  readonly #planned = new StateMemo<PlannedState>((state) => finish(derive(state)));

  /** @param masqueradeBit bit of the packet mark that means "masquerade", 0…31. */
  constructor(private readonly masqueradeBit: number) {}

  /** See `Dataplane.plan`. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIptables): IptablesTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  /** See `Dataplane.planInSlices`. */
  *planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledIptables,
  ): Slices<IptablesTransaction | undefined> {
    const drafts: Drafts = { filter: draft(), nat: draft() };
    if (installed === undefined && changes.previous !== undefined) {
      if (sameNode(changes.previous, next)) {
        yield* this.#planChanges(next, changes.previous, changes, drafts);
      } else {
        const wanted = yield* this.#stateChains(next);
        yield* diff(wanted, present(yield* this.#stateChains(changes.previous)), drafts);
      }
      const localnet = wantsLocalnet(next) && !wantsLocalnet(changes.previous);
      return this.#transaction(next, drafts, localnet);
    }
    const found = installed ?? NOTHING;
    const wanted = yield* this.#stateChains(next);
    const fixed = fixedChains(next.family, this.masqueradeBit, found.facts);
    for (const table of TABLES) {
      for (const [name, chain] of fixed[table]) {
        wanted[table].set(name, chain);
      }
    }
    yield* diff(wanted, saved(found), drafts);
    for (const table of TABLES) {
      planJumps(table, found[table], drafts[table]);
    }
    const guard = missingGuard(found.filter);
    const localnet = wantsLocalnet(next) && !hasLocalnet(found, guard);
    if (localnet && guard !== undefined) {
      drafts.filter.guard = guard;
    }
    const transaction = this.#transaction(next, drafts, localnet);
    const keptClients = yield* keptClientsOfState(next, found.formerAffinity);
    return transaction === undefined || keptClients.length === 0 ? transaction : { ...transaction, keptClients };
  }

  #transaction(next: ProxyState, { filter, nat }: Drafts, localnet: boolean): IptablesTransaction | undefined {
    if (isEmptyTable(filter) && isEmptyTable(nat) && !localnet) {
      return undefined;
    }
    const comments = this.#planned.of(next).index.endpoints <= MAX_ENDPOINTS_WITH_COMMENTS;
    return { family: next.family, comments, filter: finished(filter), nat: finished(nat), localnet };
  }

  /** Every chain of the state. */
  *#stateChains(state: ProxyState): Slices<Record<TableName, Map<string, Chain>>> {
    const { index, rules = yield* rulesOfAllInSlices(state, MAX_ENDPOINTS_WITH_COMMENTS) } =
      this.#planned.known(state) ?? (yield* derive(state));
    this.#planned.set(state, { index });
    const { filter, nat } = rules;
    const chains = { filter, nat };
    for (const [table, name, chain] of index.chains()) {
      yield;
      chains[table].set(name, chain);
    }
    return chains;
  }

  *#planChanges(next: ProxyState, previous: ProxyState, changes: ChangeSet, drafts: Drafts): Slices<void> {
    const rules = new Map<string, { previous?: ServiceRules; current?: ServiceRules }>();
    for (const [key, change] of changes.servicePorts) {
      yield;
      rules.set(key, {
        ...(change.previous === undefined ? {} : { previous: rulesOf(change.previous, previous) }),
        ...(change.current === undefined ? {} : { current: rulesOf(change.current, next) }),
      });
    }
    const { index: before } = this.#planned.of(previous);
    const { index: after, touched } = yield* before.nextInSlices(next, changes, rules);
    this.#planned.advance(previous, next, () => ({ index: after }));
    for (const [key, { previous: old, current }] of rules) {
      yield;
      for (const table of TABLES) {
        for (const [name, chain] of current?.[table] ?? []) {
          put(drafts[table], name, old?.[table].get(name), chain);
        }
        for (const name of old?.[table].keys() ?? []) {
          if (current?.[table].has(name) !== true) {
            remove(drafts[table], name, old?.[table].get(name)?.rules.length ?? 0, key);
          }
        }
      }
    }
    for (const tree of TREE_NAMES) {
      const target = drafts[TREES[tree].table];
      for (const name of touched.get(tree) ?? []) {
        yield;
        put(target, name, before.trees[tree].chain(name), after.trees[tree].chain(name));
      }
      // A root may also change because of its last rule, which jumps to another tree.
      if (touched.size > 0) {
        put(target, TREES[tree].root, before.root(tree), after.root(tree));
      }
    }
  }
}

/** Derives the data of a state from scratch. */
function* derive(state: ProxyState): Slices<PlannedState & Required<Pick<PlannedState, 'rules'>>> {
  const rules = yield* rulesOfAllInSlices(state, MAX_ENDPOINTS_WITH_COMMENTS);
  return { index: yield* DispatchIndex.ofInSlices(state, rules), rules };
}

function draft(): Draft {
  return { writes: new Map(), created: new Set(), deletes: new Map(), removals: [], insertions: [], growth: 0 };
}

function finished(table: Draft): TableTransaction {
  return isEmptyTable(table) ? EMPTY_TABLE : table;
}

/** Writes or deletes one chain if it changed. */
function put(target: Draft, name: string, before: Chain | undefined, after: Chain | undefined): void {
  if (after === undefined) {
    if (before !== undefined) {
      remove(target, name, before.rules.length);
    }
  } else if (before === undefined || !sameRules(before.rules, after.rules)) {
    write(target, name, after, before?.rules.length);
  }
}

/** @param rulesBefore undefined for a chain that does not exist. */
function write(target: Draft, name: string, chain: Chain, rulesBefore: number | undefined): void {
  if (rulesBefore === undefined) {
    target.created.add(name);
  }
  target.growth += chain.rules.length - (rulesBefore ?? 0);
  target.writes.set(name, chain);
}

function remove(target: Draft, name: string, rulesBefore: number, owner?: string): void {
  target.growth -= rulesBefore;
  target.deletes.set(name, owner);
}

function sameRules(a: Chain['rules'], b: Chain['rules']): boolean {
  return a.length === b.length && a.every((rule, index) => rule.bareText === b[index]?.bareText);
}

/** Whether a chain has the desired rules, ignoring comments and spelling. */
function holds(found: readonly string[], wanted: Chain['rules']): boolean {
  return (
    found.length === wanted.length &&
    wanted.every((rule, index) => {
      const text = found[index] ?? '';
      return text === rule.bareText || effectOf(text) === rule.bareText;
    })
  );
}

function* diff(
  wanted: Readonly<Record<TableName, ReadonlyMap<string, Chain>>>,
  now: Present,
  drafts: Drafts,
): Slices<void> {
  for (const table of TABLES) {
    for (const [name, chain] of wanted[table]) {
      yield;
      const found = now.rules(table, name);
      if (found === undefined || !holds(found, chain.rules)) {
        write(drafts[table], name, chain, found?.length);
      }
    }
    for (const name of now.names(table)) {
      yield;
      if (!wanted[table].has(name)) {
        remove(drafts[table], name, now.rules(table, name)?.length ?? 0);
      }
    }
  }
}

function present(chains: Readonly<Record<TableName, ReadonlyMap<string, Chain>>>): Present {
  return {
    rules: (table, name) => chains[table].get(name)?.rules.map((rule) => rule.bareText),
    names: (table) => chains[table].keys(),
  };
}

function saved(installed: InstalledIptables): Present {
  return {
    rules: (table, name) => installed[table].get(name)?.rules.map(withoutComment),
    names: (table) => [...installed[table].keys()].filter((name) => isOurChain(table, name)),
  };
}

/** Our jumps exist once each, in their order. Foreign rules between them do not matter. */
function planJumps(table: TableName, installed: SavedTable, target: Draft): void {
  const hooks = new Set(JUMPS.filter((jump) => jump.table === table).map((jump) => jump.from));
  for (const hook of hooks) {
    const wanted = JUMPS.filter((jump) => jump.table === table && jump.from === hook).map((jump) => jump.rule);
    const bare = wanted.map((rule) => rule.bareText);
    const standing = installed.get(hook)?.rules ?? [];
    const isOurs = (text: string) => bare.includes(effectOf(text));
    const found = standing.filter(isOurs);
    if (holds(found.map(withoutComment), wanted)) {
      continue;
    }
    target.removals.push(...found.map((rule) => ({ chain: hook, rule })));
    // At the position of the first of them, or at the top.
    const first = Math.max(0, standing.findIndex(isOurs)) + 1;
    target.insertions.push(...wanted.map((rule, index) => ({ chain: hook, position: first + index, rule })));
  }
}

function wantsLocalnet(state: ProxyState): boolean {
  return state.family === 'IPv4' && state.node.nodePortAddresses.loopback;
}

/** Whether packets to 127.0.0.0/8 are routed and guarded, as far as this host supports it. */
function hasLocalnet(
  { routeLocalnet, localnetRefused }: InstalledIptables,
  missing: LocalnetGuard | undefined,
): boolean {
  return routeLocalnet ? missing === undefined : localnetRefused === true;
}
