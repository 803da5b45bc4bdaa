import type { Clock, Logger } from '@kube-proxier/core';
import { messageOf } from '@kube-proxier/core';
import { describeKubeProxy, findKubeProxy, type KubeProxyFinding } from './find-kube-proxy.js';
import { describeHolder, type HeldInstanceLock, type InstanceIdentity, InstanceLock } from './instance-lock.js';

/** Milliseconds between two checks for kube-proxy. */
const KUBE_PROXY_POLL = 1000;

/** Options of {@link becomeOnlyInstance}. */
export interface ExclusiveInstanceOptions {
  readonly logger: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called with a description of each proxy that it waits for, once. */
  readonly onWaiting: (whom: string) => void;
  /** Default: the lock of this process's network namespace. */
  readonly lock?: Pick<InstanceLock, 'acquire' | 'tryAcquire'>;
  /** Default: {@link findKubeProxy}. */
  readonly findKubeProxy?: () => Promise<KubeProxyFinding>;
}

/**
 * Waits until this is the only proxy of its network namespace: until no other kube-proxier holds the lock, and then
 * until no kube-proxy runs. Changes nothing on the host meanwhile. Logs one line for each proxy that it waits for.
 *
 * @returns the lock; undefined when this host does not allow one.
 * @throws the reason of `signal` when that aborts.
 */
export async function becomeOnlyInstance(
  identity: Omit<InstanceIdentity, 'since'>,
  options: ExclusiveInstanceOptions,
): Promise<HeldInstanceLock | undefined> {
  const { logger, clock, signal, lock = new InstanceLock(), findKubeProxy: find = findKubeProxy } = options;
  const begin = clock.monotonic();
  let hasWaited = false;
  const waitFor = (whom: string) => {
    hasWaited = true;
    logger.info(
      `Waiting for another proxy in this network namespace to end: ${whom}; nothing is programmed until then`,
    );
    options.onWaiting(whom);
  };
  let held: HeldInstanceLock | undefined;
  try {
    held = await lock.acquire(identity, { signal, onWaiting: (holder) => waitFor(describeHolder(holder)) });
  } catch (error) {
    signal.throwIfAborted();
    logger.warn(`Cannot detect a second proxy in this network namespace: ${messageOf(error)}`);
  }
  try {
    let whom: string | undefined;
    for (;;) {
      const finding = await find();
      signal.throwIfAborted();
      if (finding.status !== 'found') {
        break;
      }
      const next = describeKubeProxy(finding);
      // Its mode is detected slightly later than its process.
      if (whom === undefined) {
        waitFor(next);
      }
      whom = next;
      await sleep(KUBE_PROXY_POLL, clock, signal);
    }
  } catch (error) {
    await held?.release();
    throw error;
  }
  if (hasWaited) {
    const seconds = Math.round((clock.monotonic() - begin) / 1000);
    logger.info(`No other proxy runs in this network namespace now; starting after ${seconds} s`);
  }
  return held;
}

function sleep(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      timer.cancel();
      reject(signal.reason);
    };
    const timer = clock.setTimer(milliseconds, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
