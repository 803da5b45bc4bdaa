/**
 * A map with string keys, optimized for one entry: it then takes 48 bytes instead of the 180 of a `Map`. With more
 * entries it uses a `Map`. The order is that of insertion.
 */
export class SmallMap<Key extends string, Value> {
  #only: Key | undefined;
  #value: Value | undefined;
  #several: Map<Key, Value> | undefined;

  get size(): number {
    return this.#several?.size ?? (this.#only === undefined ? 0 : 1);
  }

  has(key: Key): boolean {
    return this.#several?.has(key) ?? this.#only === key;
  }

  get(key: Key): Value | undefined {
    return this.#several ? this.#several.get(key) : this.#only === key ? this.#value : undefined;
  }

  set(key: Key, value: Value): void {
    if (this.#several) {
      this.#several.set(key, value);
    } else if (this.#only === undefined || this.#only === key) {
      this.#only = key;
      this.#value = value;
    } else {
      this.#several = new Map([[this.#only, this.#value as Value]]).set(key, value);
      this.#only = undefined;
      this.#value = undefined;
    }
  }

  delete(key: Key): void {
    if (this.#several) {
      this.#several.delete(key);
    } else if (this.#only === key) {
      this.#only = undefined;
      this.#value = undefined;
    }
  }

  keys(): Iterable<Key> {
    return this.#several?.keys() ?? (this.#only === undefined ? [] : [this.#only]);
  }

  values(): Iterable<Value> {
    return this.#several?.values() ?? (this.#only === undefined ? [] : [this.#value as Value]);
  }

  [Symbol.iterator](): Iterator<readonly [Key, Value]> {
    return (this.#several ?? (this.#only === undefined ? [] : [[this.#only, this.#value as Value] as const]))[
      Symbol.iterator
    ]();
  }
}
