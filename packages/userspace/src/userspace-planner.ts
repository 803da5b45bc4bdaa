import {
  type ChangeSet,
  type Endpoint,
  endpointsKeepingFlows,
  type Frontend,
  formatServicePortName,
  type ProxyState,
  type ResolvedServicePort,
  structurallyEqual,
} from '@kube-proxier/core';
import { readServiceOptions } from './service-options.js';
import type {
  InstalledUserspace,
  ListenerId,
  ListenerPlace,
  ListenerSpec,
  PlannedServicePort,
  Portal,
  ProxiedProtocol,
  ServiceSpec,
  Target,
  UserspaceTransaction,
} from './userspace-transaction.js';

/**
 * How frontends that have an address are reached.
 * - `redirected`: at a proxy port, by rules of the kernel.
 * - `bound`: where they are, on those addresses that are this host's.
 * - `none`: not at all, but for those on `listenAddresses`, which are bound.
 */
export type Reach = 'redirected' | 'bound' | 'none';

/** How clients get to the sockets that a {@link UserspacePlanner} plans. */
export interface UserspacePlannerOptions {
  readonly reach: Reach;
  /** Canonical addresses that frontends are bound on when `reach` is `none`. Default none. */
  readonly listenAddresses?: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** Works out sockets and rules for states. Pure. */
export class UserspacePlanner {
  readonly #reach: Reach;
  readonly #listenAddresses: readonly string[];
  /** By the object that stays the same as long as nothing about it changes. */
  readonly #planned = new WeakMap<ResolvedServicePort, PlannedServicePort>();

  constructor(options: UserspacePlannerOptions) {
    this.#reach = options.reach;
    this.#listenAddresses = options.listenAddresses ?? [];
  }

  /** See `Dataplane.plan`. */
  plan(next: ProxyState, changes: ChangeSet, installed?: InstalledUserspace): UserspaceTransaction | undefined {
    const transaction = installed ? this.#reconcile(next, installed) : this.#step(next, changes);
    return isEmpty(transaction) ? undefined : transaction;
  }

  /** What one service port comes to; undefined for a protocol that sockets do not speak. */
  planServicePort(resolved: ResolvedServicePort): PlannedServicePort | undefined {
    const { protocol } = resolved.name;
    if (protocol === 'SCTP') {
      return undefined;
    }
    let planned = this.#planned.get(resolved);
    if (!planned) {
      planned = { service: serviceSpec(resolved, protocol), listeners: this.#listeners(resolved, protocol) };
      this.#planned.set(resolved, planned);
    }
    return planned;
  }

  #step(next: ProxyState, changes: ChangeSet): UserspaceTransaction {
    const transaction = newTransaction(false);
    if (changes.nodeChanged) {
      transaction.node = next.node;
    }
    // Sessions follow endpoints that get no new ones too, as connection tracking does in other modes.
    for (const [key, { previous, current }] of changes.resolvedServicePorts) {
      const before = previous && this.planServicePort(previous);
      const after = current && this.planServicePort(current);
      transaction.problems.push(...(changes.servicePorts.has(key) ? problemsOf(current) : []));
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

  #reconcile(next: ProxyState, installed: InstalledUserspace): UserspaceTransaction {
    const transaction = newTransaction(!installed.redirectInForce);
    if (!structurallyEqual(installed.node, next.node)) {
      transaction.node = next.node;
    }
    const wanted = new Set<ListenerId>();
    const services = new Set<string>();
    for (const resolved of next.servicePorts.values()) {
      const planned = this.planServicePort(resolved);
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

  #listeners(resolved: ResolvedServicePort, protocol: ProxiedProtocol): readonly ListenerSpec[] {
    const listeners: (Omit<ListenerSpec, 'portals'> & { readonly portals: Portal[] })[] = [];
    for (const frontend of resolved.frontends) {
      const place = this.#place(frontend);
      if (!place) {
        continue;
      }
      const { address, port, allowedSources, routes } = frontend;
      const same =
        place.kind === 'proxy-port'
          ? listeners.find(
              (other) =>
                other.place.kind === 'proxy-port' &&
                structurallyEqual([other.allowedSources, other.routes], [allowedSources, routes]),
            )
          : undefined;
      if (same) {
        same.portals.push({ address, port });
      } else {
        const id = `${resolved.key} ${frontend.key}`;
        const portals = [{ address, port }];
        listeners.push({ id, servicePort: resolved.key, protocol, place, portals, allowedSources, routes });
      }
    }
    return listeners;
  }

  #place({ address, port }: Frontend): ListenerPlace | undefined {
    if (address === undefined) {
      return { kind: 'node-port', port };
    }
    switch (this.#reach) {
      case 'redirected':
        return { kind: 'proxy-port' };
      case 'bound':
        return { kind: 'address', address, port };
      case 'none':
        return this.#listenAddresses.includes(address) ? { kind: 'address', address, port } : undefined;
    }
  }
}

function serviceSpec(resolved: ResolvedServicePort, protocol: ProxiedProtocol): ServiceSpec {
  return {
    key: resolved.key,
    name: formatServicePortName(resolved.name),
    protocol,
    cluster: resolved.cluster.map(target),
    local: resolved.local.map(target),
    draining: protocol === 'UDP' ? drainingKeys(resolved) : [],
    affinitySeconds: resolved.affinitySeconds,
    options: readServiceOptions(resolved.servicePort.annotations).options,
  };
}

function drainingKeys(resolved: ResolvedServicePort): readonly string[] {
  const listed = new Set([...resolved.cluster, ...resolved.local].map(({ key }) => key));
  return endpointsKeepingFlows(resolved).flatMap(({ key }) => (listed.has(key) ? [] : [key]));
}

function target({ key, address, port }: Endpoint): Target {
  return { key, address, port };
}

function problemsOf(resolved: ResolvedServicePort | undefined): readonly string[] {
  if (!resolved) {
    return [];
  }
  const name = formatServicePortName(resolved.name);
  if (resolved.name.protocol === 'SCTP') {
    return [`${name}: SCTP is not supported by mode userspace; use another mode for it`];
  }
  return readServiceOptions(resolved.servicePort.annotations).problems.map((problem) => `${name}: ${problem}`);
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
