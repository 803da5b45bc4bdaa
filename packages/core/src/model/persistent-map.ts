/**
 * A node of the tree: `[owner, keys, children, key, value, …, child, …]`. Each bit of `keys` stands for an entry, each
 * bit of `children` for a child, both in the order of their bits. Below {@link LAST_SHIFT}, a node is a list of entries
 * whose keys have the same hash.
 */
type Node = unknown[];

const OWNER = 0;
const KEYS = 1;
const CHILDREN = 2;
const FIRST = 3;
/** Bits of the hash that select a child. */
const BITS = 5;
const MASK = 31;
/** Further bits than those of a hash do not exist. */
const LAST_SHIFT = 30;
/** The owner of nodes that nothing may change. */
const NOBODY = 0;
const EMPTY: Node = [NOBODY, 0, 0];

/** The last {@link MapDraft} that was created. */
let lastOwner = NOBODY;

/**
 * An immutable map with string keys. Versions share all nodes but those on the way to a changed key, so a change costs
 * the logarithm of the size. An entry takes 20 to 40 bytes besides its key and value: keys and values lie in the nodes
 * themselves. Iteration is in the order of hashes, which is the same in each process.
 *
 * The structure is that of Steindorfer and Vinju, "Optimizing Hash-Array Mapped Tries for Fast and Lean Immutable JVM
 * Collections" (2015).
 */
export class PersistentMap<Key extends string, Value> implements ReadonlyMap<Key, Value> {
  readonly #root: Node;
  readonly size: number;

  private constructor(root: Node, size: number) {
    this.#root = root;
    this.size = size;
  }

  /** A map without entries. */
  static empty<Key extends string, Value>(): PersistentMap<Key, Value> {
    return new PersistentMap<Key, Value>(EMPTY, 0);
  }

  /** A map with these entries; of several with the same key, the last. */
  static of<Key extends string, Value>(entries: Iterable<readonly [Key, Value]>): PersistentMap<Key, Value> {
    const draft = PersistentMap.empty<Key, Value>().draft();
    for (const [key, value] of entries) {
      draft.set(key, value);
    }
    return draft.finish();
  }

