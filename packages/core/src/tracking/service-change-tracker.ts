import { type ServiceKey, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { Service } from '../objects/objects.js';

/** The change of one Service. */
export interface ServiceChange {
  readonly previous: ServiceDefinition | undefined;
  readonly current: ServiceDefinition | undefined;
}

/**
 * Merges Service events into the changes since they were taken (spec K-10…K-14). The cost of each event is that of its
 * own object, however many there are.
 */
export class ServiceChangeTracker {
  readonly #applied = new Map<ServiceKey, ServiceDefinition>();
  /** Since {@link take}. */
  #pending = new Map<ServiceKey, ServiceDefinition | undefined>();
  /** Not applied yet. */
  #taken = new Map<ServiceKey, ServiceDefinition | undefined>();

  constructor(private readonly reader: ObjectReader) {}

  /** Services whose change is pending. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /**
   * Records an event.
   *
   * @returns whether anything is pending that this event touched or left pending.
   */
  update(previous: Service | undefined, current: Service | undefined): boolean {
    const before = identityOf(previous);
    if (current === undefined) {
      this.#remove(before);
      return this.#pending.size > 0;
    }
    const { identity, definition, skipped } = this.reader.readService(current);
    if (before && identity && serviceKey(before) !== serviceKey(identity)) {
      this.#remove(before);
    }
    // A malformed object is ignored: its previous version stays in force.
    if (identity && (definition || skipped !== undefined)) {
      this.#fold(serviceKey(identity), definition);
    }
    return this.#pending.size > 0;
  }

  /**
   * Separates what is pending from later events. Its changes are to be applied one by one.
   *
   * @returns what is to be applied: also what was taken before and was not applied, where it is not replaced.
   */
  take(): ReadonlyMap<ServiceKey, ServiceDefinition | undefined> {
    const left = this.#taken;
    this.#taken = this.#pending;
    this.#pending = new Map();
    for (const [key, definition] of left) {
      if (!this.#taken.has(key)) {
        this.#taken.set(key, definition);
      }
    }
    return this.#taken;
  }

  /** Marks a change that was taken as applied. */
  apply(key: ServiceKey): ServiceChange {
    const previous = this.#applied.get(key);
    const current = this.#taken.get(key);
    if (current) {
      this.#applied.set(key, current);
    } else {
      this.#applied.delete(key);
    }
    this.#taken.delete(key);
    return { previous, current };
  }

  #remove(identity: ObjectIdentity | undefined): void {
    if (identity) {
      this.#fold(serviceKey(identity), undefined);
      this.reader.forget('Service', identity);
    }
  }

  #fold(key: ServiceKey, definition: ServiceDefinition | undefined): void {
    const before = this.#taken.has(key) ? this.#taken.get(key) : this.#applied.get(key);
    if (structurallyEqual(definition, before)) {
      this.#pending.delete(key);
    } else {
      this.#pending.set(key, definition);
    }
  }
}
