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
 * Merges Service events into the changes since the last {@link take} (spec K-10…K-14). The cost of an event is
 * proportional to its object.
 */
export class ServiceChangeTracker {
  readonly #applied = new Map<ServiceKey, ServiceDefinition>();
  /** Changes since {@link take}. */
  #pending = new Map<ServiceKey, ServiceDefinition | undefined>();
  /** Taken, but not applied yet. */
  #taken = new Map<ServiceKey, ServiceDefinition | undefined>();

  constructor(private readonly reader: ObjectReader) {}

  /** Services whose change is pending. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /**
   * Records an event.
   *
   * @returns whether a change of this Service is pending after the event.
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
   * Separates pending changes from later events. The caller applies them one by one.
   *
   * @returns the changes to apply, including changes taken earlier and not applied, unless replaced.
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

  /** Marks a taken change as applied. */
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
