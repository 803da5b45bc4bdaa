import {
  type ChangeSet,
  finish,
  type IPFamily,
  type ProxyState,
  type ResolvedServicePort,
  type Slices,
  StateMemo,
} from '@kube-proxier/core';
import type { IpSet, IpSetCommand, IptablesDocument, VirtualServerAddress } from '@kube-proxier/linux';
import { type FixedChains, fixedChains, type RangeChains } from './fixed-chains.js';
import type { HostFacts, InstalledIpvs } from './installed-ipvs.js';
import { frontendItemKey, type IpvsStep, type IpvsTransaction, stepsOf } from './ipvs-transaction.js';
import { differences, type ItemChange, ItemTable } from './item-table.js';
import { kubeProxySets, type MarkLayout, SET_ROLES, type SetRole, setDefinition, setName } from './layout.js';
import { emptyOwnChains, reconcileRules, rewriteRules } from './rule-documents.js';
import { schedulerProblems } from './scheduler-choice.js';
import { addressItemKey, entryItemKey, type Item, realItemKey, virtualItemKey } from './service-items.js';

export interface PlannerOptions {
  readonly family: IPFamily;
  readonly masqueradeBit: number;
  readonly marks: MarkLayout;
  /** Scheduler of Services without an annotation. */
  readonly scheduler: string;
}

interface Plan {
  readonly steps: readonly IpvsStep[];
  /** Of the next state. */
  readonly table: ItemTable;
  /** Service ports whose annotations were read. */
  readonly ports: Iterable<ResolvedServicePort>;
}

/** Minimum host capabilities; those of this host come with the installed state. */
const DEFAULT_FACTS: HostFacts = { randomFully: true, schedulers: undefined };

/** Plans transactions. Pure. */
export class IpvsPlanner {
  readonly #tables = new StateMemo<ItemTable>((state) => finish(this.#tableOf(state, DEFAULT_FACTS)));

  constructor(private readonly options: PlannerOptions) {}

  /** See `Dataplane.plan`. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): IpvsTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  /** See `Dataplane.planInSlices`. A change of the state is planned in one go. */
  *planInSlices(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): Slices<IpvsTransaction | undefined> {
    const { family, scheduler } = this.options;
    const { previous } = changes;
    const { steps, table, ports } =
      installed === undefined && previous !== undefined
        ? this.#planChanges(next, previous, changes)
        : yield* this.#planAll(next, installed);
    const problems = (yield* schedulerProblems(ports, scheduler, table.facts.schedulers)).filter(
      (problem) => !installed?.reportedProblems.has(problem),
    );
    // After the last pause: until then, callers use the previous state.
    this.#tables.set(next, table);
    return steps.length === 0 && problems.length === 0 ? undefined : { family, steps, problems };
  }

  /** Virtual servers of a service port of a state. */
  virtualServersOf(state: ProxyState, port: ResolvedServicePort): readonly VirtualServerAddress[] {
    return this.#tables.of(state).virtualServersOf(port);
  }

