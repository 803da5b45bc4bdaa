import type { ObjectMeta } from '@kube-proxier/core';

interface NamedObject {
  readonly metadata?: ObjectMeta;
}

/** Effect of one source's change on the merged objects. */
export interface ClaimChange<T> {
  readonly previous: T | undefined;
  readonly current: T | undefined;
  /** The source has just added an object that another source already has. */
  readonly contested: boolean;
}

/**
 * Resolves objects that several sources contain: the first source has precedence; when it removes the object, that of
 * the next source applies.
 */
export class ObjectClaims<T extends NamedObject> {
  readonly #claims = new Map<string, (T | undefined)[]>();

  /**
   * @param source index of the source in the configured order.
   * @returns the change of the merged object; the same object on both sides when it is unchanged.
   */
  update(source: number, previous: T | undefined, current: T | undefined): ClaimChange<T> {
    const object = current ?? previous;
    const key = `${object?.metadata?.namespace ?? ''}/${object?.metadata?.name ?? ''}`;
    const versions = this.#claims.get(key) ?? [];
    const before = versions.find((version) => version !== undefined);
    const isNew = versions[source] === undefined;
    versions[source] = current;
    const after = versions.find((version) => version !== undefined);
    if (after === undefined) {
      this.#claims.delete(key);
    } else {
      this.#claims.set(key, versions);
    }
    return { previous: before, current: after, contested: isNew && current !== undefined && before !== undefined };
  }
}
