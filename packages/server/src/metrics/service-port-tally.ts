import { finish, type IPFamily, type ServicePortKey, type Slices } from '@kube-proxier/core';

/** A change of a service port, as far as a tally needs it. */
interface Change<Item> {
  readonly current: Item | undefined;
}

/** Values of service ports by IP family. Follows changes, so its cost is that of the change. */
export class ServicePortTally<Item, Value> {
  readonly #families = new Map<IPFamily, Map<ServicePortKey, Value>>();

  /** @param measure the value of a service port; undefined when it does not count. */
  constructor(private readonly measure: (servicePort: Item) => Value | undefined) {}

  /** {@link updateInSlices} without pauses. */
  update(
    family: IPFamily,
    changes: ReadonlyMap<ServicePortKey, Change<Item>>,
    isAnew: boolean,
  ): ReadonlyMap<ServicePortKey, Value> {
    return finish(this.updateInSlices(family, changes, isAnew));
  }

  /**
   * Yields after each change, so that a caller can pause.
   *
   * @param changes of the service ports.
   * @param isAnew the changes start from an empty state.
   * @returns the values of all service ports of the family that count.
   */
  *updateInSlices(
    family: IPFamily,
    changes: ReadonlyMap<ServicePortKey, Change<Item>>,
    isAnew: boolean,
  ): Slices<ReadonlyMap<ServicePortKey, Value>> {
    const values = (isAnew ? undefined : this.#families.get(family)) ?? new Map<ServicePortKey, Value>();
    this.#families.set(family, values);
    for (const [key, { current }] of changes) {
      yield;
      const value = current === undefined ? undefined : this.measure(current);
      if (value === undefined) {
        values.delete(key);
      } else {
        values.set(key, value);
      }
    }
    return values;
  }
}
