import { joinHostPort, type Logger } from '@kube-proxier/core';
import type { MarkedSockets } from '@kube-proxier/linux';
import type { Reach } from '../plan/installed-userspace.js';
import type { RedirectedListener } from '../plan/redirect-state.js';
import type {
  ListenerId,
  ListenerSpec,
  ProxiedProtocol,
  Target,
  UserspaceTransaction,
} from '../plan/userspace-transaction.js';
import type { ProxyEngine } from '../proxy/proxy-engine.js';
import { RedirectedEndpoints } from './redirected-endpoints.js';
import type { Redirector } from './redirector.js';

/** How clients reach the sockets. */
export interface Redirection {
  readonly reach: Reach;
  readonly redirector: Redirector;
  /**
   * Sockets that the redirector never redirects, for connections to endpoints that are redirected frontends as well.
   * Started. Default, and where they are unusable: such a frontend is not redirected for this host itself.
   */
  readonly ownSockets?: MarkedSockets;
}

/** The rules that lead to the sockets of an engine. */
export class Redirects {
  #clusterIPs = new Set<string>();
  #endpoints = new RedirectedEndpoints();
  /** Listeners with a logged warning that they are not redirected for this host itself. */
  readonly #warned = new Set<ListenerId>();

  constructor(
    private readonly redirection: Redirection,
    private readonly engine: ProxyEngine,
    private readonly logger: Logger,
  ) {}

  get reach(): Reach {
    return this.redirection.reach;
  }

  get redirector(): Redirector {
    return this.redirection.redirector;
  }

  /** Cluster IPs whose other ports are rejected. */
  get clusterIPs(): ReadonlySet<string> {
    return this.#clusterIPs;
  }

  /** Whether a rule may redirect what this host sends to an endpoint. */
  mayRedirect(protocol: ProxiedProtocol, target: Pick<Target, 'address' | 'port'>): boolean {
    return this.#endpoints.includes(protocol, target);
  }

  /**
   * Records the endpoints of a transaction.
   *
   * @returns listeners whose rules depend on them, where own connections cannot be exempted.
   */
  updateEndpoints({ set, remove }: UserspaceTransaction): readonly ListenerId[] {
    if (this.reach !== 'redirected') {
      return [];
    }
    const affected = [
      ...remove.flatMap((key) => this.#endpoints.removeService(key)),
      ...set.flatMap((service) => this.#endpoints.setService(service)),
    ];
    return this.#whyNotExempt() === undefined ? [] : affected;
  }

  /**
   * Writes the rules that a transaction changes.
   *
   * @param touched listeners that may have changed.
   * @param closing listeners that are closed once no rule leads to them.
   */
  async apply(
    transaction: UserspaceTransaction,
    touched: ReadonlySet<ListenerId>,
    closing: ReadonlySet<ListenerId>,
  ): Promise<void> {
    for (const address of transaction.addClusterIPs) {
      this.#clusterIPs.add(address);
    }
    for (const address of transaction.removeClusterIPs) {
      this.#clusterIPs.delete(address);
    }
    const { engine } = this;
    const { node } = engine;
    if (!node) {
      return;
    }
    const opened = new Set(transaction.open.map(({ id }) => id));
    const listeners = new Map<ListenerId, RedirectedListener>();
    // Only listeners with rules.
    for (const id of transaction.full || transaction.node ? engine.listenerIds : touched) {
      const spec = engine.spec(id);
      const isBound = engine.boundAt(id).length > 0;
      if (spec && isBound && (!closing.has(id) || opened.has(id))) {
        listeners.set(id, this.#redirected(id, spec));
        this.#endpoints.announce(spec);
      }
    }
    const clusterIPs = new Set([...transaction.addClusterIPs, ...transaction.removeClusterIPs]);
    await this.redirector.apply(
      { node, listeners, clusterIPs: this.#clusterIPs },
      transaction.full ? 'all' : { listeners: touched, clusterIPs, node: transaction.node !== undefined },
    );
    this.#endpoints.confirm(listeners, transaction.full ? 'all' : touched);
  }

  /** Removes all rules, also those of other processes. */
  async cleanup(): Promise<void> {
    await this.redirector.cleanup();
    this.#clusterIPs = new Set();
    this.#endpoints = new RedirectedEndpoints();
    this.#warned.clear();
  }

  #whyNotExempt(): string | undefined {
    const { ownSockets } = this.redirection;
    return ownSockets ? ownSockets.unusable : 'the redirector cannot exempt them';
  }

  #redirected(id: ListenerId, spec: ListenerSpec): RedirectedListener {
    const name = this.engine.services.get(spec.servicePort)?.name ?? spec.servicePort;
    const listener = { spec, name, at: this.engine.boundAt(id) };
    const reason = this.#whyNotExempt();
    const notFromHost = reason === undefined ? [] : this.#endpoints.portalsAtEndpoints(spec);
    const [first] = notFromHost;
    if (!first) {
      this.#warned.delete(id);
      return listener;
    }
    if (!this.#warned.has(id)) {
      this.#warned.add(id);
      const at = joinHostPort(first.address ?? '', first.port);
      this.logger.warn(
        `${name}: ${at} is an address of the Service and an endpoint at once. Connections of this node to it reach this ` +
          `endpoint only, as the proxy's own connections cannot be distinguished: ${reason}`,
      );
    }
    return { ...listener, notFromHost };
  }
}
