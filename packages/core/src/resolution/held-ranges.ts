import { Map as PersistentMap } from 'immutable';
import { type HeldPortRange, portRangeSpace } from '../model/port-range.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';

type Table = PersistentMap<string, readonly HeldPortRange[]>;

/** Builder of the port range index of the next state. */
export class HeldRanges {
  #table: Table | undefined;

  /** Starts from the index of the previous state. */
  constructor(previous: ProxyState['portRanges']) {
    this.#table = previous as Table | undefined;
  }

  /** Undefined when there are none. */
  get table(): ProxyState['portRanges'] {
    return this.#table === undefined || this.#table.size === 0 ? undefined : this.#table;
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
      const table: Table = this.#table ?? PersistentMap();
      const space = portRangeSpace(protocol, address);
      const others = (table.get(space) ?? []).filter(({ owner }) => owner !== port.key);
      const ranges = isHeld ? [...others, { first, last, owner: port.key }] : others;
      this.#table =
        ranges.length === 0
          ? table.delete(space)
          : table.set(
              space,
              ranges.sort((a, b) => a.first - b.first),
            );
    }
  }
}