  get(key: Key): Value | undefined {
    return find(this.#root, key, hashOf(key)) as Value | undefined;
  }

  has(key: Key): boolean {
    return find(this.#root, key, hashOf(key)) !== undefined;
  }

  /** A copy that can be changed, at the cost of its changes. This map stays as it is. */
  draft(): MapDraft<Key, Value> {
    return new MapDraft(this, this.#root, (root, size) => new PersistentMap(root, size));
  }

  *entries(): MapIterator<[Key, Value]> {
    for (const [node, first, end] of entryLists(this.#root)) {
      for (let at = first; at < end; at += 2) {
        yield [node[at] as Key, node[at + 1] as Value];
      }
    }
  }

  *keys(): MapIterator<Key> {
    for (const [node, first, end] of entryLists(this.#root)) {
      for (let at = first; at < end; at += 2) {
        yield node[at] as Key;
      }
    }
  }

  *values(): MapIterator<Value> {
    for (const [node, first, end] of entryLists(this.#root)) {
      for (let at = first; at < end; at += 2) {
        yield node[at + 1] as Value;
      }
    }
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  forEach(callback: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this) {
      callback(value, key, this);
    }
  }
}

/** A version of a {@link PersistentMap} in the making. Nodes that it created are changed in place. */
export class MapDraft<Key extends string, Value> {
  readonly #origin: PersistentMap<Key, Value>;
  readonly #create: (root: Node, size: number) => PersistentMap<Key, Value>;
  #owner: number;
  #root: Node;
  #size: number;
  #isAltered = false;

  /** Use {@link PersistentMap.draft}. */
  constructor(
    origin: PersistentMap<Key, Value>,
    root: Node,
    create: (root: Node, size: number) => PersistentMap<Key, Value>,
  ) {
    this.#origin = origin;
    this.#root = root;
    this.#create = create;
    this.#size = origin.size;
    lastOwner += 1;
    this.#owner = lastOwner;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    return find(this.#root, key, hashOf(key)) as Value | undefined;
  }

  has(key: Key): boolean {
    return find(this.#root, key, hashOf(key)) !== undefined;
  }

  /** @param value anything but undefined. */
  set(key: Key, value: Value): this {
    const hash = hashOf(key);
    const before = find(this.#root, key, hash);
    if (before !== value) {
      this.#root = withEntry(this.#root, this.#owner, hash, 0, key, value, before !== undefined);
      this.#size += before === undefined ? 1 : 0;
      this.#isAltered = true;
    }
    return this;
  }

  delete(key: Key): this {
    const hash = hashOf(key);
    if (find(this.#root, key, hash) !== undefined) {
      this.#root = withoutEntry(this.#root, this.#owner, hash, 0, key);
      this.#size -= 1;
      this.#isAltered = true;
    }
    return this;
  }

  /** The finished map: the original one if nothing was changed. Later changes of this draft do not affect it. */
  finish(): PersistentMap<Key, Value> {
    // Nodes of the finished map belong to nobody any more.
    lastOwner += 1;
    this.#owner = lastOwner;
    return this.#isAltered ? this.#create(this.#root, this.#size) : this.#origin;
  }
}

/** FNV-1a with a final mix, so that its low bits depend on all characters. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function keysOf(node: Node): number {
  return node[KEYS] as number;
}

function childrenOf(node: Node): number {
  return node[CHILDREN] as number;
}

function bitOf(hash: number, shift: number): number {
  return 1 << ((hash >>> shift) & MASK);
}

/** The position of the entry of a bit. */
function entryAt(node: Node, bit: number): number {
  return FIRST + 2 * bitCount(keysOf(node) & (bit - 1));
}

/** The position of the child of a bit. */
function childAt(node: Node, bit: number): number {
  return FIRST + 2 * bitCount(keysOf(node)) + bitCount(childrenOf(node) & (bit - 1));
}

/** The position of a key in a list of entries; -1 without it. */
function positionInList(node: Node, key: string): number {
  for (let at = FIRST; at < node.length; at += 2) {
    if (node[at] === key) {
      return at;
    }
  }
  return -1;
}

function find(root: Node, key: string, hash: number): unknown {
  let node = root;
  for (let shift = 0; shift <= LAST_SHIFT; shift += BITS) {
    const bit = bitOf(hash, shift);
    if ((keysOf(node) & bit) !== 0) {
      const at = entryAt(node, bit);
      return node[at] === key ? node[at + 1] : undefined;
    }
    if ((childrenOf(node) & bit) === 0) {
      return undefined;
    }
    node = node[childAt(node, bit)] as Node;
  }
  const at = positionInList(node, key);
  return at < 0 ? undefined : node[at + 1];
}

/** A node of an owner with one value replaced: the node itself if the owner created it. */
function withReplaced(node: Node, owner: number, at: number, value: unknown): Node {
  const changed = node[OWNER] === owner ? node : node.slice();
  changed[OWNER] = owner;
  changed[at] = value;
  return changed;
}

/**
 * A node with other bits, in which `removed` values at a position are replaced. Always a new one of the exact length:
 * arrays that grow in place have spare room.
 */
function respliced(
  node: Node,
  { owner, keys, children }: { owner: number; keys: number; children: number },
  at: number,
  removed: number,
  ...added: readonly unknown[]
): Node {
  const result: Node = new Array(node.length - removed + added.length);
  result[OWNER] = owner;
  result[KEYS] = keys;
  result[CHILDREN] = children;
  for (let index = FIRST; index < at; index += 1) {
    result[index] = node[index];
  }
  for (let index = 0; index < added.length; index += 1) {
    result[at + index] = added[index];
  }
  for (let index = at + removed; index < node.length; index += 1) {
    result[index - removed + added.length] = node[index];
  }
  return result;
}

/** A node with one more entry at a position. As {@link respliced}, for the most frequent change, without garbage. */
function withInserted(node: Node, owner: number, keys: number, at: number, key: string, value: unknown): Node {
  const result: Node = new Array(node.length + 2);
  for (let index = CHILDREN; index < at; index += 1) {
    result[index] = node[index];
  }
  result[OWNER] = owner;
  result[KEYS] = keys;
  result[at] = key;
  result[at + 1] = value;
  for (let index = at; index < node.length; index += 1) {
    result[index + 2] = node[index];
  }
  return result;
}

function withEntry(
  node: Node,
  owner: number,
  hash: number,
  shift: number,
  key: string,
  value: unknown,
  isReplaced: boolean,
): Node {
  const keys = keysOf(node);
  const children = childrenOf(node);
  if (shift > LAST_SHIFT) {
    return isReplaced
      ? withReplaced(node, owner, positionInList(node, key) + 1, value)
      : withInserted(node, owner, keys, node.length, key, value);
  }
  const bit = bitOf(hash, shift);
  if ((children & bit) !== 0) {
    const at = childAt(node, bit);
    const child = withEntry(node[at] as Node, owner, hash, shift + BITS, key, value, isReplaced);
    return child === node[at] ? node : withReplaced(node, owner, at, child);
  }
  const at = entryAt(node, bit);
  if ((keys & bit) === 0) {
    return withInserted(node, owner, keys | bit, at, key, value);
  }
  if (isReplaced) {
    return withReplaced(node, owner, at + 1, value);
  }
  // Two keys with the same bits up to here: both move to a child.
  const otherKey = node[at] as string;
  const otherValue = node[at + 1];
  const single = withEntry([owner, 0, 0], owner, hashOf(otherKey), shift + BITS, otherKey, otherValue, false);
  const child = withEntry(single, owner, hash, shift + BITS, key, value, false);
  const without = respliced(node, { owner, keys: keys & ~bit, children }, at, 2);
  return respliced(without, { owner, keys: keys & ~bit, children: children | bit }, childAt(without, bit), 0, child);
}

/** The node has the key. */
function withoutEntry(node: Node, owner: number, hash: number, shift: number, key: string): Node {
  const [keys, children] = [keysOf(node), childrenOf(node)];
  if (shift > LAST_SHIFT) {
    return respliced(node, { owner, keys, children }, positionInList(node, key), 2);
  }
  const bit = bitOf(hash, shift);
  if ((keys & bit) !== 0) {
    return respliced(node, { owner, keys: keys & ~bit, children }, entryAt(node, bit), 2);
  }
  const at = childAt(node, bit);
  const child = withoutEntry(node[at] as Node, owner, hash, shift + BITS, key);
  if (childrenOf(child) !== 0 || child.length > FIRST + 2) {
    return child === node[at] ? node : withReplaced(node, owner, at, child);
  }
  // Its only entry moves up, so that equal maps have equal trees.
  const without = respliced(node, { owner, keys, children: children & ~bit }, at, 1);
  const entry = entryAt(without, bit);
  return respliced(
    without,
    { owner, keys: keys | bit, children: children & ~bit },
    entry,
    0,
    child[FIRST],
    child[FIRST + 1],
  );
}

/** Nodes with entries, and the positions of these. */
function* entryLists(root: Node): Generator<readonly [node: Node, first: number, end: number]> {
  const open: [node: Node, depth: number][] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    const isList = depth * BITS > LAST_SHIFT;
    const end = isList ? node.length : FIRST + 2 * bitCount(keysOf(node));
    if (end > FIRST) {
      yield [node, FIRST, end];
    }
    for (let at = node.length - 1; at >= end; at -= 1) {
      open.push([node[at] as Node, depth + 1]);
    }
  }
}
