import type { IPFamily } from '../model/address.js';
import type { WeightRule } from '../model/endpoint-weights.js';
import type { ServicePort } from '../model/service-port.js';
import { type ServiceKey, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { ServiceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { Service } from '../objects/objects.js';
import type { SharePolicy } from './endpoint-slice-tracker.js';
import { servicePortsOf } from './service-ports.js';

/** What a proxy of one IP family uses of a Service. */
export interface TrackedService extends SharePolicy {
  /** At least one. */
  readonly ports: readonly ServicePort[];
}

/** The change of the service ports of one Service. */
export interface ServiceChange {
  readonly previous: readonly ServicePort[];
  readonly current: readonly ServicePort[];
}

const NO_PORTS: readonly ServicePort[] = [];
const NO_WEIGHTS: readonly WeightRule[] = [];

/**
 * Merges Service events into the changes since the last {@link take} (spec K-10…K-14). The cost of an event is
 * proportional to its object. Services without a cluster IP of the family do not exist here.
 */
export class ServiceChangeTracker {
  readonly #ports = new Map<ServiceKey, readonly ServicePort[]>();
  /** Of Services that have some. */
  readonly #endpointWeights = new Map<ServiceKey, readonly WeightRule[]>();
  /** Changes since {@link take}. */
  #pending = new Map<ServiceKey, TrackedService | undefined>();
  /** Taken, but not applied yet. */
  #taken = new Map<ServiceKey, TrackedService | undefined>();

  constructor(
    private readonly family: IPFamily,
    private readonly reader: ObjectReader,
  ) {}

  /** Services whose change is pending. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** The service ports of each Service, as of the applied changes. */
  get ports(): ReadonlyMap<ServiceKey, readonly ServicePort[]> {
    return this.#ports;
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
      this.#fold(serviceKey(identity), this.#tracked(definition));
    }
    return this.#pending.size > 0;
  }

  /**
   * Separates pending changes from later events. The caller applies them one by one.
   *
   * @returns the changes to apply, including changes taken earlier and not applied, unless replaced.
   */
  take(): ReadonlyMap<ServiceKey, TrackedService | undefined> {
    const left = this.#taken;
    this.#taken = this.#pending;
    this.#pending = new Map();
    for (const [key, service] of left) {
      if (!this.#taken.has(key)) {
        this.#taken.set(key, service);
      }
    }
    return this.#taken;
  }

  /** Marks a taken change as applied. */
  apply(key: ServiceKey): ServiceChange {
    const previous = this.#ports.get(key) ?? NO_PORTS;
    const current = this.#taken.get(key);
    if (current) {
      this.#ports.set(key, current.ports);
    } else {
      this.#ports.delete(key);
    }
    if (current && current.endpointWeights.length > 0) {
      this.#endpointWeights.set(key, current.endpointWeights);
    } else {
      this.#endpointWeights.delete(key);
    }
    this.#taken.delete(key);
    return { previous, current: current?.ports ?? NO_PORTS };
  }

  #tracked(definition: ServiceDefinition | undefined): TrackedService | undefined {
    const ports = servicePortsOf(definition, this.family);
    return definition === undefined || ports.length === 0
      ? undefined
      : { ports, endpointWeights: definition.endpointWeights, slowStartSeconds: definition.slowStartSeconds };
  }

  #remove(identity: ObjectIdentity | undefined): void {
    if (identity) {
      this.#fold(serviceKey(identity), undefined);
      this.reader.forget('Service', identity);
    }
  }

  #fold(key: ServiceKey, service: TrackedService | undefined): void {
    if (this.#isLatest(key, service)) {
      this.#pending.delete(key);
    } else {
      this.#pending.set(key, service);
    }
  }

  /** Whether a Service is as it was when changes were taken last. */
  #isLatest(key: ServiceKey, service: TrackedService | undefined): boolean {
    if (this.#taken.has(key)) {
      return structurallyEqual(service, this.#taken.get(key));
    }
    // The ports have the same slow start.
    return (
      structurallyEqual(service?.ports ?? NO_PORTS, this.#ports.get(key) ?? NO_PORTS) &&
      structurallyEqual(service?.endpointWeights ?? NO_WEIGHTS, this.#endpointWeights.get(key) ?? NO_WEIGHTS)
    );
  }
}
