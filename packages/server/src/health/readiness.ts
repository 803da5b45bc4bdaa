import { type IPFamily, messageOf, type SyncFailure } from '@kube-proxier/core';
import type { ServerObserver } from '../server-observer.js';

/**
 * Whether this node is programmed, and if not, the reason. A node is programmed once each served IP family had its first
 * full sync; later failures do not change that, since installed rules stay in force.
 */
export class Readiness implements ServerObserver {
  #stage = 'the start';
  #families: readonly IPFamily[] | undefined;
  #objects: () => string | undefined = () => undefined;
  readonly #synced = new Set<IPFamily>();
  readonly #failures = new Map<IPFamily, string>();

  /** Sets the reason why the start waits: `pid 12 (kube-proxier …)`. */
  waitFor(what: string): void {
    this.#stage = what;
  }

  /**
   * Called when the served families are known.
   *
   * @param objects reason why a source does not have all objects yet; undefined when all have.
   */
  serve(families: readonly IPFamily[], objects: () => string | undefined): void {
    this.#families = families;
    this.#objects = objects;
  }

  synced({ family }: { readonly family: IPFamily }): void {
    this.#synced.add(family);
    this.#failures.delete(family);
  }

  failed({ family, error }: Pick<SyncFailure, 'family' | 'error'>): void {
    this.#failures.set(family, messageOf(error));
  }

  /** `waiting for …`; undefined when this node is programmed. */
  reason(): string | undefined {
    if (this.#families === undefined) {
      return `waiting for ${this.#stage}`;
    }
    const missing = this.#families.filter((family) => !this.#synced.has(family));
    if (missing.length === 0) {
      return undefined;
    }
    const objects = this.#objects();
    if (objects !== undefined) {
      return `waiting for ${objects}`;
    }
    const failures = missing.flatMap((family) => this.#failures.get(family) ?? []);
    const why = failures.length === 0 ? '' : `: ${[...new Set(failures)].join('; ')}`;
    return `waiting for first sync of ${missing.join(' and ')}${why}`;
  }
}
