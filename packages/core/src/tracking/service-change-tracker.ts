import { type ServiceKey, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { Service } from '../objects/objects.js';

/** The change of one Service since the last call. */
export interface ServiceChange {
  readonly previous: ServiceDefinition | undefined;
  readonly current: ServiceDefinition | undefined;
}

/**
 * Merges Service events into the changes since the last call (spec K-10…K-14). The cost of each event is that of its
 * own object, however many there are.
 */
export class ServiceChangeTracker {
  readonly #applied = new Map<ServiceKey, ServiceDefinition>();
  readonly #pending = new Map<ServiceKey, ServiceDefinition | undefined>();

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

  /** Returns the changes and marks them as applied. */
  applyPending(): ReadonlyMap<ServiceKey, ServiceChange> {
    const changes = new Map<ServiceKey, ServiceChange>();
    for (const [key, current] of this.#pending) {
      changes.set(key, { previous: this.#applied.get(key), current });
      if (current) {
        this.#applied.set(key, current);
      } else {
        this.#applied.delete(key);
      }
    }
    this.#pending.clear();
    return changes;
  }

  #remove(identity: ObjectIdentity | undefined): void {
    if (identity) {
      this.#fold(serviceKey(identity), undefined);
      this.reader.forget('Service', identity);
    }
  }

  #fold(key: ServiceKey, definition: ServiceDefinition | undefined): void {
    if (structurallyEqual(definition, this.#applied.get(key))) {
      this.#pending.delete(key);
    } else {
      this.#pending.set(key, definition);
    }
  }
}
