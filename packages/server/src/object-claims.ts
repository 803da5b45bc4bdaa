import type { ObjectMeta } from '@kube-proxier/core';

interface NamedObject {
  readonly metadata?: ObjectMeta;
}

/** What a change of one source's word means for all of them together. */
export interface ClaimChange<T> {
  readonly previous: T | undefined;
  readonly current: T | undefined;
  /** The source has just begun to name an object that another one names too. */
  readonly contested: boolean;
}

/**
 * Who says what of which object, where several sources may name the same: the first source counts, and when it drops
 * the object, the next takes over.
 */
export class ObjectClaims<T extends NamedObject> {
  private readonly claims = new Map<string, (T | undefined)[]>();

  /**
   * @param source place of the source in the order.
   * @returns what changes for those outside; the same object on both sides when nothing does.
   */
  update(source: number, previous: T | undefined, current: T | undefined): ClaimChange<T> {
    const object = current ?? previous;
    const key = `${object?.metadata?.namespace ?? ''}/${object?.metadata?.name ?? ''}`;
    const words = this.claims.get(key) ?? [];
    const before = words.find((word) => word !== undefined);
    const isNew = words[source] === undefined;
    words[source] = current;
    const after = words.find((word) => word !== undefined);
    if (after === undefined) {
      this.claims.delete(key);
    } else {
      this.claims.set(key, words);
    }
    return { previous: before, current: after, contested: isNew && current !== undefined && before !== undefined };
  }
}
