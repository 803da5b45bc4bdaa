import type { Endpoint } from '../model/endpoint.js';
import type { ServicePortKey } from '../model/service-port-name.js';
import type { EndpointSet } from './endpoint-set.js';
import { better, type SliceContent } from './slice-contribution.js';
import type { SmallMap } from './small-map.js';
import { findEndpoint, NO_ENDPOINTS, type SortedEndpoints } from './sorted-endpoints.js';

/** The endpoints of a Service, merged from its slices. */
export interface ServiceEndpoints {
  readonly slices: SmallMap<string, SliceContent>;
  readonly ports: SmallMap<ServicePortKey, EndpointSet>;
}

/** `portKey endpointKey` of endpoints in more than one slice, with the number of slices. */
export type SharedEndpoints = Map<string, number>;

/** Merges the old and new content of one slice for one service port into the endpoints of all slices. */
export class SliceMerge {
  /** @param changed receives the changed endpoints by key; undefined for those that are gone. */
  constructor(
    private readonly endpoints: ServiceEndpoints,
    private readonly port: ServicePortKey,
    private readonly changed: Map<string, Endpoint | undefined>,
    private readonly shared: SharedEndpoints,
  ) {}

  replace(previous: SortedEndpoints, next: SortedEndpoints): void {
    let left = 0;
    let right = 0;
    while (left < previous.length || right < next.length) {
      const before = previous[left];
      const after = next[right];
      if (before && (!after || before.key < after.key)) {
        this.#removed(before.key);
        left += 1;
      } else if (after && (!before || after.key < before.key)) {
        this.#added(after);
        right += 1;
      } else if (before && after) {
        if (before !== after) {
          const isShared = this.shared.has(`${this.port} ${after.key}`);
          this.changed.set(after.key, isShared ? this.#best(after.key) : after);
        }
        left += 1;
        right += 1;
      }
    }
  }

  #removed(key: string): void {
    const id = `${this.port} ${key}`;
    const count = this.shared.get(id);
    if (count === undefined) {
      this.changed.set(key, undefined);
      return;
    }
    if (count === 2) {
      this.shared.delete(id);
    } else {
      this.shared.set(id, count - 1);
    }
    this.changed.set(key, this.#best(key));
  }

  #added(endpoint: Endpoint): void {
    const { key } = endpoint;
    const installed = this.endpoints.ports.get(this.port)?.view.candidates ?? NO_ENDPOINTS;
    const known = this.changed.has(key) ? this.changed.get(key) : findEndpoint(installed, key);
    if (!known) {
      this.changed.set(key, endpoint);
      return;
    }
    const id = `${this.port} ${key}`;
    this.shared.set(id, (this.shared.get(id) ?? 1) + 1);
    this.changed.set(key, better(known, endpoint));
  }

  /** Searches all slices: only for endpoints that occur in several of them. */
  #best(key: string): Endpoint | undefined {
    let best: Endpoint | undefined;
    for (const slice of this.endpoints.slices.values()) {
      const endpoint = findEndpoint(slice.ports.get(this.port) ?? NO_ENDPOINTS, key);
      best = best && endpoint ? better(best, endpoint) : (best ?? endpoint);
    }
    return best;
  }
}
