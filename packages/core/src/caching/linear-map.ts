/** Number of keys up to which they are compared one by one. */
const MOST_COMPARED = 16;

/**
 * A map by text for few keys, which are compared one by one; from 17 keys on, they have an index.
 *
 * For places where very many new texts are looked up in small maps: V8 of Node.js 26 internalizes each text that is looked up in a
 * Map, in the old generation, even if it is garbage by then.
 */
export class LinearMap<Value> {
  readonly #keys: string[] = [];
  readonly #values: Value[] = [];
  #index: Map<string, number> | undefined;

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    for (const [key, value] of entries) {
      this.set(key, value);
    }
  }

  get size(): number {
    return this.#keys.length;
  }

  /** In the order in which they were set first. */
  get keys(): readonly string[] {
    return this.#keys;
  }

  /** In the order of {@link keys}. */
  get values(): readonly Value[] {
    return this.#values;
  }

  has(key: string): boolean {
    return this.#at(key) >= 0;
  }

  get(key: string): Value | undefined {
    const at = this.#at(key);
    return at < 0 ? undefined : this.#values[at];
  }

  set(key: string, value: Value): void {
    const at = this.#at(key);
    if (at >= 0) {
      this.#values[at] = value;
      return;
    }
    this.#index?.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#values.push(value);
    if (this.#index === undefined && this.#keys.length > MOST_COMPARED) {
      this.#index = new Map(this.#keys.map((one, index) => [one, index]));
    }
  }

  #at(key: string): number {
    return this.#index === undefined ? this.#keys.indexOf(key) : (this.#index.get(key) ?? -1);
  }
}
