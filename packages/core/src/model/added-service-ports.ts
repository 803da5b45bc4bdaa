import type { ServicePortChange } from './change-set.js';
import type { ReadonlyTable, ResolvedServicePort } from './proxy-state.js';
import type { ServicePortKey } from './service-port-name.js';

/**
 * The changes that add all service ports of a state. They are created when they are read: a state may have a hundred
 * thousand, and a table that grows to that size blocks the event loop.
 */
export class AddedServicePorts implements ReadonlyMap<ServicePortKey, ServicePortChange> {
  constructor(private readonly servicePorts: ReadonlyTable<ServicePortKey, ResolvedServicePort>) {}

  get size(): number {
    return this.servicePorts.size;
  }

  get(key: ServicePortKey): ServicePortChange | undefined {
    const current = this.servicePorts.get(key);
    return current && { previous: undefined, current };
  }

  has(key: ServicePortKey): boolean {
    return this.servicePorts.has(key);
  }

  keys(): MapIterator<ServicePortKey> {
    return this.servicePorts.keys() as MapIterator<ServicePortKey>;
  }

  *entries(): MapIterator<[ServicePortKey, ServicePortChange]> {
    for (const [key, current] of this.servicePorts) {
      yield [key, { previous: undefined, current }];
    }
  }

  *values(): MapIterator<ServicePortChange> {
    for (const current of this.servicePorts.values()) {
      yield { previous: undefined, current };
    }
  }

  [Symbol.iterator](): MapIterator<[ServicePortKey, ServicePortChange]> {
    return this.entries();
  }

  forEach(
    callback: (
      value: ServicePortChange,
      key: ServicePortKey,
      map: ReadonlyMap<ServicePortKey, ServicePortChange>,
    ) => void,
  ): void {
    for (const [key, change] of this) {
      callback(change, key, this);
    }
  }
}
