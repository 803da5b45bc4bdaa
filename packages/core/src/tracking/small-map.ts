/**
 * A map with string keys that mostly has one entry, and takes 48 bytes then instead of the 180 of a `Map`. Beyond one
 * entry it is a `Map`. The order is that of insertion.
 */
export class SmallMap<Value> {
  private only: string | undefined;
  private value: Value | undefined;
  private several: Map<string, Value> | undefined;

  get size(): number {
    return this.several?.size ?? (this.only === undefined ? 0 : 1);
  }

  has(key: string): boolean {
    return this.several?.has(key) ?? this.only === key;
  }

  get(key: string): Value | undefined {
    return this.several ? this.several.get(key) : this.only === key ? this.value : undefined;
  }

  set(key: string, value: Value): void {
    if (this.several) {
      this.several.set(key, value);
    } else if (this.only === undefined || this.only === key) {
      this.only = key;
      this.value = value;
    } else {
      this.several = new Map([[this.only, this.value as Value]]).set(key, value);
      this.only = undefined;
      this.value = undefined;
    }
  }

  delete(key: string): void {
    if (this.several) {
      this.several.delete(key);
    } else if (this.only === key) {
      this.only = undefined;
      this.value = undefined;
    }
  }

  keys(): Iterable<string> {
    return this.several?.keys() ?? (this.only === undefined ? [] : [this.only]);
  }

  values(): Iterable<Value> {
    return this.several?.values() ?? (this.only === undefined ? [] : [this.value as Value]);
  }

  [Symbol.iterator](): Iterator<readonly [string, Value]> {
    return (this.several ?? (this.only === undefined ? [] : [[this.only, this.value as Value] as const]))[
      Symbol.iterator
    ]();
  }
}
