import type { Slices } from '@kube-proxier/core';

/**
 * Assigns a slot to each entry, with as many slots as entries, such that adding or removing an entry moves few others:
 * in list order, all later ones would move.
 *
 * Entries take slots in the order of their priority: each takes the first free slot of its own permutation (double
 * hashing). Both orders are derived from the seed of the entry. So the result depends on the seeds only, and is the
 * stable matching (Gale and Shapley, 1962) where all slots prefer the entry of the higher priority. With one preference
 * for all slots, the matching is unique, so {@link rematchSlots} can start from the previous one (Blelloch and Golovin,
 * 2007).
 */
export interface SlotMatching {
  /** Slot of each entry, by its index. */
  readonly seeds: Uint32Array;
  /** Indices of entries, the highest priority first. */
  readonly order: Int32Array;
  /** Number of slots that each entry has tried; it owns the last one. */
  readonly tries: Uint32Array;
  /** The entry of each slot. */
  readonly holders: Int32Array;
}

/** Entries between two pauses. */
const BETWEEN_PAUSES = 64;
/** No entry: the slot is free, or the index is new. */
export const NONE = -1;
/** Indices are below that, so that a priority and an index fit into a number. */
const INDICES = 2 ** 21;

/** The matching of entries. Yields after some each, so that a caller can pause. */
export function* matchSlots(seeds: Uint32Array): Slices<SlotMatching> {
  const { length } = seeds;
  const matching: SlotMatching = {
    seeds,
    order: byPriority(seeds, seeds.keys()),
    tries: new Uint32Array(length),
    holders: new Int32Array(length).fill(NONE),
  };
  const { order } = matching;
  for (let from = 0; from < length; from += BETWEEN_PAUSES) {
    yield;
    for (let place = from; place < Math.min(length, from + BETWEEN_PAUSES); place++) {
      insert(matching, order[place] as number);
    }
  }
  return matching;
}

/**
 * Maximum number of free slots for an incremental update, each of which scans all entries; with more, a full
 * computation is faster.
 */
const MANY = 256;

/**
 * {@link matchSlots}, from a matching before a change. The result is the same; the work is a fraction of it if few
 * entries changed.
 *
 * @param before the index that each entry had before, in increasing order, or {@link NONE}.
 */
export function* rematchSlots(known: SlotMatching, seeds: Uint32Array, before: Int32Array): Slices<SlotMatching> {
  // With another number of bits, all entries have another order of slots.
  if (maskOf(seeds.length) !== maskOf(known.seeds.length)) {
    return yield* matchSlots(seeds);
  }
  const { matching, kept, free, unplaced } = carryOver(known, seeds, before);
  if (free.length > MANY) {
    return yield* matchSlots(seeds);
  }
  for (let from = 0; from < kept.length; from += BETWEEN_PAUSES) {
    yield;
    moveUp(matching, kept.subarray(from, from + BETWEEN_PAUSES), free, unplaced);
  }
  for (const index of unplaced) {
    yield;
    insert(matching, index);
  }
  return matching;
}

/** The kept part of a matching. Separate functions, as loops in generators are not optimized. */
function carryOver(known: SlotMatching, seeds: Uint32Array, before: Int32Array) {
  const { length } = seeds;
  const after = new Int32Array(known.seeds.length).fill(NONE);
  const tries = new Uint32Array(length);
  const added: number[] = [];
  for (let index = 0; index < length; index++) {
    const old = before[index] as number;
    if (old === NONE) {
      added.push(index);
    } else {
      after[old] = index;
      tries[index] = known.tries[old] as number;
    }
  }
  const kept = new Int32Array(length - added.length);
  for (let place = 0, from = 0; place < kept.length; from++) {
    const index = after[known.order[from] as number] as number;
    if (index !== NONE) {
      kept[place++] = index;
    }
  }
  const holders = new Int32Array(length).fill(NONE);
  const free: number[] = [];
  /** Entries without a slot. */
  const unplaced = new Set(added);
  for (let slot = 0; slot < Math.max(length, known.holders.length); slot++) {
    const index = slot < known.holders.length ? (after[known.holders[slot] as number] as number) : NONE;
    if (slot >= length) {
      if (index !== NONE) {
        unplaced.add(index);
      }
    } else if (index === NONE) {
      free.push(slot);
    } else {
      holders[slot] = index;
    }
  }
  const order = merged(kept, byPriority(seeds, added), seeds);
  return { matching: { seeds, order, tries, holders }, kept, free, unplaced };
}

