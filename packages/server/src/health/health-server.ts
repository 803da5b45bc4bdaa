import type { ServerResponse } from 'node:http';
import { type Clock, type Logger, silentLogger, systemClock } from '@kube-proxier/core';
import type { ConnectionShare } from './descriptor-shares.js';
import { HttpListener, JSON_TYPE, reply, SAFE_METHODS, TEXT } from './http-listener.js';
import type { ProxyHealth } from './proxy-health.js';

/** Options of {@link HealthServer}. */
export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly health: ProxyHealth;
  /** Reason why this node is not programmed yet; undefined when it is. Default: always undefined. */
  readonly notReady?: () => string | undefined;
  /** Default: no logs. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Failure to listen is fatal. Default false: it is retried. */
  readonly hardFail?: boolean;
  /** Called for each failed attempt to listen. Default: nothing. */
  readonly onFailure?: () => void;
  /**
   * Whether an address belongs to the node, whose connections have a reserved limit. Default: loopback addresses only.
   */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Maximum concurrent connections. Default: 256 remote, 64 of the node. */
  readonly connections?: ConnectionShare;
  /** Called for each response of `/healthz` and `/livez`. Default: nothing. */
  readonly onAnswer?: (path: 'healthz' | 'livez', status: number) => void;
}

/**
 * `/healthz` and `/livez` as kube-proxy answers them (spec H-1…H-10): whether changes are applied in time, and for
 * `/healthz` also whether this node should get new connections from load balancers. `/readyz` answers 503 with the
 * reason until this node is programmed, and as `/livez` from then on.
 */
export class HealthServer {
  readonly #listener: HttpListener;

  constructor(private readonly options: HealthServerOptions) {
    this.#listener = new HttpListener({
      name: 'health server',
      host: options.host,
      port: options.port,
      logger: options.logger ?? silentLogger,
      clock: options.clock ?? systemClock,
      hardFail: options.hardFail ?? false,
      onFailure: () => options.onFailure?.(),
      methods: SAFE_METHODS,
      ...(options.isOwnAddress ? { isOwnAddress: options.isOwnAddress } : {}),
      ...(options.connections ? { connections: options.connections } : {}),
      answer: ({ url = '/' }, response) => this.#answer(url.replace(/\?.*$/, ''), response),
    });
  }

  get address(): HttpListener['address'] {
    return this.#listener.address;
  }

  /** Why it does not listen; undefined while it listens. */
  get obstacle(): string | undefined {
    return this.#listener.obstacle;
  }

  /** @throws ListenError */
  start(): Promise<void> {
    return this.#listener.start();
  }

  stop(): Promise<void> {
    return this.#listener.stop();
  }

  #answer(path: string, response: ServerResponse): void {
    if (path !== '/healthz' && path !== '/livez' && path !== '/readyz') {
      reply(response, 404, TEXT, 'not found; use /healthz, /livez or /readyz\n');
      return;
    }
    const { healthy, nodeEligible, lastUpdated, families } = this.options.health.status();
    const now = (this.options.clock ?? systemClock).now();
    const withNode = path === '/healthz';
    const reason = path === '/readyz' ? this.options.notReady?.() : undefined;
    const ok = healthy && (!withNode || nodeEligible) && reason === undefined;
    const status = ok ? 200 : 503;
    const times = (milliseconds: number) =>
      milliseconds === 0 ? '0001-01-01T00:00:00Z' : new Date(milliseconds).toISOString();
    const body = {
      // Older load balancers check the age of this value, so it is "now" while healthy (spec H-7).
      lastUpdated: times(ok && lastUpdated !== 0 ? now : lastUpdated),
      currentTime: times(now),
      ...(withNode ? { nodeEligible } : {}),
      // Of the proxy: whether the node is eligible is a field of its own.
      healthy: healthy && reason === undefined,
      ...(reason === undefined ? {} : { reason }),
      ...(Object.keys(families).length === 0
        ? {}
        : {
            status: Object.fromEntries(
              Object.entries(families).map(([family, one]) => [
                family,
                { lastUpdated: times(one.lastUpdated), healthy: one.healthy },
              ]),
            ),
          }),
    };
    if (path !== '/readyz') {
      this.options.onAnswer?.(withNode ? 'healthz' : 'livez', status);
    }
    reply(response, status, JSON_TYPE, JSON.stringify(body));
  }
}
