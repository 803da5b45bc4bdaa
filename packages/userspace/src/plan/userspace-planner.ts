import {
  type ChangeSet,
  finish,
  type ProxyState,
  type ResolvedServicePort,
  type Slices,
  StateMemo,
  structurallyEqual,
} from '@kube-proxier/core';
import type { InstalledUserspace, Reach } from './installed-userspace.js';
import { planServicePort, problemsOf } from './planned-service-port.js';
import type {
  ListenerId,
  ListenerSpec,
  PlannedServicePort,
  ServiceSpec,
  UserspaceTransaction,
} from './userspace-transaction.js';

export interface UserspacePlannerOptions {
  /** Canonical addresses that frontends are bound on where nothing is redirected or bound. Default none. */
  readonly listenAddresses?: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** Plans for one kind of host. */
interface HostPlans {
  /** What the host supports; it came with the installed state. */
  readonly reach: Reach;
  /** Sockets of service ports, which are immutable. */
  readonly planned: WeakMap<ResolvedServicePort, PlannedServicePort>;
}

/** Plans sockets and cluster IPs. Pure. */
export class UserspacePlanner {
  readonly #listenAddresses: readonly string[];
  readonly #plans = new StateMemo<HostPlans>(() => plansFor('none'));

  constructor({ listenAddresses = [] }: UserspacePlannerOptions = {}) {
    this.#listenAddresses = listenAddresses;
  }

  /** See `Dataplane.plan`. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledUserspace): UserspaceTransaction | undefined {
    return finish(this.planInSlices(next, changes, installed));
  }

  /** See `Dataplane.planInSlices`. A change of the state is planned in one go. */
  *planInSlices(
    next: ProxyState,
    changes: ChangeSet,
    installed?: InstalledUserspace,
  ): Slices<UserspaceTransaction | undefined> {
    const transaction = installed ? yield* this.#reconcile(next, installed) : this.#step(next, changes);
    return isEmpty(transaction) ? undefined : transaction;
  }

  #step(next: ProxyState, changes: ChangeSet): UserspaceTransaction {
    const transaction = newTransaction(false);
    const plans = this.#plans.of(changes.previous ?? next);
    this.#plans.set(next, plans);
    if (changes.nodeChanged) {
      transaction.node = next.node;
    }
    // Sessions also stay with endpoints without new ones, as with conntrack in other modes.
    for (const [key, { previous, current }] of changes.resolvedServicePorts) {
      const before = previous && this.#planServicePort(previous, plans);
      const after = current && this.#planServicePort(current, plans);
      transaction.problems.push(...(current && changes.servicePorts.has(key) ? problemsOf(current, previous) : []));
      compareServices(before?.service, after?.service, transaction);
      const listeners = new Map(before?.listeners.map((listener) => [listener.id, listener]));
      for (const listener of after?.listeners ?? []) {
        compareListener(listeners.get(listener.id), listener, transaction);
        listeners.delete(listener.id);
      }
      transaction.close.push(...listeners.keys());
    }
    for (const address of changes.clusterIPs) {
      (next.clusterIPs.has(address) ? transaction.addClusterIPs : transaction.removeClusterIPs).push(address);
    }
    return transaction;
  }

  *#reconcile(next: ProxyState, installed: InstalledUserspace): Slices<UserspaceTransaction> {
    const plans = plansFor(installed.reach);
    const transaction = newTransaction(!installed.redirectInForce);
    if (!structurallyEqual(installed.node, next.node)) {
      transaction.node = next.node;
    }
    const wanted = new Set<ListenerId>();
    const services = new Set<string>();
    for (const resolved of next.servicePorts.values()) {
      yield;
      const planned = this.#planServicePort(resolved, plans);
      transaction.problems.push(...problemsOf(resolved));
      if (!planned) {
        continue;
      }
      services.add(resolved.key);
      compareServices(installed.services.get(resolved.key), planned.service, transaction);
      for (const listener of planned.listeners) {
        wanted.add(listener.id);
        compareListener(installed.listeners.get(listener.id), listener, transaction);
      }
    }
    // After the last pause: until then, the previous plan may be needed again.
    this.#plans.set(next, plans);
    transaction.remove.push(...[...installed.services.keys()].filter((key) => !services.has(key)));
    transaction.close.push(...[...installed.listeners.keys()].filter((id) => !wanted.has(id)));
    for (const address of next.clusterIPs.keys()) {
      if (!installed.clusterIPs.has(address)) {
        transaction.addClusterIPs.push(address);
      }
    }
    transaction.removeClusterIPs.push(...[...installed.clusterIPs].filter((address) => !next.clusterIPs.has(address)));
    if (!transaction.full && isEmpty({ ...transaction, problems: [] })) {
      // Reported when they first occurred; nothing else has to be done.
      transaction.problems.length = 0;
    }
    return transaction;
  }

  #planServicePort(resolved: ResolvedServicePort, { reach, planned }: HostPlans): PlannedServicePort | undefined {
    const known = planned.get(resolved);
    const found = known ?? planServicePort(resolved, { reach, listenAddresses: this.#listenAddresses });
    if (!known && found) {
      planned.set(resolved, found);
    }
    return found;
  }
}

function plansFor(reach: Reach): HostPlans {
  return { reach, planned: new WeakMap() };
}

function newTransaction(full: boolean): Mutable<UserspaceTransaction> {
  return {
    full,
    node: undefined,
    set: [],
    remove: [],
    open: [],
    change: [],
    close: [],
    addClusterIPs: [],
    removeClusterIPs: [],
    problems: [],
  };
}

function compareServices(
  before: ServiceSpec | undefined,
  after: ServiceSpec | undefined,
  transaction: Mutable<UserspaceTransaction>,
): void {
  if (after) {
    if (!structurallyEqual(before, after)) {
      transaction.set.push(after);
    }
  } else if (before) {
    transaction.remove.push(before.key);
  }
}

function compareListener(
  before: ListenerSpec | undefined,
  after: ListenerSpec,
  transaction: Mutable<UserspaceTransaction>,
): void {
  if (!before) {
    transaction.open.push(after);
  } else if (!structurallyEqual(before.place, after.place)) {
    transaction.close.push(before.id);
    transaction.open.push(after);
  } else if (!structurallyEqual(before, after)) {
    transaction.change.push(after);
  }
}

function isEmpty(transaction: UserspaceTransaction): boolean {
  const { full, node, problems, ...lists } = transaction;
  return (
    !full && node === undefined && problems.length === 0 && Object.values(lists).every(({ length }) => length === 0)
  );
}
