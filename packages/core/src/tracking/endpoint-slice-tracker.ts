import type { IPFamily } from '../model/address.js';
import type { Branded } from '../model/branded.js';
import type { Endpoint } from '../model/endpoint.js';
import type { WeightRule } from '../model/endpoint-weights.js';
import { type ServiceKey, type ServicePortKey, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice } from '../objects/objects.js';
import type { Slices } from '../pacing/slices.js';
import { EMPTY_VIEW, EndpointSet, type EndpointView, type TopologyPlace } from './endpoint-set.js';
import {
  contributionOf,
  type SliceContent,
  type SliceContribution,
  sameContent,
  weighed,
} from './slice-contribution.js';
import { type ServiceEndpoints, type SharedEndpoints, SliceMerge } from './slice-merge.js';
import { SlowStart } from './slow-start.js';
import { SmallMap } from './small-map.js';
import { findEndpoint, NO_ENDPOINTS, type SortedEndpoints } from './sorted-endpoints.js';

/** Identity of a slice. */
type SliceKey = Branded<'SliceKey'>;

/** What a Service requests for the shares of its endpoints. */
export interface SharePolicy {
  /** In order of precedence. */
  readonly endpointWeights: readonly WeightRule[];
  /** Undefined: no slow start. */
  readonly slowStartSeconds: number | undefined;
}

const EQUAL_SHARES: SharePolicy = { endpointWeights: [], slowStartSeconds: undefined };
/** Slices that changed, by Service. */
type PendingSlices = Map<ServiceKey, PendingSlicesOfService>;
/** By name. */
type PendingSlicesOfService = SmallMap<string, SliceContribution | undefined>;

/** Endpoints by key, of service ports; undefined when they are gone. */
type ChangedEndpoints = Map<ServicePortKey, Map<string, Endpoint | undefined>>;

/** Result of applying pending slices. */
export interface EndpointChanges {
  /** Service ports whose endpoints may have changed. Owned by the caller. */
  readonly touched: Set<ServicePortKey>;
  /** Services with a slice that changed. Owned by the caller. */
  readonly services: Set<ServiceKey>;
  /** Milliseconds since the epoch: times of the changes in these slices (spec K-40). */
  readonly triggerTimes: readonly number[];
}

/** A key that equals that of a service port. */
type RetainedKey = (service: ServiceKey, port: ServicePortKey) => ServicePortKey;

interface ApplyOptions {
  /** Receives the service ports whose endpoints may have changed. */
  readonly touched: Set<ServicePortKey>;
  readonly now: number | undefined;
  readonly few: number;
  readonly retained: RetainedKey;
}

/**
 * Merges EndpointSlice events of one IP family into endpoints per service port (spec K-30…K-41).
 *
 * The cost of a change is that of its slice. Each endpoint is stored once; raw objects are not.
 */
export class EndpointSliceTracker {
  readonly #services = new Map<ServiceKey, ServiceEndpoints>();
  /** Changes since {@link take}. */
  #pending: PendingSlices = new Map();
  /** Taken, but not applied yet. */
  #taken: PendingSlices = new Map();
  /** Changed endpoints of a Service whose slices have been applied only in part. */
  readonly #merged = new Map<ServiceKey, ChangedEndpoints>();
  /** Of all Services: few endpoints are in several slices. */
  readonly #shared: SharedEndpoints = new Map();
  #isMoved = true;
  /** The last Service of each slice: its label can change. */
  readonly #owners = new Map<SliceKey, ServiceKey>();
  /** Share policies of Services with weights or slow start. */
  readonly #policies = new Map<ServiceKey, SharePolicy>();
  readonly #slowStart = new SlowStart();
  /** The first endpoints of a Service have equal shares, and so have all at the start of this process. */
  #hasApplied = false;
  #pendingSlices = 0;

  /** @param since milliseconds since the epoch; trigger times before it are not reported (spec K-40). */
  constructor(
    private readonly family: IPFamily,
    private readonly reader: ObjectReader,
    private place: TopologyPlace,
    private readonly since: number,
  ) {}

