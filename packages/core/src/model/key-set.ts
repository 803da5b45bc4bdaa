import type { ReadonlyTable } from './proxy-state.js';

/** The keys of a map, as a set. */
export class KeySet<Key> implements ReadonlySet<Key> {
  constructor(private readonly map: ReadonlyTable<Key, unknown>) {}

  get size(): number {
    return this.map.size;
  }

  has(key: Key): boolean {
    return this.map.has(key);
  }

  keys(): SetIterator<Key> {
    return this.map.keys() as SetIterator<Key>;
  }

  values(): SetIterator<Key> {
    return this.keys();
  }

  *entries(): SetIterator<[Key, Key]> {
    for (const key of this.map.keys()) {
      yield [key, key];
    }
  }

  [Symbol.iterator](): SetIterator<Key> {
    return this.keys();
  }

  forEach(callback: (value: Key, key: Key, set: ReadonlySet<Key>) => void): void {
    for (const key of this.map.keys()) {
      callback(key, key, this);
    }
  }
}
