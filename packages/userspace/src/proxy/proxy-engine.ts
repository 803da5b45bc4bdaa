import { type IPFamily, messageOf, type NodeState, type Route, type ServicePortKey } from '@kube-proxier/core';
import type { BoundAddress } from '../plan/redirect-state.js';
import type { ListenerId, ListenerSpec, ServiceSpec } from '../plan/userspace-transaction.js';
import { UserspaceError } from '../userspace-error.js';
import type { NodePortListeners } from './node-port-listeners.js';
import { type PortRange, portsOf } from './port-range.js';
import { type ProxyEnvironment, ServiceProxy } from './service-proxy.js';
import type { ServiceTraffic } from './service-traffic.js';
import { isLoopback, type SourceFacts, sourcePolicy } from './source-policy.js';
import { type ListenerView, TcpSocket } from './tcp-socket.js';
import { UdpSocket } from './udp-socket.js';

export interface ProxyEngineOptions {
  readonly family: IPFamily;
  readonly environment: ProxyEnvironment;
  /** Default: any port. */
  readonly portRange?: PortRange;
}

const NO_NODE: NodeState = {
  name: '',
  zone: undefined,
  addresses: [],
  detector: { kind: 'none' },
  nodePortAddresses: { kind: 'all', loopback: false },
  serviceCIDRs: [],
};

/** All sockets of one IP family. Changes are made one after another by one caller. */
export class ProxyEngine {
  readonly #services = new Map<ServicePortKey, ServiceProxy>();
  readonly #listeners = new Map<ListenerId, Listener>();
  /** Removed service ports with open connections. */
  readonly #draining = new Set<ServiceProxy>();
  #failedNodePorts = 0;
  #node: NodeState | undefined;
  #localAddresses: ReadonlySet<string> = new Set();

  constructor(private readonly options: ProxyEngineOptions) {}

  get node(): NodeState | undefined {
    return this.#node;
  }

