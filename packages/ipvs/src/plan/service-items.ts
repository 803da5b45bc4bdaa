import {
  type Endpoint,
  endpointsKeepingFlows,
  type ForwardRoute,
  type Frontend,
  type HealthCheckNodePort,
  type IPFamily,
  isDrained,
  type LocalTrafficDetector,
  mayBeLocal,
  type ResolvedServicePort,
  type Route,
  resetsConnections,
  selectionWeights,
} from '@kube-proxier/core';
import {
  type IpSetEntry,
  type IptablesRule,
  ipSetEntryKey,
  type RealServer,
  type VirtualServer,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import { INTERFACE, type MarkLayout, type SetRole } from './layout.js';
import { rangeRules } from './range-rules.js';
import { hasUnequalWeights, type SchedulerChoice } from './scheduler-choice.js';

/** A kernel object of a Service. Shared objects are removed with their last service port. */
export type Item =
  | { readonly kind: 'virtual'; readonly key: string; readonly virtual: VirtualServer }
  | {
      readonly kind: 'real';
      readonly key: string;
      readonly at: VirtualServerAddress;
      readonly real: RealServer;
      readonly drains: boolean;
    }
  | { readonly kind: 'entry'; readonly key: string; readonly role: SetRole; readonly entry: IpSetEntry }
  | { readonly kind: 'address'; readonly key: string; readonly address: string }
  /** Rules that set the marks of packets to port ranges. */
  | { readonly kind: 'range'; readonly key: string; readonly rules: readonly IptablesRule[] }
  /** An endpoint on this node of a range of ports. */
  | { readonly kind: 'range-hairpin'; readonly key: string; readonly address: string };

/** The host's own addresses of the family. */
export interface HostAddresses {
  /** Those that NodePorts are served on. */
  readonly nodePorts: readonly string[];
  /** All that other interfaces than {@link INTERFACE} have. */
  readonly others: ReadonlySet<string>;
}

export interface ItemContext {
  readonly family: IPFamily;
  readonly addresses: HostAddresses;
  readonly scheduler: SchedulerChoice;
  readonly marks: MarkLayout;
  /** The number in the mark of this service port. */
  readonly markNumber: number;
  readonly detector: LocalTrafficDetector;
  /** The number in the marks of its range, for each of its endpoint lists. */
  readonly rangeNumber: (list: 'cluster' | 'local') => number;
}

/** Whether some sources have different endpoints, which requires a mark. */
export function needsMark(port: ResolvedServicePort): boolean {
  return port.frontends.some(({ routes }) => shortcutOf(routes) !== undefined);
}

/**
 * The route for pods and the node itself, which have one in common where they have one at all (spec O-7): it differs
 * from the others' in its endpoints, and in that the node is masqueraded and pods are not. The packets of both arrive
 * at {@link INTERFACE}, so IPVS distinguishes them by a mark.
 */
function shortcutOf(routes: readonly Route[]): ForwardRoute | undefined {
  return routes.slice(0, -1).find((route): route is ForwardRoute => route.action === 'forward');
}

/**
 * Terminating or drained UDP endpoints: with weight 0 they get no new flows. Existing flows end when the endpoint stops
 * serving, as in other modes, not when it starts to terminate.
 */
function finishing(port: ResolvedServicePort): readonly Endpoint[] {
  return endpointsKeepingFlows(port).filter(
    (endpoint) => endpoint.serving && (endpoint.terminating || isDrained(endpoint)),
  );
}

/** All kernel objects of a service port. */
export function itemsOf(port: ResolvedServicePort, context: ItemContext): readonly Item[] {
  return new ItemList(port, context).build();
}

export function healthCheckItems(check: HealthCheckNodePort, addresses: HostAddresses): readonly Item[] {
  return addresses.nodePorts.map((address) => entry('HEALTH-CHECK', { address, port: check.port, protocol: 'TCP' }));
}

function entry(role: SetRole, content: IpSetEntry): Item {
  return { kind: 'entry', key: entryItemKey(role, content), role, entry: content };
}

export function entryItemKey(role: SetRole, content: IpSetEntry): string {
  return `entry ${role} ${ipSetEntryKey(content)}`;
}

export function virtualItemKey(at: VirtualServerAddress): string {
  return `virtual ${virtualServerKey(at)}`;
}

export function realItemKey(at: VirtualServerAddress, { address, port }: { address: string; port: number }): string {
  return `real ${virtualServerKey(at)} ${address}:${port}`;
}

export function addressItemKey(address: string): string {
  return `address ${address}`;
}

class ItemList {
  readonly #items: Item[] = [];
  readonly #isWeighted: boolean;
  /** Marks of ranges, which frontends share. */
  readonly #rangeMarks = new Set<number>();

  constructor(
    private readonly port: ResolvedServicePort,
    private readonly context: ItemContext,
  ) {
    this.#isWeighted = hasUnequalWeights(port);
  }

  build(): readonly Item[] {
    let shortcut: ForwardRoute | undefined;
    for (const frontend of this.port.frontends) {
      if (frontend.lastPort !== undefined) {
        this.#range(frontend);
        continue;
      }
      const { address: own, exceptAddresses = [] } = frontend;
      const addresses = own === undefined ? this.context.addresses.nodePorts : [own];
      for (const address of addresses.filter((one) => !exceptAddresses.includes(one))) {
        this.#frontend(frontend, address);
      }
      shortcut ??= shortcutOf(frontend.routes);
    }
    if (shortcut !== undefined) {
      this.#virtual({ kind: 'mark', family: this.context.family, mark: this.#mark() }, this.port[shortcut.endpoints]);
    }
    for (const endpoint of new Set([...this.port.cluster, ...this.port.local])) {
      if (mayBeLocal(endpoint)) {
        const { address, port } = endpoint;
        this.#entry('HAIRPIN', { address, port, protocol: this.port.name.protocol, second: address });
      }
    }
    return this.#items;
  }

  /** A range has no virtual server by address: marks select one that keeps the port. */
  #range(frontend: Frontend): void {
    const { family, detector, marks, rangeNumber } = this.context;
    const { address = '' } = frontend;
    const { rules, marks: given } = rangeRules(frontend, { family, detector, marks, numberOf: rangeNumber });
    this.#items.push({ kind: 'range', key: `range ${frontend.key}`, rules });
    for (const [mark, list] of given) {
      if (!this.#rangeMarks.has(mark)) {
        this.#rangeMarks.add(mark);
        this.#virtual({ kind: 'mark', family, mark }, list === 'none' ? [] : this.port[list], true);
      }
    }
    for (const endpoint of new Set([...this.port.cluster, ...this.port.local])) {
      if (mayBeLocal(endpoint)) {
        const key = `range-hairpin ${endpoint.address}`;
        this.#items.push({ kind: 'range-hairpin', key, address: endpoint.address });
      }
    }
    if (!this.context.addresses.others.has(address)) {
      this.#entry('ADDRESSES', { address });
      this.#items.push({ kind: 'address', key: addressItemKey(address), address });
    }
  }

  #frontend(frontend: Frontend, address: string): void {
    const { protocol, port, routes, allowedSources } = frontend;
    const last = routes.at(-1) as Route;
    const where = { address, port, protocol };
    this.#virtual(
      { kind: 'address', family: this.context.family, ...where },
      last.action === 'forward' ? this.port[last.endpoints] : [],
    );
    this.#entry('FRONTENDS', where);
    if (last.action === 'drop') {
      this.#entry('DROP', where);
      if (resetsConnections(this.port)) {
        this.#entry('RESETS', where);
      }
    } else if (last.action === 'forward' && last.masquerade !== 'never') {
      this.#entry(last.masquerade === 'always' ? 'MASQUERADE' : 'OFF-CLUSTER', where);
    }
    if (shortcutOf(routes) !== undefined) {
      this.#entry('SHORTCUT', { ...where, mark: this.#mark() });
    }
    if (allowedSources !== undefined) {
      this.#entry('GUARDED', where);
      for (const network of allowedSources) {
        this.#entry('ALLOWED', { ...where, network });
      }
    }
    // Addresses of this host are unchanged, and their other ports belong to the host.
    const isOwn = frontend.kind === 'NodePort' || this.context.addresses.others.has(address);
    if (!isOwn) {
      this.#entry('ADDRESSES', { address });
      this.#items.push({ kind: 'address', key: addressItemKey(address), address });
    }
  }

  /** @param keepsPort packets reach the port that they were sent to. Default: the endpoint's own. */
  #virtual(at: VirtualServerAddress, endpoints: readonly Endpoint[], keepsPort = false): void {
    const { name, weighted, schedulerFlags, weight } = this.context.scheduler;
    const weights = selectionWeights(endpoints);
    const persistence = this.port.affinitySeconds;
    const virtual = { at, scheduler: this.#isWeighted ? weighted : name, schedulerFlags, persistence };
    this.#items.push({ kind: 'virtual', key: virtualItemKey(at), virtual });
    const drains = this.port.name.protocol !== 'UDP';
    for (const [index, endpoint] of endpoints.entries()) {
      const { address } = endpoint;
      const port = keepsPort ? 0 : endpoint.port;
      const real = { address, port, weight: weights?.[index] ?? weight };
      this.#items.push({ kind: 'real', key: realItemKey(at, real), at, real, drains });
    }
    for (const { key, address, port } of drains ? [] : finishing(this.port)) {
      if (!endpoints.some((endpoint) => endpoint.key === key)) {
        const real = { address, port: keepsPort ? 0 : port, weight: 0 };
        this.#items.push({ kind: 'real', key: realItemKey(at, real), at, real, drains });
      }
    }
  }

  #entry(role: SetRole, content: IpSetEntry): void {
    this.#items.push(entry(role, content));
  }

  #mark(): number {
    return this.context.marks.mark(this.context.markNumber);
  }
}
