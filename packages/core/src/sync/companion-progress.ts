import type { ProxierContext } from '../contract/backend-module.js';
import type { Clock } from './clock.js';
import type { SyncObserver } from './sync-observer.js';

/** Maximum time in milliseconds that a sync waits for its companion. */
const ANSWER_TIMEOUT = 1000;

/**
 * Progress of a companion: a sync of a proxier is reported only when its companion has synced as well. A companion that
 * failed or ended is not awaited.
 */
export class CompanionProgress {
  #asked = 0;
  /** Number of requests that the running sync covers, as far as known. */
  #begun: number | undefined;
  #done = 0;
  #ended = false;
  #report: (error: unknown) => void = () => {};
  readonly #waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /**
   * The companion's context, with observers attached.
   *
   * @param primary receives whether the companion is up to date.
   */
  watched(context: ProxierContext, primary: SyncObserver): ProxierContext {
    const { observer, family } = context;
    this.#report = (error) => primary.companion?.(family, error);
    return {
      ...context,
      // A sync requests them before it applies pending changes.
      localAddresses: () => {
        this.#begun = this.#asked;
        return context.localAddresses();
      },
      observer: {
        ...forwarded(observer),
        queued: (family) => {
          this.#asked += 1;
          observer.queued?.(family);
        },
        synced: async (success) => {
          this.#finish();
          this.#report(undefined);
          await observer.synced?.(success);
        },
        failed: (failure) => {
          this.#finish();
          this.#report(failure.error);
          observer.failed?.(failure);
        },
      },
    };
  }

  /** The context of the main proxier: syncs are reported when both are done. */
  waitedFor(context: ProxierContext): ProxierContext {
    const { observer } = context;
    return {
      ...context,
      observer: {
        ...forwarded(observer),
        synced: async (success) => {
          await this.#caughtUp();
          await observer.synced?.(success);
        },
      },
    };
  }

  /** The companion has ended; with the reason when that was not requested. */
  end(error?: unknown): void {
    this.#ended = true;
    if (error !== undefined) {
      this.#report(error);
    }
    this.#wake();
  }

  #finish(): void {
    this.#done = this.#begun ?? this.#asked;
    this.#begun = undefined;
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) {
      wake();
    }
  }

  async #caughtUp(): Promise<void> {
    const wanted = this.#asked;
    if (this.#ended || this.#done >= wanted) {
      return;
    }
    await new Promise<void>((resolve) => {
      const end = () => {
        timer.cancel();
        this.#waiting.delete(check);
        resolve();
      };
      const check = () => {
        if (this.#ended || this.#done >= wanted) {
          end();
        }
      };
      const timer = this.clock.setTimer(ANSWER_TIMEOUT, end);
      this.#waiting.add(check);
    });
  }
}

/** An object spread would lose the methods of a class. */
function forwarded(observer: SyncObserver): SyncObserver {
  return {
    started: (family) => observer.started?.(family),
    queued: (family) => observer.queued?.(family),
    resolving: (family, latest) => observer.resolving?.(family, latest),
    resolved: (family, state) => observer.resolved?.(family, state),
    synced: (success) => observer.synced?.(success),
    failed: (failure) => observer.failed?.(failure),
    repaired: (repair) => observer.repaired?.(repair),
    foreignRulesChanged: (family) => observer.foreignRulesChanged?.(family),
    companion: (family, error) => observer.companion?.(family, error),
  };
}
