import { KeySet } from '../model/key-set.js';
import type { MapDraft, PersistentMap } from '../model/persistent-map.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { Slices } from '../pacing/slices.js';

/** Counts the frontends of each cluster IP. */
export class ClusterIPCount {
  /** Undefined where none had frontends before, so that all that have some now were added. */
  readonly #touched: Set<string> | undefined;
  readonly #counts: MapDraft<string, number>;

  /** @param previous the counts of the previous state. */
  constructor(previous: PersistentMap<string, number>) {
    this.#touched = previous.size === 0 ? undefined : new Set();
    this.#counts = previous.draft();
  }

  /** The counts of the next state. */
  finish(): PersistentMap<string, number> {
    return this.#counts.finish();
  }

  /** Replaces the frontends of a service port. */
  replace(before: ResolvedServicePort | undefined, after: ResolvedServicePort | undefined): void {
    const [released, claimed] = [clusterIPOf(before), clusterIPOf(after)];
    if (released !== claimed) {
      this.#count(released, -1);
      this.#count(claimed, 1);
    }
  }

  #count(address: string | undefined, by: 1 | -1): void {
    if (address !== undefined) {
      const count = (this.#counts.get(address) ?? 0) + by;
      if (count === 0) {
        this.#counts.delete(address);
      } else {
        this.#counts.set(address, count);
      }
      this.#touched?.add(address);
    }
  }

  /** The added and removed cluster IPs. Yields after each if `isLong`, so that a caller can pause. */
  *changedFrom(previous: ProxyState['clusterIPs'], isLong: boolean): Slices<ReadonlySet<string>> {
    if (this.#touched === undefined) {
      return new KeySet(this.finish());
    }
    const changed = new Set<string>();
    for (const address of this.#touched) {
      if (isLong) {
        yield;
      }
      if (previous.has(address) !== this.#counts.has(address)) {
        changed.add(address);
      }
    }
    return changed;
  }
}

function clusterIPOf(port: ResolvedServicePort | undefined): string | undefined {
  return port?.frontends.find(({ kind }) => kind === 'ClusterIP')?.address;
}