  #tableOf(state: ProxyState, facts: HostFacts): Slices<ItemTable> {
    const { marks, scheduler } = this.options;
    return ItemTable.of(state, { marks, scheduler }, facts);
  }

  *#planAll(next: ProxyState, installed: InstalledIpvs | undefined): Slices<Plan> {
    const { family, marks } = this.options;
    const { facts = DEFAULT_FACTS } = installed ?? {};
    const table = yield* this.#tableOf(next, facts);
    const seen = new Map<string, Item | undefined>(yield* installedItems(installed, family, marks));
    for (const { key } of table.items()) {
      yield;
      if (!seen.has(key)) {
        seen.set(key, undefined);
      }
    }
    const all = leavingAtOnce(yield* differences(seen, (key) => table.get(key)), next, table);
    yield;
    const isRetiring = retiringIn(installed, all, table);
    const changes = all.filter(
      ({ before, after }) => after !== undefined || before === undefined || !isRetiring(before),
    );
    const sets = this.#setCommands(installed);
    // A set of the wrong type cannot be destroyed while rules of this backend reference it.
    const emptied = sets.wrong && installed !== undefined ? rulesStep(emptyOwnChains(installed.tables)) : [];
    const rules = rulesStep(
      reconcileRules(this.#fixedChains(next, facts, table.ranges), emptied.length > 0 ? undefined : installed?.tables),
    );
    const setup: IpvsStep[] = [
      ...(installed?.settled === true ? [] : [{ to: 'settings' } as const]),
      ...emptied,
      ...(sets.create.length === 0 ? [] : [{ to: 'sets', commands: sets.create } as const]),
      ...(installed?.hasInterface === true ? [] : [{ to: 'interface' } as const]),
    ];
    yield;
    const steps = stepsOf(changes, family, table.addresses.others);
    yield;
    // Rules are written when the sets that they match are complete, and before IPVS accepts packets.
    const filled = steps[0]?.to === 'sets' ? 1 : 0;
    return {
      steps: [
        ...setup,
        ...steps.slice(0, filled),
        ...rules,
        ...steps.slice(filled),
        ...(sets.destroy.length === 0 ? [] : [{ to: 'sets', commands: sets.destroy } as const]),
      ],
      table,
      ports: next.servicePorts.values(),
    };
  }

  #planChanges(next: ProxyState, previous: ProxyState, changes: ChangeSet): Plan {
    const { family } = this.options;
    let differing: readonly ItemChange[] = [];
    let rangesBefore: RangeChains | undefined;
    const table = this.#tables.advance(previous, next, (items) => {
      rangesBefore = items.ranges;
      differing = items.advance(next, changes);
      return items;
    });
    const { facts } = table;
    const steps = stepsOf(leavingAtOnce(differing, next, table), family, table.addresses.others);
    const isRuleChanged = ({ before, after }: ItemChange) => (after ?? before)?.kind.startsWith('range') ?? false;
    const rules =
      changes.nodeChanged || differing.some(isRuleChanged)
        ? rulesStep(
            rewriteRules(
              this.#fixedChains(previous, facts, rangesBefore),
              this.#fixedChains(next, facts, table.ranges),
            ),
          )
        : [];
    // Marks select existing virtual servers, and none that is about to be removed.
    const removals = steps.findIndex(({ to }) => to === 'addresses' || to === 'draining' || to === 'retirement');
    const at = removals < 0 ? steps.length : removals;
    return {
      steps: [...steps.slice(0, at), ...rules, ...steps.slice(at)],
      table,
      ports: [...changes.servicePorts.values()].flatMap(({ current }) => current ?? []),
    };
  }

  #fixedChains({ node }: ProxyState, { randomFully }: HostFacts, ranges?: RangeChains): FixedChains {
    const { family, marks, masqueradeBit } = this.options;
    return fixedChains({ family, node, masqueradeBit, marks, randomFully, ...(ranges ? { ranges } : {}) });
  }

  /** Missing sets are created, and the sets of kube-proxy are destroyed. */
  #setCommands(installed: InstalledIpvs | undefined) {
    const { family } = this.options;
    const definitions = SET_ROLES.map((role) => ({ role, wanted: setDefinition(role, family) }));
    const wrong = definitions.filter(({ role, wanted }) => {
      const found = installed?.sets.get(wanted.name);
      return found !== undefined && !isAsWanted(found, role, family);
    });
    const create = definitions.flatMap(({ role, wanted }): IpSetCommand[] => {
      const found = installed?.sets.get(wanted.name);
      if (found !== undefined && isAsWanted(found, role, family)) {
        return [];
      }
      const destroy: IpSetCommand[] = found === undefined ? [] : [{ do: 'destroy-set', name: wanted.name }];
      return [...destroy, { do: 'create-set', set: wanted }];
    });
    const destroy = kubeProxySets(family)
      .filter((name) => installed?.sets.has(name))
      .map((name): IpSetCommand => ({ do: 'destroy-set', name }));
    return { create, destroy, wrong: wrong.length > 0 };
  }
}

/**
 * Virtual servers on an address removed from this host are deleted at once, with their connections: packets from other
 * hosts no longer arrive, and packets of this host would be refused, while the address may belong to another host by
 * now.
 */
