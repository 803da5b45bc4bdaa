import {
  type Clock,
  EventLoopPace,
  type HealthCheckNodePort,
  type IPFamily,
  type Logger,
  ProxierError,
  type ServiceKey,
  type SyncObserver,
  type SyncSuccess,
  serviceKey,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { ConnectionRoom, type SharedRoom } from './connection-limits.js';
import type { DescriptorShares } from './descriptor-shares.js';
import { atIntervals, HttpListener, JSON_TYPE, reply, SAFE_METHODS } from './http-listener.js';
import type { ProxyHealth } from './proxy-health.js';

/** Options of {@link ServiceHealthServers}. */
export interface ServiceHealthServersOptions {
  readonly health: ProxyHealth;
  /** Default: no logs. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Maximum sockets and connections. Default: all ports, and the connections that clients need. */
  readonly shares?: Pick<DescriptorShares, 'healthCheckSockets' | 'healthCheckConnections'>;
  /** Called when it cannot listen on a Service's port (spec H-19). Default: nothing. */
  readonly onFailure?: (service: HealthCheckNodePort, error: unknown) => void;
  /**
   * Whether an address belongs to the node, whose connections have a reserved limit. Default: loopback addresses only.
   */
  readonly isOwnAddress?: (address: string) => boolean;
}

/** No limits. */
const ALL: NonNullable<ServiceHealthServersOptions['shares']> = {
  healthCheckSockets: Number.POSITIVE_INFINITY,
  healthCheckConnections: { foreign: 4096, own: 512 },
};
/** Maximum number of Services in a text, which counts the rest. */
const MAX_NAMED = 5;

interface Listening {
  readonly port: number;
  readonly hosts: readonly string[];
  readonly listeners: readonly HttpListener[];
}

/** A port that is not open for lack of sockets. */
interface Unopened {
  readonly family: IPFamily;
  readonly service: HealthCheckNodePort;
  readonly hosts: readonly string[];
  isReported: boolean;
}

/** Serves the health check node ports of Services, by which load balancers find nodes with endpoints (spec H-15…H-22). */
export class ServiceHealthServers implements SyncObserver {
  /** Services as of the last sync. */
  readonly #wanted: Readonly<Record<IPFamily, Map<ServiceKey, HealthCheckNodePort>>> = {
    IPv4: new Map(),
    IPv6: new Map(),
  };
  /** By family and Service. */
  readonly #listening = new Map<string, Listening>();
  /** By family and Service; opened in order when sockets are free. */
  readonly #unopened = new Map<string, Unopened>();
  readonly #sharedRoom: SharedRoom;
  readonly #maxSockets: number;
  readonly #reportUnopened: (problem: string) => void;
  #sockets = 0;
  #stopped = false;

  constructor(private readonly options: ServiceHealthServersOptions) {
    const { shares = ALL, logger = silentLogger, clock = systemClock } = options;
    this.#maxSockets = shares.healthCheckSockets;
    this.#sharedRoom = {
      own: new ConnectionRoom(shares.healthCheckConnections.own),
      foreign: new ConnectionRoom(shares.healthCheckConnections.foreign),
    };
    this.#reportUnopened = atIntervals(clock, (problem) =>
      logger.error(`The ${problem}; raise the limit of open files (ulimit -n, LimitNOFILE)`),
    );
  }

  /**
   * Why ports are not open, as `health check of Service … cannot listen on …`; for many, some of them and the number of
   * the rest.
   */
  get obstacles(): readonly string[] {
    const found = [...this.#listening.values()].flatMap(({ listeners }) =>
      listeners.flatMap((one) => one.obstacle ?? []),
    );
    const more = found.length - MAX_NAMED;
    return [
      ...found.slice(0, MAX_NAMED),
      ...(more > 0 ? [`health checks of Services cannot listen on ${more} more ports; the log names them`] : []),
    ];
  }

  /** Which ports stay closed to keep descriptors for the rest of this process; undefined when all are open. */
  get shortage(): string | undefined {
    if (this.#unopened.size === 0) {
      return undefined;
    }
    const names = [
      ...new Set([...this.#unopened.values()].map(({ service }) => `${service.namespace}/${service.name}`)),
    ];
    const more = names.length - MAX_NAMED;
    const listed = names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
    const which = names.length === 1 ? 'port of 1 Service is' : `ports of ${names.length} Services are`;
    return `health check node ${which} not open, as the limit of open files leaves ${this.#maxSockets} sockets for them: ${listed}`;
  }

  async synced({ family, state, changes }: SyncSuccess): Promise<void> {
    if (changes.previous !== undefined && changes.healthCheckNodePorts.size === 0 && !changes.nodeChanged) {
      return;
    }
    const keys =
      changes.previous === undefined || changes.nodeChanged
        ? new Set([...state.healthCheckNodePorts.keys(), ...this.#wanted[family].keys()])
        : changes.healthCheckNodePorts;
    const { nodePortAddresses } = state.node;
    const loopback = nodePortAddresses.loopback ? [LOOPBACK[family]] : [];
    const hosts = nodePortAddresses.kind === 'listed' ? [...nodePortAddresses.addresses, ...loopback] : [ANY[family]];
    const pace = new EventLoopPace(this.options.clock);
    let updates: Promise<void>[] = [];
    // By name: if not all fit, the same ones are open after a restart.
    for (const key of [...keys].sort()) {
      updates.push(this.#update(family, key, state.healthCheckNodePorts.get(key), hosts));
      if (pace.isPauseDue()) {
        await Promise.all([...updates, pace.pause()]);
        updates = [];
      }
    }
    await Promise.all(updates);
    // Other ports may have been closed since the attempt.
    await this.#openWhatFits();
    this.#reportShortage();
  }

  /** Closes all ports. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#listening.keys()].map((id) => this.#close(id)));
  }

  async #update(
    family: IPFamily,
    key: ServiceKey,
    next: HealthCheckNodePort | undefined,
    hosts: readonly string[],
  ): Promise<void> {
    const id = `${family} ${key}`;
    if (next) {
      this.#wanted[family].set(key, next);
    } else {
      this.#wanted[family].delete(key);
    }
    const current = this.#listening.get(id);
    const same =
      next !== undefined &&
      current?.port === next.port &&
      current.hosts.length === hosts.length &&
      current.hosts.every((host) => hosts.includes(host));
    if (!next) {
      this.#unopened.delete(id);
    }
    if (current && !same) {
      await this.#close(id);
    }
    if (!next || same || this.#stopped) {
      return;
    }
    if (this.#sockets + hosts.length > this.#maxSockets) {
      this.#unopened.set(id, { family, service: next, hosts, isReported: this.#unopened.get(id)?.isReported ?? false });
      return;
    }
    this.#unopened.delete(id);
    await this.#open(family, key, next, hosts);
  }

  #reportShortage(): void {
    const { shortage } = this;
    if (shortage === undefined) {
      return;
    }
    this.#reportUnopened(shortage);
    for (const unopened of this.#unopened.values()) {
      if (!unopened.isReported) {
        unopened.isReported = true;
        const reason = 'the limit of open files leaves no socket for it; raise it (ulimit -n, LimitNOFILE)';
        this.options.onFailure?.(unopened.service, new ProxierError('OPEN_FILES_LIMIT', reason));
      }
    }
  }

  async #openWhatFits(): Promise<void> {
    for (const [id, { family, service, hosts }] of this.#unopened) {
      if (this.#stopped || this.#sockets + hosts.length > this.#maxSockets) {
        return;
      }
      this.#unopened.delete(id);
      await this.#open(family, serviceKey(service), service, hosts);
    }
  }

  async #open(family: IPFamily, key: ServiceKey, next: HealthCheckNodePort, hosts: readonly string[]): Promise<void> {
    const { logger = silentLogger, clock = systemClock, onFailure, isOwnAddress } = this.options;
    const listeners = hosts.map(
      (host) =>
        new HttpListener({
          name: `health check of Service ${key}`,
          host,
          port: next.port,
          ipv6Only: family === 'IPv6',
          logger,
          clock,
          methods: SAFE_METHODS,
          sharedRoom: this.#sharedRoom,
          ...(isOwnAddress ? { isOwnAddress } : {}),
          answer: (_request, response) => {
            const { status, headers, body } = this.#answer(next, this.#wanted[family].get(key)?.localEndpoints ?? 0);
            reply(response, status, JSON_TYPE, body, headers);
          },
          onFailure: (error) => onFailure?.(next, error),
        }),
    );
    this.#listening.set(`${family} ${key}`, { port: next.port, hosts, listeners });
    this.#sockets += hosts.length;
    await Promise.all(listeners.map((listener) => listener.start()));
  }

  async #close(id: string): Promise<void> {
    const current = this.#listening.get(id);
    this.#listening.delete(id);
    this.#sockets -= current?.hosts.length ?? 0;
    await Promise.all(current?.listeners.map((listener) => listener.stop()) ?? []);
  }

  /** Spec H-16…H-18: keys in this order, tabs, no line break at the end. */
  #answer({ namespace, name }: HealthCheckNodePort, localEndpoints: number) {
    const { healthy } = this.options.health.status();
    const body = { service: { namespace, name }, localEndpoints, serviceProxyHealthy: healthy };
    return {
      status: localEndpoints > 0 && healthy ? 200 : 503,
      headers: { 'X-Load-Balancing-Endpoint-Weight': String(localEndpoints) },
      body: JSON.stringify(body, undefined, '\t'),
    };
  }
}

const ANY: Readonly<Record<IPFamily, string>> = { IPv4: '0.0.0.0', IPv6: '::' };
const LOOPBACK: Readonly<Record<IPFamily, string>> = { IPv4: '127.0.0.1', IPv6: '::1' };
