import { type MapDraft, PersistentMap } from '../model/persistent-map.js';
import { type HeldPortRange, portRangeSpace } from '../model/port-range.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';

type Ranges = PersistentMap<string, readonly HeldPortRange[]>;

/** Builder of the port range index of the next state. */
export class HeldRanges {
  readonly #previous: Ranges | undefined;
  #draft: MapDraft<string, readonly HeldPortRange[]> | undefined;

  /** Starts from the index of the previous state. */
  constructor(previous: ProxyState['portRanges']) {
    this.#previous = previous as Ranges | undefined;
  }

  /** The index of the next state; undefined when there are none. */
  finish(): ProxyState['portRanges'] {
    const ranges = this.#draft?.finish() ?? this.#previous;
    return ranges === undefined || ranges.size === 0 ? undefined : ranges;
  }

  /** Replaces the ranges of a service port. */
  replace(before: ResolvedServicePort | undefined, after: ResolvedServicePort | undefined): void {
    if (before?.frontends !== after?.frontends) {
      this.#update(before, false);
      this.#update(after, true);
    }
  }

  #update(port: ResolvedServicePort | undefined, isHeld: boolean): void {
    for (const { address, protocol, port: first, lastPort: last } of port?.frontends ?? []) {
      if (port === undefined || address === undefined || last === undefined) {
        continue;
      }
      this.#draft ??= (this.#previous ?? PersistentMap.empty<string, readonly HeldPortRange[]>()).draft();
      const space = portRangeSpace(protocol, address);
      const others = (this.#draft.get(space) ?? []).filter(({ owner }) => owner !== port.key);
      const ranges = isHeld ? [...others, { first, last, owner: port.key }] : others;
      if (ranges.length === 0) {
        this.#draft.delete(space);
      } else {
        ranges.sort((a, b) => a.first - b.first);
        this.#draft.set(space, ranges);
      }
    }
  }
}