  /** Slices whose change is pending. */
  get pendingCount(): number {
    return this.#pendingSlices;
  }

  /**
   * Records an event. Slices of another family are ignored (spec K-30).
   *
   * @returns whether this event requires a sync.
   */
  update(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): boolean {
    const before = identityOf(previous);
    if (current === undefined) {
      return this.#remove(before);
    }
    const { identity, definition, skipped } = this.reader.readEndpointSlice(current);
    let changed = before && identity && sliceKeyOf(before) !== sliceKeyOf(identity) ? this.#remove(before) : false;
    if (!identity || (!definition && skipped === undefined)) {
      return changed;
    }
    const sliceKey = sliceKeyOf(identity);
    const mine = definition?.family === this.family ? definition : undefined;
    const owner = mine && serviceKey({ namespace: mine.namespace, name: mine.serviceName });
    const formerOwner = this.#owners.get(sliceKey);
    if (formerOwner !== undefined && formerOwner !== owner) {
      changed = this.#fold(formerOwner, identity.name, undefined) || changed;
      this.#owners.delete(sliceKey);
    }
    if (mine && owner !== undefined) {
      this.#owners.set(sliceKey, owner);
      const known = this.#latest(owner, identity.name);
      const { endpointWeights } = this.#policies.get(owner) ?? EQUAL_SHARES;
      const contribution = contributionOf(mine, this.place.nodeName, endpointWeights, known);
      changed = this.#fold(owner, identity.name, contribution) || changed;
    }
    return changed;
  }