function leavingAtOnce(changes: readonly ItemChange[], next: ProxyState, table: ItemTable): readonly ItemChange[] {
  if (next.node.localAddresses === undefined) {
    return changes;
  }
  const virtual = new Set(changes.flatMap(({ before }) => (before?.kind === 'address' ? [before.address] : [])));
  const isLost = (at: VirtualServerAddress) =>
    at.kind === 'address' &&
    !table.addresses.others.has(at.address) &&
    !virtual.has(at.address) &&
    table.get(addressItemKey(at.address)) === undefined;
  return changes.map((change) => {
    const { before, after } = change;
    return before?.kind === 'real' && after === undefined && isLost(before.at)
      ? { before: { ...before, drains: false }, after }
      : change;
  });
}

/** Items already draining: real servers with weight 0, and virtual servers with remaining connections only. */
function retiringIn(
  installed: InstalledIpvs | undefined,
  changes: readonly ItemChange[],
  table: ItemTable,
): (item: Item) => boolean {
  const atOnce = new Set(
    changes.flatMap(({ before, after }) =>
      before?.kind === 'real' && after === undefined && !before.drains ? [virtualItemKey(before.at)] : [],
    ),
  );
  const retiring = (installed?.virtualServers ?? []).filter(
    ({ virtual: { at }, reals }) =>
      table.get(virtualItemKey(at)) === undefined &&
      !atOnce.has(virtualItemKey(at)) &&
      reals.every(({ weight }) => weight === 0) &&
      reals.some(({ activeConnections }) => activeConnections > 0),
  );
  const keys = new Set(retiring.map(({ virtual: { at } }) => virtualItemKey(at)));
  const addresses = new Set(retiring.flatMap(({ virtual: { at } }) => (at.kind === 'address' ? [at.address] : [])));
  const anyMark = retiring.some(({ virtual: { at } }) => at.kind === 'mark');
  const held = (address: string) => anyMark || addresses.has(address);
  return (item) => {
    switch (item.kind) {
      case 'virtual':
        return keys.has(item.key);
      case 'real':
        // It is deleted with its virtual server.
        return (
          item.real.weight === 0 &&
          item.drains &&
          (keys.has(virtualItemKey(item.at)) || table.get(virtualItemKey(item.at)) !== undefined)
        );
      case 'entry':
        return item.role === 'ADDRESSES'
          ? held(item.entry.address) && !table.addresses.others.has(item.entry.address)
          : item.role === 'FRONTENDS' && keys.has(frontendItemKey(item.entry) ?? '');
      case 'address':
        return held(item.address);
      case 'range':
      case 'range-hairpin':
        return false;
    }
  };
}

function isAsWanted(found: IpSet, role: SetRole, family: IPFamily): boolean {
  const wanted = setDefinition(role, family);
  return found.type === wanted.type && found.family === family && found.marks === wanted.marks;
}

/** The current state, in the form of the desired state. */
function* installedItems(
  installed: InstalledIpvs | undefined,
  family: IPFamily,
  marks: MarkLayout,
): Slices<ReadonlyMap<string, Item>> {
  const items = new Map<string, Item>();
  const put = (item: Item) => items.set(item.key, item);
  for (const { virtual, reals } of installed?.virtualServers ?? []) {
    yield;
    const { at } = virtual;
    put({ kind: 'virtual', key: virtualItemKey(at), virtual });
    const drains = at.kind === 'mark' ? marks.isOurs(at.mark) : at.protocol !== 'UDP';
    for (const { address, port, weight, forwarding, connectionLimit } of reals) {
      const real = { address, port, weight };
      // A real server without masquerading, or with a connection threshold, is rewritten.
      put({
        kind: 'real',
        key: realItemKey(at, real),
        at,
        real: forwarding === 0 && (connectionLimit === 0 || weight === 0) ? real : { ...real, weight: -1 },
        drains,
      });
    }
  }
  for (const role of SET_ROLES) {
    const found = installed?.sets.get(setName(role, family));
    for (const entry of found !== undefined && isAsWanted(found, role, family) ? found.entries : []) {
      yield;
      put({ kind: 'entry', key: entryItemKey(role, entry), role, entry });
    }
  }
  for (const address of installed?.addresses ?? []) {
    put({ kind: 'address', key: addressItemKey(address), address });
  }
  return items;
}

/** The step that writes a document; undefined when it changes nothing. */
function rulesStep(document: IptablesDocument): readonly IpvsStep[] {
  return document.size === 0 ? [] : [{ to: 'rules', document }];
}
