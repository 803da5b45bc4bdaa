import { type Clock, EventLoopPace, type Logger, messageOf } from '@kube-proxier/core';
import type { ServerObserver } from './server-observer.js';

/**
 * Returns an observer that notifies several, in order. An error of one is logged and reported to `onFailure`; it affects
 * neither the others nor the sync.
 *
 * @param clock measures when to yield to the event loop between observers. Default: the system's.
 */
export function combineObservers(
  observers: readonly ServerObserver[],
  logger: Logger,
  onFailure: () => void = () => {},
  clock?: Clock,
): ServerObserver {
  const failed = (what: string, error: unknown) => {
    logger.error(`A sync observer failed in "${what}": ${messageOf(error)}`, { error });
    onFailure();
  };
  const each = (what: string, call: (observer: ServerObserver) => void) => {
    // Called for each event of a source: an iterator would be garbage each time.
    for (let index = 0; index < observers.length; index += 1) {
      try {
        call(observers[index] as ServerObserver);
      } catch (error) {
        failed(what, error);
      }
    }
  };
  return {
    modeSelected: (selection) => each('modeSelected', (observer) => observer.modeSelected?.(selection)),
    takenOver: (takeover) => each('takenOver', (observer) => observer.takenOver?.(takeover)),
    verifying: () => each('verifying', (observer) => observer.verifying?.()),
    verified: (result) => each('verified', (observer) => observer.verified?.(result)),
    serviceHealthFailed: (service, error) =>
      each('serviceHealthFailed', (observer) => observer.serviceHealthFailed?.(service, error)),
    serviceEvent: () => each('serviceEvent', (observer) => observer.serviceEvent?.()),
    endpointsEvent: () => each('endpointsEvent', (observer) => observer.endpointsEvent?.()),
    nodeEvent: (node) => each('nodeEvent', (observer) => observer.nodeEvent?.(node)),
    started: (family) => each('started', (observer) => observer.started?.(family)),
    queued: (family) => each('queued', (observer) => observer.queued?.(family)),
    resolving: (family, latest) => each('resolving', (observer) => observer.resolving?.(family, latest)),
    resolved: (family, state) => each('resolved', (observer) => observer.resolved?.(family, state)),
    companion: (family, error) => each('companion', (observer) => observer.companion?.(family, error)),
    repaired: (repair) => each('repaired', (observer) => observer.repaired?.(repair)),
    foreignRulesChanged: (family) => each('foreignRulesChanged', (observer) => observer.foreignRulesChanged?.(family)),
    failed: (failure) => each('failed', (observer) => observer.failed?.(failure)),
    async synced(success) {
      const pace = new EventLoopPace(clock);
      for (const observer of observers) {
        if (pace.isPauseDue()) {
          await pace.pause();
        }
        try {
          await observer.synced?.(success);
        } catch (error) {
          failed('synced', error);
        }
      }
    },
  };
}