  /**
   * Sets what a Service requests for the shares of its endpoints; undefined when it is deleted. Takes effect with the
   * next {@link take}.
   */
  setPolicy(service: ServiceKey, policy: SharePolicy | undefined): void {
    const before = this.#policies.get(service) ?? EQUAL_SHARES;
    const after = policy ?? EQUAL_SHARES;
    const isEqual = after.endpointWeights.length === 0 && after.slowStartSeconds === undefined;
    if (isEqual && before === EQUAL_SHARES) {
      return;
    }
    if (isEqual) {
      this.#policies.delete(service);
    } else {
      this.#policies.set(service, { endpointWeights: after.endpointWeights, slowStartSeconds: after.slowStartSeconds });
    }
    if (before.slowStartSeconds !== after.slowStartSeconds) {
      this.#slowStart.setDuration(service, after.slowStartSeconds);
    }
    if (structurallyEqual(before.endpointWeights, after.endpointWeights)) {
      return;
    }
    const slices = new Set([
      ...(this.#services.get(service)?.slices.keys() ?? []),
      ...(this.#taken.get(service)?.keys() ?? []),
      ...(this.#pending.get(service)?.keys() ?? []),
    ]);
    for (const slice of slices) {
      const contribution = this.#latest(service, slice);
      if (contribution) {
        this.#fold(service, slice, weighed(contribution, after.endpointWeights));
      }
    }
  }

  /** When the share of an endpoint in slow start grows next, in milliseconds of the clock of {@link applyInSlices}; undefined for never. */
  get nextStep(): number | undefined {
    return this.#slowStart.nextStep;
  }

  /**
   * Separates pending changes from later events, for {@link applyInSlices}. Changes taken earlier and not applied are
   * kept, unless replaced.
   */
  take(): void {
    const left = this.#taken;
    this.#taken = this.#pending;
    this.#pending = new Map();
    this.#pendingSlices = 0;
    for (const [service, slices] of left) {
      const merged: PendingSlicesOfService = new SmallMap();
      for (const [slice, contribution] of [...slices, ...(this.#taken.get(service) ?? [])]) {
        merged.set(slice, contribution);
      }
      this.#taken.set(service, merged);
    }
  }

  /**
   * Applies the taken changes. Yields after each Service and slice, so that a caller can pause; events may arrive
   * meanwhile.
   *
   * @param now milliseconds of any clock that is never set back, for slow start; undefined: no slow start.
   * @param few Services, and slices and ports of one, that are applied without a pause.
   * @param retained returns a key that is retained elsewhere and equals that of a service port, so that only one is retained. Default:
   *   the key itself.
   */
  *applyInSlices(
    now: number | undefined,
    few: number,
    retained: RetainedKey = (_, port) => port,
  ): Slices<EndpointChanges> {
    const touched = new Set<ServicePortKey>();
    const triggerTimes: number[] = [];
    const services = new Set<ServiceKey>();
    const hasMany = this.#taken.size > few;
    for (const [key, slices] of this.#taken) {
      services.add(key);
      let endpoints = this.#services.get(key);
      if (!endpoints) {
        endpoints = { slices: new SmallMap(), ports: new SmallMap() };
        this.#services.set(key, endpoints);
      }
      yield* this.#apply(key, endpoints, slices, { touched, now, few, retained });
      for (const contribution of slices.values()) {
        if (contribution?.triggerTime !== undefined && contribution.triggerTime > this.since) {
          triggerTimes.push(contribution.triggerTime);
        }
      }
      if (endpoints.slices.size === 0) {
        this.#services.delete(key);
      }
      this.#taken.delete(key);
      if (hasMany) {
        yield;
      }
    }
    if (now !== undefined) {
      for (const [service, port, changes] of this.#slowStart.advance(now)) {
        this.#services.get(service)?.ports.get(port)?.change(changes);
        touched.add(port);
      }
    }
    this.#hasApplied = true;
    return { touched, services, triggerTimes };
  }

  /** The selection for a service port, as of the applied changes. */
  view(service: ServiceKey, port: ServicePortKey): EndpointView {
    return this.#services.get(service)?.ports.get(port)?.view ?? EMPTY_VIEW;
  }

  /** Distinct addresses of local, ready endpoints over all ports of a Service (spec K-41). */
  localReadyEndpoints(service: ServiceKey): number {
    const addresses = new Set<string>();
    for (const { view } of this.#services.get(service)?.ports.values() ?? []) {
      if (view.selection.localBasis === 'ready') {
        for (const endpoint of view.local) {
          addresses.add(endpoint.address);
        }
      }
    }
    return addresses.size;
  }

  /** Recomputes every selection when the node's zone changed. Yields after each Service, so that a caller can pause. */
  *moveToInSlices(zone: string | undefined): Slices<void> {
    if (this.#isMoved && zone === this.place.zone) {
      return;
    }
    this.#isMoved = false;
    this.place = { ...this.place, zone };
    for (const { ports } of this.#services.values()) {
      for (const set of ports.values()) {
        set.moveTo(this.place);
      }
      yield;
    }
    this.#isMoved = true;
  }

  #remove(identity: ObjectIdentity | undefined): boolean {
    const sliceKey = identity && sliceKeyOf(identity);
    const owner = sliceKey === undefined ? undefined : this.#owners.get(sliceKey);
    if (!identity || sliceKey === undefined) {
      return false;
    }
    this.reader.forget('EndpointSlice', identity);
    if (owner === undefined) {
      return false;
    }
    this.#owners.delete(sliceKey);
    return this.#fold(owner, identity.name, undefined);
  }

  #latest(service: ServiceKey, slice: string): SliceContribution | undefined {
    const pending = this.#pending.get(service);
    if (pending?.has(slice)) {
      return pending.get(slice);
    }
    const taken = this.#taken.get(service);
    return taken?.has(slice) ? taken.get(slice) : this.#services.get(service)?.slices.get(slice);
  }

  #fold(service: ServiceKey, slice: string, contribution: SliceContribution | undefined): boolean {
    if (sameContent(this.#latest(service, slice), contribution)) {
      return false;
    }
    let slices = this.#pending.get(service);
    if (!slices) {
      slices = new SmallMap();
      this.#pending.set(service, slices);
    }
    this.#pendingSlices += slices.has(slice) ? 0 : 1;
    slices.set(slice, contribution);
    return true;
  }

  /**
   * The first slice of a Service, and the only one: nothing to merge, and its endpoints have equal shares from the
   * start (spec E-7).
   */
  *#applyFirst(
    service: ServiceKey,
    endpoints: ServiceEndpoints,
    [name, { ports, weighted }]: readonly [name: string, contribution: SliceContribution],
    { touched, few, retained }: ApplyOptions,
  ): Slices<void> {
    const hasMany = ports.size > few;
    const lists = new SmallMap<ServicePortKey, SortedEndpoints>();
    for (const [own, list] of ports) {
      if (hasMany) {
        yield;
      }
      const port = retained(service, own);
      lists.set(port, list);
      if (list.length > 0) {
        const set = new EndpointSet(this.place);
        set.fill(list);
        endpoints.ports.set(port, set);
        touched.add(port);
      }
    }
    // Last: when this is aborted, nothing was applied.
    endpoints.slices.set(name, { ports: lists, weighted });
  }

  *#apply(
    service: ServiceKey,
    endpoints: ServiceEndpoints,
    slices: PendingSlicesOfService,
    options: ApplyOptions,
  ): Slices<void> {
    const { touched, now, few } = options;
    if (endpoints.slices.size === 0 && !this.#merged.has(service)) {
      // The first slice may have been applied in part.
      for (const port of [...endpoints.ports.keys()]) {
        endpoints.ports.delete(port);
      }
    }
    const [only] = slices;
    if (slices.size === 1 && only?.[1] && endpoints.slices.size === 0 && !this.#merged.has(service)) {
      yield* this.#applyFirst(service, endpoints, [only[0], only[1]], options);
      return;
    }
    const seconds = now === undefined ? undefined : this.#policies.get(service)?.slowStartSeconds;
    const changes: ChangedEndpoints = this.#merged.get(service) ?? new Map();
    this.#merged.set(service, changes);
    for (const [name, next] of slices) {
      if (slices.size > few) {
        yield;
      }
      const previous = endpoints.slices.get(name);
      if (next) {
        endpoints.slices.set(name, contentOf(next));
      } else {
        endpoints.slices.delete(name);
      }
      for (const port of portsOf(previous, next)) {
        let changed = changes.get(port);
        if (!changed) {
          changed = new Map();
          changes.set(port, changed);
        }
        const merge = new SliceMerge(endpoints, port, changed, this.#shared);
        merge.replace(previous?.ports.get(port) ?? NO_ENDPOINTS, next?.ports.get(port) ?? NO_ENDPOINTS);
      }
    }
    const hasManyPorts = changes.size > few;
    for (const [port, changed] of changes) {
      if (hasManyPorts) {
        yield;
      }
      // Not again when this is aborted.
      changes.delete(port);
      if (changed.size === 0) {
        continue;
      }
      let set = endpoints.ports.get(port);
      if (!set) {
        set = new EndpointSet(this.place);
        endpoints.ports.set(port, set);
      }
      const isStarting = this.#hasApplied && set.view.selection.clusterBasis === 'ready';
      const { candidates } = set.view;
      const duration = isStarting ? seconds : undefined;
      const entries = [...changed];
      set.change(
        duration === undefined && this.#slowStart.isIdle
          ? entries
          : entries.map(([key, endpoint]) => {
              const before = findEndpoint(candidates, key);
              return [
                key,
                this.#slowStart.enter({ service, port, key, before, endpoint, now, seconds: duration }),
              ] as const;
            }),
      );
      touched.add(port);
      if (set.view.candidates.length === 0) {
        endpoints.ports.delete(port);
      }
    }
    this.#merged.delete(service);
  }
}

function contentOf({ ports, weighted }: SliceContribution): SliceContent {
  return { ports, weighted };
}

function sliceKeyOf({ namespace, name }: ObjectIdentity): SliceKey {
  return `${namespace}/${name}` as SliceKey;
}

function portsOf(previous: SliceContent | undefined, next: SliceContent | undefined): Iterable<ServicePortKey> {
  if (previous && next) {
    return new Set([...previous.ports.keys(), ...next.ports.keys()]);
  }
  return (previous ?? next)?.ports.keys() ?? [];
}