/**
 * Moves entries to free slots that they prefer, in the order of priority; a vacated slot is free for later ones.
 *
 * @param some in the order of priority.
 */
function moveUp(
  { seeds, tries, holders }: SlotMatching,
  some: Int32Array,
  free: number[],
  unplaced: Set<number>,
): void {
  const mask = maskOf(holders.length);
  for (let place = 0; place < some.length; place++) {
    const index = some[place] as number;
    const seed = seeds[index] as number;
    const first = firstOf(seed);
    const inverse = inverseOf(stepOf(seed));
    const last = tries[index] as number;
    let number = last;
    let found = NONE;
    for (let at = 0; at < free.length; at++) {
      const tried = (Math.imul((free[at] as number) - first, inverse) & mask) + 1;
      if (tried < number) {
        number = tried;
        found = at;
      }
    }
    if (found !== NONE) {
      holders[free[found] as number] = index;
      tries[index] = number;
      if (unplaced.delete(index)) {
        free.splice(found, 1);
      } else {
        const left = slotOf(seed, last, mask);
        holders[left] = NONE;
        free[found] = left;
      }
    }
  }
}

/** Finds a slot for an entry, and for displaced entries of lower priority. Hot path: allocates no objects. */
function insert({ seeds, tries, holders }: SlotMatching, index: number): void {
  const { length } = holders;
  const mask = maskOf(length);
  for (let seeker = index; seeker !== NONE; ) {
    const seed = seeds[seeker] as number;
    const number = (tries[seeker] as number) + 1;
    tries[seeker] = number;
    // Slots beyond the last are skipped, so that the order is stable when the number of entries changes.
    const slot = slotOf(seed, number, mask);
    if (slot < length) {
      const holder = holders[slot] as number;
      if (holder === NONE || isBefore(seeds, seeker, holder)) {
        holders[slot] = seeker;
        seeker = holder;
      }
    }
  }
}

/**
 * The slot that an entry tries at this step, from 1 on: a permutation of all slots within the mask, as the step is odd.
 */
function slotOf(seed: number, number: number, mask: number): number {
  return (firstOf(seed) + Math.imul(number - 1, stepOf(seed))) & mask;
}

function firstOf(seed: number): number {
  return mixed(seed, 1);
}

function stepOf(seed: number): number {
  return mixed(seed, 2) | 1;
}

/**
 * The inverse of an odd number modulo 2³², by Newton's method: each step doubles the number of correct bits, from 3 on.
 */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let bits = 3; bits < 32; bits *= 2) {
    inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  }
  return inverse;
}

function maskOf(length: number): number {
  return length < 2 ? 0 : -1 >>> Math.clz32(length - 1);
}

function isBefore(seeds: Uint32Array, one: number, other: number): boolean {
  const left = priorityOf(seeds[one] as number);
  const right = priorityOf(seeds[other] as number);
  return left < right || (left === right && one < other);
}

/** Lower values have higher priority. */
function priorityOf(seed: number): number {
  return mixed(seed, 0);
}

function byPriority(seeds: Uint32Array, indices: Iterable<number>): Int32Array {
  const keys = Float64Array.from(indices, (index) => priorityOf(seeds[index] as number) * INDICES + index).sort();
  return Int32Array.from(keys, (key) => key % INDICES);
}

/** Both in the order of priority; the second are few. */
function merged(left: Int32Array, right: Int32Array, seeds: Uint32Array): Int32Array {
  const all = new Int32Array(left.length + right.length);
  let from = 0;
  for (let place = 0; place < right.length; place++) {
    const index = right[place] as number;
    let end = from;
    while (end < left.length && isBefore(seeds, left[end] as number, index)) {
      end++;
    }
    all.set(left.subarray(from, end), from + place);
    all[end + place] = index;
    from = end;
  }
  all.set(left.subarray(from), from + right.length);
  return all;
}

/** A bijection for a given seed, so that every slot is tried. */
export function mixed(seed: number, number: number): number {
  let hash = Math.imul(seed ^ number, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
