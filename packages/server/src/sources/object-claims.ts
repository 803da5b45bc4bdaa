import type { ObjectIdentity, ObjectMeta } from '@kube-proxier/core';

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

  /** The merged objects, as they are at the time of the call. */
  all(): readonly T[] {
    return [...this.#claims.values()].flatMap((versions) => chosen(versions) ?? []);
  }

  /** The merged object of this name. */
  get({ namespace, name }: ObjectIdentity): T | undefined {
    return chosen(this.#claims.get(`${namespace}/${name}`) ?? []);
  }

  /**
   * @param source index of the source in the configured order.
   * @returns the change of the merged object; the same object on both sides when it is unchanged.
   */
  update(source: number, previous: T | undefined, current: T | undefined): ClaimChange<T> {
    const object = current ?? previous;
    const key = `${object?.metadata?.namespace ?? ''}/${object?.metadata?.name ?? ''}`;
    const versions = this.#claims.get(key) ?? [];
    const before = chosen(versions);
    const isNew = versions[source] === undefined;
    versions[source] = current;
    const after = chosen(versions);
    if (after === undefined) {
      this.#claims.delete(key);
    } else {
      this.#claims.set(key, versions);
    }
    return { previous: before, current: after, contested: isNew && current !== undefined && before !== undefined };
  }
}

function chosen<T>(versions: readonly (T | undefined)[]): T | undefined {
  return versions.find((version) => version !== undefined);
}
