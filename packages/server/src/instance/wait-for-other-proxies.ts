import { type Clock, type Logger, systemClock } from '@kube-proxier/core';
import { HealthServer } from '../health/health-server.js';
import { ProxyHealth } from '../health/proxy-health.js';
import type { Readiness } from '../health/readiness.js';
import { WaitingHealth } from '../health/waiting-health.js';
import type { ProxyServerOptions } from '../proxy-server-options.js';
import { VERSION } from '../version.js';
import { becomeOnlyInstance } from './exclusive-instance.js';
import { type HeldInstanceLock, InstanceLock } from './instance-lock.js';

/** Dependencies of the wait, in addition to the options of the server. */
export interface InstanceContext {
  readonly nodeName: string;
  /** Sync period of the proxier, in milliseconds. */
  readonly syncPeriod: number;
  readonly readiness: Readiness;
  readonly logger: Logger;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
}

/**
 * Waits until this is the only proxy of its network namespace, without changing the host. Answers health checks meanwhile.
 *
 * @returns the lock; undefined when none is taken.
 */
export async function waitForOtherProxies(
  options: ProxyServerOptions,
  { nodeName, syncPeriod, readiness, logger, signal }: InstanceContext,
): Promise<HeldInstanceLock | undefined> {
  const isOwnNamespace = options.network === undefined;
  const {
    clock = systemClock,
    exclusive = isOwnNamespace,
    announce = isOwnNamespace,
    healthAddress,
    instances,
  } = options;
  const identity = { pid: process.pid, version: VERSION, mode: '', nodeName };
  if (!exclusive) {
    // If locks are not allowed, proxies do not wait for each other.
    return announce ? (instances?.lock ?? new InstanceLock()).tryAcquire(identity).catch(() => undefined) : undefined;
  }
  const waiting = new WaitingHealth(clock, () => makeHealthServer(healthAddress, syncPeriod, clock, readiness));
  try {
    return await becomeOnlyInstance(identity, {
      ...instances,
      ...{ logger, clock, signal },
      onWaiting: (whom) => {
        readiness.waitFor(`${whom} to end`);
        if (healthAddress) {
          void waiting.restart();
        }
      },
    });
  } finally {
    await waiting.stop();
  }
}

function makeHealthServer(
  address: ProxyServerOptions['healthAddress'],
  syncPeriod: number,
  clock: Clock,
  readiness: Readiness,
): HealthServer {
  const health = new ProxyHealth(2 * syncPeriod, clock);
  return new HealthServer({
    ...(address ?? { host: '127.0.0.1', port: 0 }),
    ...{ health, clock, notReady: () => readiness.reason() },
  });
}
