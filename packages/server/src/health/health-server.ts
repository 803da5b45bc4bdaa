import type { ServerResponse } from 'node:http';
import { type Clock, type Logger, silentLogger, systemClock } from '@kube-proxier/core';
import { HttpListener, JSON_TYPE, reply, SAFE_METHODS, TEXT } from './http-listener.js';
import type { ProxyHealth } from './proxy-health.js';

/** Where a {@link HealthServer} listens, and what it tells of. */
export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly health: ProxyHealth;
  /** Why this node is not programmed yet, in words; undefined when it is. Default: it always is. */
  readonly notReady?: () => string | undefined;
  /** Default: says nothing. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Not being able to listen is an end. Default false: it is tried again. */
  readonly hardFail?: boolean;
  /** Told of each attempt to listen that failed. Default: nobody. */
  readonly onFailure?: () => void;
  /** Whether an address is one of the node, for whose connections room is kept. Default: loopback addresses are. */
  readonly isOwnAddress?: (address: string) => boolean;
  /** Notified of each answer of `/healthz` and `/livez`. Default: nobody. */
  readonly onAnswer?: (path: 'healthz' | 'livez', status: number) => void;
}

/**
 * `/healthz` and `/livez` as kube-proxy answers them (spec H-1…H-10): whether the proxy keeps up, and `/healthz` also
 * whether this node should get new connections from load balancers. `/readyz` answers 503 with the reason until this
 * node is programmed, and as `/livez` from then on.
 */
export class HealthServer {
  private readonly listener: HttpListener;

  constructor(private readonly options: HealthServerOptions) {
    this.listener = new HttpListener({
      name: 'health server',
      host: options.host,
      port: options.port,
      logger: options.logger ?? silentLogger,
      clock: options.clock ?? systemClock,
      hardFail: options.hardFail ?? false,
      onFailure: () => options.onFailure?.(),
      methods: SAFE_METHODS,
      ...(options.isOwnAddress ? { isOwnAddress: options.isOwnAddress } : {}),
      answer: ({ url = '/' }, response) => this.answer(url.replace(/\?.*$/, ''), response),
    });
  }

  get address(): HttpListener['address'] {
    return this.listener.address;
  }

  /** @throws ListenError */
  start(): Promise<void> {
    return this.listener.start();
  }

  stop(): Promise<void> {
    return this.listener.stop();
  }

  private answer(path: string, response: ServerResponse): void {
    if (path !== '/healthz' && path !== '/livez' && path !== '/readyz') {
      reply(response, 404, TEXT, 'not found; there are /healthz, /livez and /readyz\n');
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
      // A load balancer of old looks at the age of this, so it is "now" while all is well (spec H-7).
      lastUpdated: times(ok && lastUpdated !== 0 ? now : lastUpdated),
      currentTime: times(now),
      ...(withNode ? { nodeEligible } : {}),
      healthy: ok,
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
