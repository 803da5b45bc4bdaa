import type { Chance } from './chance.js';
import type { Walker } from './walker.js';

/** An IP set that rules match against. */
export interface PathSet {
  has(walker: Walker, sides: readonly string[]): Chance;
  /** The mark of the entry; null where there is no entry; undefined when unknown. */
  markOf(walker: Walker, sides: readonly string[]): number | null | undefined;
}
