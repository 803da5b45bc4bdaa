/**
 * A cache of fixed size by text: each key has one slot, and replaces the key that has it.
 *
 * Not a Map: V8 of Node.js 26 internalizes each text that is looked up in a Map, in the old generation, even if it is garbage
 * by then, and goes through the table of these texts in the pause of each collection. A verification, or a list of a million flows, looks up
 * millions of new texts.
 */
export class DirectMappedCache<Value> {
  readonly #mask: number;
  readonly #keys: (string | undefined)[];
  readonly #values: (Value | undefined)[];

  /** @param bits the number of slots is this power of two. */
  constructor(bits: number) {
    const slots = 2 ** bits;
    this.#mask = slots - 1;
    this.#keys = new Array<string | undefined>(slots).fill(undefined);
    this.#values = new Array<Value | undefined>(slots).fill(undefined);
  }

  /** The cached value; undefined when there is none. */
  get(key: string): Value | undefined {
    const slot = slotOf(key, this.#mask);
    return this.#keys[slot] === key ? this.#values[slot] : undefined;
  }

  set(key: string, value: Value): void {
    const slot = slotOf(key, this.#mask);
    this.#keys[slot] = key;
    this.#values[slot] = value;
  }

  clear(): void {
    this.#keys.fill(undefined);
    this.#values.fill(undefined);
  }
}

/** FNV-1a, with its upper bits folded in: texts differ mostly in digits near the end. */
function slotOf(key: string, mask: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & mask;
}
