import { type Logger, messageOf, type SyncObserver } from '@kube-proxier/core';

/** One observer that tells several, in order. One that fails is logged, and disturbs neither the others nor the sync. */
export function combineObservers(observers: readonly SyncObserver[], logger: Logger): SyncObserver {
  const failed = (what: string, error: unknown) =>
    logger.error(`A sync observer failed in "${what}": ${messageOf(error)}`, { error });
  const each = (what: string, call: (observer: SyncObserver) => void) => {
    for (const observer of observers) {
      try {
        call(observer);
      } catch (error) {
        failed(what, error);
      }
    }
  };
  return {
    started: (family) => each('started', (observer) => observer.started?.(family)),
    queued: (family) => each('queued', (observer) => observer.queued?.(family)),
    repaired: (repair) => each('repaired', (observer) => observer.repaired?.(repair)),
    failed: (failure) => each('failed', (observer) => observer.failed?.(failure)),
    async synced(success) {
      for (const observer of observers) {
        try {
          await observer.synced?.(success);
        } catch (error) {
          failed('synced', error);
        }
      }
    },
  };
}
