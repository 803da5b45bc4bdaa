import { Map as PersistentMap } from 'immutable';
import { type HeldPortRange, portRangeSpace } from '../model/port-range.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';

type Table = PersistentMap<string, readonly HeldPortRange[]>;

/** The index of ranges of a state, while the next state is made. */
export interface HeldRanges {
  /** Undefined when there are none. */
  readonly table: ProxyState['portRanges'];
  /** Replaces the ranges of a service port. */
  replace(before: ResolvedServicePort | undefined, after: ResolvedServicePort | undefined): void;
}

/** The index, starting from that of the previous state. */
export function heldRangesOf(previous: ProxyState['portRanges']): HeldRanges {
  let table = (previous ?? PersistentMap()) as Table;
  const update = (port: ResolvedServicePort | undefined, isHeld: boolean) => {
    for (const { address, protocol, port: first, lastPort: last } of port?.frontends ?? []) {
      if (port === undefined || address === undefined || last === undefined) {
        continue;
      }
      const space = portRangeSpace(protocol, address);
      const others = (table.get(space) ?? []).filter(({ owner }) => owner !== port.key);
      const ranges = isHeld ? [...others, { first, last, owner: port.key }] : others;
      table =
        ranges.length === 0
          ? table.delete(space)
          : table.set(
              space,
              ranges.sort((a, b) => a.first - b.first),
            );
    }
  };
  return {
    get table() {
      return table.size === 0 ? undefined : table;
    },
    replace(before, after) {
      update(before, false);
      update(after, true);
    },
  };
}
