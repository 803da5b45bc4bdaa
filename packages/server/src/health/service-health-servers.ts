import {
  type Clock,
  EventLoopPace,
  type HealthCheckNodePort,
  type IPFamily,
  type Logger,
  type ServiceKey,
  type SyncObserver,
  type SyncSuccess,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { ConnectionRoom, type SharedRoom } from './connection-limits.js';
import { HttpListener, JSON_TYPE, reply, SAFE_METHODS } from './http-listener.js';
import type { ProxyHealth } from './proxy-health.js';

/** Options of {@link ServiceHealthServers}. */
export interface ServiceHealthServersOptions {
  readonly health: ProxyHealth;
  /** Default: no logs. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Called when it cannot listen on a Service's port (spec H-19). Default: nothing. */
  readonly onFailure?: (service: HealthCheckNodePort, error: unknown) => void;
  /** Whether an address belongs to the node, whose connections have reserved room. Default: loopback addresses only. */
  readonly isOwnAddress?: (address: string) => boolean;
}

/** Connections to all health check node ports together: with many Services, descriptors run out before ports are full. */
const MAX_CONNECTIONS = 4096;
const MAX_OWN_CONNECTIONS = 512;

interface Listening {
  readonly port: number;
  readonly hosts: readonly string[];
  readonly listeners: readonly HttpListener[];
}

/** Serves the health check node ports of Services, by which load balancers find nodes with endpoints (spec H-15…H-22). */
export class ServiceHealthServers implements SyncObserver {
  /** As of the last sync. */
  readonly #wanted: Readonly<Record<IPFamily, Map<ServiceKey, HealthCheckNodePort>>> = {
    IPv4: new Map(),
    IPv6: new Map(),
  };
  /** By family and Service. */
  readonly #listening = new Map<string, Listening>();
  readonly #sharedRoom: SharedRoom = {
    own: new ConnectionRoom(MAX_OWN_CONNECTIONS),
    foreign: new ConnectionRoom(MAX_CONNECTIONS),
  };
  #stopped = false;

  constructor(private readonly options: ServiceHealthServersOptions) {}

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
    for (const key of keys) {
      updates.push(this.#update(family, key, state.healthCheckNodePorts.get(key), hosts));
      if (pace.isPauseDue()) {
        await Promise.all([...updates, pace.pause()]);
        updates = [];
      }
    }
    await Promise.all(updates);
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
    if (current && !same) {
      await this.#close(id);
    }
    if (!next || same || this.#stopped) {
      return;
    }
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
    this.#listening.set(id, { port: next.port, hosts, listeners });
    await Promise.all(listeners.map((listener) => listener.start()));
  }

  async #close(id: string): Promise<void> {
    const current = this.#listening.get(id);
    this.#listening.delete(id);
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
