import type { ChangeSet, IPFamily, ProxyState } from '@kube-proxier/core';
import type {
  IpSet,
  IpSetCommand,
  IptablesDocument,
  RealServerStatus,
  SavedTable,
  VirtualServer,
  VirtualServerAddress,
} from '@kube-proxier/linux';
import { type FixedChains, fixedChains, type RuleTable } from './fixed-chains.js';
import { frontendItemKey, type IpvsStep, type IpvsTransaction, stepsOf } from './ipvs-transaction.js';
import { differences, type ItemChange, ItemTable, type ItemTableContext } from './item-table.js';
import { kubeProxySets, type MarkLayout, SET_ROLES, type SetRole, setDefinition, setName } from './layout.js';
import { emptyOwnChains, reconcileRules, rewriteRules } from './rule-documents.js';
import { addressItemKey, entryItemKey, type Item, realItemKey, virtualItemKey } from './service-items.js';

/** A virtual server with its real servers. */
export interface InstalledVirtualServer {
  readonly virtual: VirtualServer;
  readonly reals: readonly RealServerStatus[];
}

/** What the kernel holds of this backend, for one family. */
export interface InstalledIpvs {
  /** Those of this backend. */
  readonly virtualServers: readonly InstalledVirtualServer[];
  /** By name: ours as far as they are there, and those that kube-proxy left. */
  readonly sets: ReadonlyMap<string, IpSet>;
  readonly hasInterface: boolean;
  /** That our interface has. */
  readonly addresses: readonly string[];
  readonly tables: Readonly<Record<RuleTable, SavedTable>>;
  /** Kernel settings are as this backend needs them. */
  readonly settled: boolean;
  readonly facts: HostFacts;
}

/** What a host can do, or cannot. */
export interface HostFacts {
  /** MASQUERADE knows `--random-fully`. */
  readonly randomFully: boolean;
}

export interface PlannerOptions {
  readonly family: IPFamily;
  readonly masqueradeBit: number;
  readonly marks: MarkLayout;
  /** Of Services that do not choose one. */
  readonly scheduler: string;
  readonly availableSchedulers: () => ReadonlySet<string> | undefined;
  readonly onProblem: (problem: string) => void;
}

/**
 * Plans what to write. Pure, except that it reports problems: what it remembers of a state (an {@link ItemTable}) follows from
 * that state and from what was last read back of the host, and changes nothing but the time that planning takes.
 */
export class IpvsPlanner {
  #table: ItemTable | undefined;
  #facts: HostFacts = { randomFully: true };

  constructor(private readonly options: PlannerOptions) {}

  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledIpvs): IpvsTransaction | undefined {
    const { family } = this.options;
    const steps =
      installed === undefined && changes.previous !== undefined
        ? this.#planChanges(next, changes.previous, changes)
        : this.#planAll(next, installed);
    return steps.length === 0 ? undefined : { family, steps };
  }

  #planAll(next: ProxyState, installed: InstalledIpvs | undefined): readonly IpvsStep[] {
    const { family, marks } = this.options;
    this.#facts = installed?.facts ?? this.#facts;
    const table = new ItemTable(next, this.#context());
    this.#table = table;
    const seen = new Map<string, Item | undefined>(installedItems(installed, family, marks));
    for (const { key } of table.items()) {
      if (!seen.has(key)) {
        seen.set(key, undefined);
      }
    }
    const all = leavingAtOnce(
      differences(seen, (key) => table.get(key)),
      next,
      table,
    );
    const isRetiring = retiringIn(installed, all, table);
    const changes = all.filter(
      ({ before, after }) => after !== undefined || before === undefined || !isRetiring(before),
    );
    const sets = this.#setCommands(installed);
    // A set of another kind under one of our names has to go, and so have the rules that look at it.
    const emptied = sets.wrong && installed !== undefined ? rulesStep(emptyOwnChains(installed.tables)) : [];
    const rules = rulesStep(
      reconcileRules(this.#fixedChains(next), emptied.length > 0 ? undefined : installed?.tables),
    );
    const setup: IpvsStep[] = [
      ...(installed?.settled === true ? [] : [{ to: 'settings' } as const]),
      ...emptied,
      ...(sets.create.length === 0 ? [] : [{ to: 'sets', commands: sets.create } as const]),
      ...(installed?.hasInterface === true ? [] : [{ to: 'interface' } as const]),
    ];
    const steps = stepsOf(changes, family, table.addresses.others);
    // Rules come when the sets that they look at are full, and before IPVS catches anything.
    const filled = steps[0]?.to === 'sets' ? 1 : 0;
    return [
      ...setup,
      ...steps.slice(0, filled),
      ...rules,
      ...steps.slice(filled),
      ...(sets.destroy.length === 0 ? [] : [{ to: 'sets', commands: sets.destroy } as const]),
    ];
  }

  #planChanges(next: ProxyState, previous: ProxyState, changes: ChangeSet): readonly IpvsStep[] {
    const { family } = this.options;
    const table = this.#table?.state === previous ? this.#table : new ItemTable(previous, this.#context());
    this.#table = table;
    const steps = stepsOf(leavingAtOnce(table.advance(next, changes), next, table), family, table.addresses.others);
    return changes.nodeChanged
      ? [...steps, ...rulesStep(rewriteRules(this.#fixedChains(previous), this.#fixedChains(next)))]
      : steps;
  }

  #context(): ItemTableContext {
    const { availableSchedulers, marks, onProblem, scheduler } = this.options;
    return {
      scheduler,
      availableSchedulers: availableSchedulers(),
      marks,
      onProblem,
    };
  }

  #fixedChains({ node }: ProxyState): FixedChains {
    const { family, marks, masqueradeBit } = this.options;
    return fixedChains({ family, node, masqueradeBit, marks, randomFully: this.#facts.randomFully });
  }

  /** Sets that are missing are made, those that kube-proxy left are removed. */
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
 * What was served on an address that this host has lost is removed at once, with its connections: packets from other hosts arrive no
 * more, and this host's own would meet a virtual server that refuses, while the address may be another host's by now.
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

/** What is on its way out already: real servers without weight, and virtual servers with nothing but connections. */
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
        // The virtual server goes, and it with that.
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
    }
  };
}

function isAsWanted(found: IpSet, role: SetRole, family: IPFamily): boolean {
  const wanted = setDefinition(role, family);
  return found.type === wanted.type && found.family === family && found.marks === wanted.marks;
}

/** The current state, in the form of the desired state. */
function installedItems(
  installed: InstalledIpvs | undefined,
  family: IPFamily,
  marks: MarkLayout,
): ReadonlyMap<string, Item> {
  const items = new Map<string, Item>();
  const put = (item: Item) => items.set(item.key, item);
  for (const { virtual, reals } of installed?.virtualServers ?? []) {
    const { at } = virtual;
    put({ kind: 'virtual', key: virtualItemKey(at), virtual });
    const drains = at.kind === 'mark' ? marks.isOurs(at.mark) : at.protocol !== 'UDP';
    for (const { address, port, weight, forwarding, connectionLimit } of reals) {
      const real = { address, port, weight };
      // One that packets are not masqueraded to, or not all of them go to, is written again, as it should be.
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
      put({ kind: 'entry', key: entryItemKey(role, entry), role, entry });
    }
  }
  for (const address of installed?.addresses ?? []) {
    put({ kind: 'address', key: addressItemKey(address), address });
  }
  return items;
}

/** The step that writes a document; none when it changes nothing. */
function rulesStep(document: IptablesDocument): readonly IpvsStep[] {
  return document.size === 0 ? [] : [{ to: 'rules', document }];
}
