import type { ProxierContext } from '../contract/backend-module.js';
import type { Clock } from './clock.js';
import type { SyncObserver } from './sync-observer.js';

/** Milliseconds that a sync counts as under way for its companion's sake, at most. */
const ANSWER_TIMEOUT = 1000;

/**
 * How far a companion is: what a proxier tells to be in force is so when its companion has seen to its part as well.
 * One that fails, or has ended, is not waited for.
 */
export class CompanionProgress {
  #asked = 0;
  /** How many of the requests a sync that is under way answers, as far as that can be told. */
  #begun: number | undefined;
  #done = 0;
  #ended = false;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** The companion's context, listened to. */
  watched(context: ProxierContext): ProxierContext {
    const { observer } = context;
    return {
      ...context,
      // A sync asks for them before it takes up changes.
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
          await observer.synced?.(success);
        },
        failed: (failure) => {
          this.#finish();
          observer.failed?.(failure);
        },
      },
    };
  }

  /** The context of the proxier that it is beside: syncs are told when both are done. */
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

  /** There will be no more of it. */
  end(): void {
    this.#ended = true;
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
        this.#waiting.delete(look);
        resolve();
      };
      const look = () => {
        if (this.#ended || this.#done >= wanted) {
          end();
        }
      };
      const timer = this.clock.setTimer(ANSWER_TIMEOUT, end);
      this.#waiting.add(look);
    });
  }
}

/** Spreading would lose methods of a class. */
function forwarded(observer: SyncObserver): SyncObserver {
  return {
    started: (family) => observer.started?.(family),
    queued: (family) => observer.queued?.(family),
    synced: (success) => observer.synced?.(success),
    failed: (failure) => observer.failed?.(failure),
    repaired: (repair) => observer.repaired?.(repair),
  };
}