  get services(): ReadonlyMap<ServicePortKey, ServiceSpec> {
    return new Map([...this.#services].map(([key, { spec }]) => [key, spec]));
  }

  /** NodePorts whose sockets are all open. */
  get listeners(): ReadonlyMap<ListenerId, ListenerSpec> {
    return new Map([...this.#listeners].flatMap(([id, { complete, spec }]) => (complete ? [[id, spec]] : [])));
  }

  /** Traffic of each service port, including draining ones. */
  get traffic(): readonly ServiceTraffic[] {
    return [...this.#services.values(), ...this.#draining].map(({ traffic }) => traffic);
  }

  /** NodePorts whose sockets are open, and how often one could not be opened so far. */
  get nodePorts(): Omit<NodePortListeners, 'family'> {
    const open = [...this.#listeners.values()].filter(
      ({ spec, complete, sockets }) => spec.place.kind === 'node-port' && complete && sockets.length > 0,
    );
    return { open: open.length, failures: this.#failedNodePorts };
  }

  /** Addresses of the sockets of a listener; empty when there are none. */
  boundAt(id: ListenerId): readonly BoundAddress[] {
    return this.#listeners.get(id)?.sockets.map(({ address, port }) => ({ address, port })) ?? [];
  }

  spec(id: ListenerId): ListenerSpec | undefined {
    return this.#listeners.get(id)?.spec;
  }

  get listenerIds(): readonly ListenerId[] {
    return [...this.#listeners.keys()];
  }

  /**
   * Applies the node state, and moves the sockets of NodePorts to its current addresses.
   *
   * @param localAddresses canonical addresses of all interfaces, both families.
   * @returns the listeners that were rebound, and the errors of those that failed.
   */
  async setNode(
    node: NodeState,
    localAddresses: readonly string[],
  ): Promise<{ readonly moved: readonly ListenerId[]; readonly failed: ReadonlyMap<ListenerId, UserspaceError> }> {
    this.#node = node;
    this.#localAddresses = new Set(localAddresses);
    const moved: ListenerId[] = [];
    const failed = new Map<ListenerId, UserspaceError>();
    for (const [id, listener] of this.#listeners) {
      listener.refresh(this.#facts());
      try {
        const changed = await this.#settle(listener);
        if (changed) {
          moved.push(id);
        }
      } catch (error) {
        failed.set(id, asUserspaceError(error));
      }
    }
    return { moved, failed };
  }

  setService(spec: ServiceSpec): void {
    const known = this.#services.get(spec.key);
    if (known) {
      known.update(spec);
    } else {
      this.#services.set(spec.key, new ServiceProxy(spec, this.options.environment));
    }
  }

  /** Its connections continue until they end. */
  removeService(key: ServicePortKey): void {
    const service = this.#services.get(key);
    if (service) {
      this.#services.delete(key);
      service.keepAll();
      this.#draining.add(service);
      this.#forgetDrained();
    }
  }

  /** @throws UserspaceError when a socket cannot be opened; the others are open. */
  async open(spec: ListenerSpec): Promise<void> {
    const service = this.#services.get(spec.servicePort);
    if (!service) {
      throw new UserspaceError('USERSPACE_LISTEN_FAILED', `${spec.id} belongs to no service port; plan it with one`);
    }
    const known = this.#listeners.get(spec.id);
    if (known) {
      known.change(spec, this.#facts());
    }
    const listener = known ?? new Listener(spec, service, this.#facts());
    this.#listeners.set(spec.id, listener);
    await this.#settle(listener);
  }

  async #settle(listener: Listener): Promise<boolean> {
    const { spec } = listener;
    try {
      return await listener.settle(
        this.#places(spec),
        () => this.#bindProxyPort(listener),
        (address) => this.#isUsable(address),
      );
    } catch (error) {
      this.#failedNodePorts += spec.place.kind === 'node-port' ? 1 : 0;
      throw error;
    }
  }

  change(spec: ListenerSpec): void {
    this.#listeners.get(spec.id)?.change(spec, this.#facts());
  }

  async close(id: ListenerId): Promise<void> {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    await listener?.close();
  }

  /** Deletes expired affinity entries, and removed service ports without connections. */
  tidy(): void {
    for (const { balancer } of this.#services.values()) {
      balancer.forgetStale();
    }
    this.#forgetDrained();
  }

  /** Closes everything, connections too. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#listeners.keys()].map((id) => this.close(id)));
    for (const service of [...this.#services.values(), ...this.#draining]) {
      service.closeAll();
    }
    this.#services.clear();
    this.#draining.clear();
    this.#node = undefined;
  }

  #forgetDrained(): void {
    for (const service of this.#draining) {
      if (service.open.size === 0) {
        this.#draining.delete(service);
      }
    }
  }

  #facts(): SourceFacts & { readonly loopback: boolean } {
    const { detector, nodePortAddresses } = this.#node ?? NO_NODE;
    return { detector, localAddresses: this.#localAddresses, loopback: nodePortAddresses.loopback };
  }

  get #all(): string {
    return this.options.family === 'IPv6' ? '::' : '0.0.0.0';
  }

  #isLocal(address: string): boolean {
    return isLoopback(address) || this.#localAddresses.has(address);
  }

  #isUsable(address: string): boolean {
    return address === this.#all || this.#isLocal(address);
  }

  /** Addresses and ports that a listener's sockets should stand at; undefined for a proxy port. */
  #places({ place, protocol }: ListenerSpec): readonly BoundAddress[] | undefined {
    switch (place.kind) {
      case 'proxy-port':
        return undefined;
      case 'address': {
        const { address, port } = place;
        return this.#isLocal(address) ? [{ address, port }] : [];
      }
      case 'node-port':
        return this.#nodePortPlaces(protocol).map((address) => ({ address, port: place.port }));
    }
  }

  /**
   * A TCP socket on all addresses reports the local address of each connection. A UDP socket does not, and could reply
   * from a different address: one socket per address is needed.
   */
  #nodePortPlaces(protocol: ListenerSpec['protocol']): readonly string[] {
    const { nodePortAddresses } = this.#node ?? NO_NODE;
    const ipv6 = this.options.family === 'IPv6';
    const loopback = nodePortAddresses.loopback ? [ipv6 ? '::1' : '127.0.0.1'] : [];
    if (nodePortAddresses.kind === 'listed') {
      const listed = nodePortAddresses.addresses.filter((address) => this.#isLocal(address));
      return [...new Set([...listed, ...loopback])];
    }
    if (protocol === 'TCP') {
      return [this.#all];
    }
    const own = [...this.#localAddresses].filter(
      // A link-local address requires its interface.
      (address) => address.includes(':') === ipv6 && !isLoopback(address) && !/^fe[89ab]/.test(address),
    );
    return [...own, ...loopback];
  }

  async #bindProxyPort(listener: Listener): Promise<OpenSocket> {
    // The node's own address where there is one: a UDP answer then comes from where the rule sent the question, and
    // packets can come in by interfaces that have no address, as those to pods often do.
    const own = (this.#node ?? NO_NODE).addresses.find((address) => this.#localAddresses.has(address));
    const address = own ?? this.#all;
    const { portRange } = this.options;
    if (!portRange) {
      return await listener.bind(address, 0);
    }
    for (const port of portsOf(portRange)) {
      try {
        return await listener.bind(address, port);
      } catch (error) {
        if (!(error instanceof UserspaceError && error.code === 'USERSPACE_PORT_TAKEN')) {
          throw error;
        }
      }
    }
    throw new UserspaceError(
      'USERSPACE_NO_PORT_LEFT',
      `port allocation failed; there are no remaining ports left to allocate in the accepted range ${portRange.first}-${portRange.last}; make it wider`,
    );
  }
}

type OpenSocket = TcpSocket | UdpSocket;

/** One listener with its sockets. */
class Listener {
  #sockets: OpenSocket[] = [];
  #route: (source: string) => Route;
  #loopback: boolean;
  #complete = false;

  constructor(
    private current: ListenerSpec,
    private readonly service: ServiceProxy,
    facts: SourceFacts & { readonly loopback: boolean },
  ) {
    this.#route = sourcePolicy(current, facts);
    this.#loopback = facts.loopback;
  }

  get spec(): ListenerSpec {
    return this.current;
  }

  get sockets(): readonly OpenSocket[] {
    return this.#sockets;
  }

  get complete(): boolean {
    return this.#complete;
  }

  change(spec: ListenerSpec, facts: SourceFacts & { readonly loopback: boolean }): void {
    this.current = spec;
    this.refresh(facts);
  }

  refresh(facts: SourceFacts & { readonly loopback: boolean }): void {
    this.#route = sourcePolicy(this.current, facts);
    this.#loopback = facts.loopback;
  }

  /**
   * Opens and closes sockets to match `places`. Matching ones are not touched.
   *
   * @param places undefined for one proxy port.
   * @param isUsable whether a proxy port may stay at an address.
   * @returns whether any was opened or closed.
   * @throws UserspaceError when one could not be opened; the others are.
   */
  async settle(
    places: readonly BoundAddress[] | undefined,
    bindProxyPort: () => Promise<OpenSocket>,
    isUsable: (address: string) => boolean,
  ): Promise<boolean> {
    this.#complete = false;
    let changed = false;
    let failure: unknown;
    if (!places) {
      const gone = this.#sockets.filter(({ address }) => !isUsable(address));
      for (const socket of gone) {
        await socket.close();
      }
      this.#sockets = this.#sockets.filter((socket) => !gone.includes(socket));
      this.service.environment.budget.release(gone.length);
      if (this.#sockets.length === 0) {
        this.#sockets = [await bindProxyPort()];
        changed = true;
      }
      this.#complete = true;
      return changed;
    }
    const stands = ({ address, port }: BoundAddress, others: readonly BoundAddress[]) =>
      others.some((other) => other.address === address && other.port === port);
    for (const socket of this.#sockets.filter((candidate) => !stands(candidate, places))) {
      await socket.close();
      this.#sockets = this.#sockets.filter((other) => other !== socket);
      this.service.environment.budget.release(1);
      changed = true;
    }
    for (const place of places.filter((candidate) => !stands(candidate, this.#sockets))) {
      try {
        this.#sockets = [...this.#sockets, await this.bind(place.address, place.port)];
        changed = true;
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) {
      throw failure;
    }
    this.#complete = true;
    return changed;
  }

  async bind(address: string, port: number): Promise<OpenSocket> {
    const view = () => this.#view();
    const { budget } = this.service.environment;
    const socket =
      this.current.protocol === 'TCP'
        ? await TcpSocket.open(address, port, view)
        : await UdpSocket.open(address, port, view);
    budget.force(1);
    return socket;
  }

  async close(): Promise<void> {
    const sockets = this.#sockets;
    this.#sockets = [];
    await Promise.all(sockets.map((socket) => socket.close()));
    this.service.environment.budget.release(sockets.length);
  }

  #view(): ListenerView {
    const { kind } = this.current.place;
    return {
      spec: this.current,
      service: this.service,
      route: this.#route,
      loopback: kind !== 'node-port' || this.#loopback,
    };
  }
}

function asUserspaceError(error: unknown): UserspaceError {
  return error instanceof UserspaceError
    ? error
    : new UserspaceError('USERSPACE_LISTEN_FAILED', `cannot listen: ${messageOf(error)}`, { cause: error });
}
