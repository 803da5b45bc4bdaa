import type { Map as PersistentMap } from 'immutable';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { Slices } from '../pacing/slices.js';

/** Counts the frontends of each cluster IP. */
export class ClusterIPCount {
  readonly #touched = new Set<string>();

  constructor(public table: PersistentMap<string, number>) {}

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
      const count = (this.table.get(address) ?? 0) + by;
      this.table = count === 0 ? this.table.delete(address) : this.table.set(address, count);
      this.#touched.add(address);
    }
  }

  /** The added and removed cluster IPs. Yields after each if `isLong`, so that a caller can pause. */
  *changedFrom(previous: ProxyState['clusterIPs'], isLong: boolean): Slices<ReadonlySet<string>> {
    const changed = new Set<string>();
    for (const address of this.#touched) {
      if (isLong) {
        yield;
      }
      if (previous.has(address) !== this.table.has(address)) {
        changed.add(address);
      }
    }
    return changed;
  }
}

function clusterIPOf(port: ResolvedServicePort | undefined): string | undefined {
  return port?.frontends.find(({ kind }) => kind === 'ClusterIP')?.address;
}
