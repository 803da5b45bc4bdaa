import { type IPFamily, joinHostPort } from '../model/address.js';
import type { Branded } from '../model/branded.js';
import type { Endpoint } from '../model/endpoint.js';
import { DEFAULT_WEIGHT, type WeightRule, weightByRules } from '../model/endpoint-weights.js';
import { type ServiceKey, type ServicePortKey, serviceKey, servicePortKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { EndpointSliceDefinition } from '../objects/definitions.js';
import { identityOf } from '../objects/field-reader.js';
import type { ObjectIdentity } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice } from '../objects/objects.js';
import type { Slices } from '../pacing/slices.js';
import { EMPTY_VIEW, EndpointSet, type EndpointView, type TopologyPlace } from './endpoint-set.js';
import { SlowStart } from './slow-start.js';
import { SmallMap } from './small-map.js';
import { compareKeys, findEndpoint, NO_ENDPOINTS, type SortedEndpoints } from './sorted-endpoints.js';

/** Identity of a slice. */
type SliceKey = Branded<'SliceKey'>;

/** The content of one slice for each service port. */
interface Contribution {
  readonly ports: SmallMap<ServicePortKey, SortedEndpoints>;
  readonly triggerTime: number | undefined;
  /** Addresses whose weight the slice has; the Service's weights apply to the others. */
  readonly weighted: ReadonlySet<string>;
}

/** What a Service requests for the shares of its endpoints. */
export interface SharePolicy {
  /** In order of precedence. */
  readonly endpointWeights: readonly WeightRule[];
  /** Undefined: no slow start. */
  readonly slowStartSeconds: number | undefined;
}

const EQUAL_SHARES: SharePolicy = { endpointWeights: [], slowStartSeconds: undefined };
const NO_ADDRESSES: ReadonlySet<string> = new Set();

interface ServiceEndpoints {
  readonly slices: SmallMap<string, Contribution>;
  readonly ports: SmallMap<ServicePortKey, EndpointSet>;
  /** `portKey endpointKey` of endpoints in more than one slice, with the number of slices. */
  readonly shared: SmallMap<string, number>;
}

/** Slices that changed, by Service. */
type PendingSlices = Map<ServiceKey, Map<string, Contribution | undefined>>;

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
      this.#taken.set(service, new Map([...slices, ...(this.#taken.get(service) ?? [])]));
    }
  }

  /**
   * Applies the taken changes. Yields after each Service and slice, so that a caller can pause; events may arrive
   * meanwhile.
   *
   * @param now milliseconds of any clock that is never set back, for slow start; undefined: no slow start.
   * @param few Services, and slices and ports of one, that are applied without a pause.
   */
  *applyInSlices(now: number | undefined, few: number): Slices<EndpointChanges> {
    const touched = new Set<ServicePortKey>();
    const triggerTimes: number[] = [];
    const services = new Set<ServiceKey>();
    const hasMany = this.#taken.size > few;
    for (const [key, slices] of this.#taken) {
      services.add(key);
      let endpoints = this.#services.get(key);
      if (!endpoints) {
        endpoints = { slices: new SmallMap(), ports: new SmallMap(), shared: new SmallMap() };
        this.#services.set(key, endpoints);
      }
      yield* this.#apply(key, endpoints, slices, touched, now, few);
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

  #latest(service: ServiceKey, slice: string): Contribution | undefined {
    for (const changes of [this.#pending.get(service), this.#taken.get(service)]) {
      if (changes?.has(slice)) {
        return changes.get(slice);
      }
    }
    return this.#services.get(service)?.slices.get(slice);
  }

  #fold(service: ServiceKey, slice: string, contribution: Contribution | undefined): boolean {
    if (sameContribution(this.#latest(service, slice), contribution)) {
      return false;
    }
    let slices = this.#pending.get(service);
    if (!slices) {
      slices = new Map();
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
    endpoints: ServiceEndpoints,
    name: string,
    contribution: Contribution,
    touched: Set<ServicePortKey>,
    few: number,
  ): Slices<void> {
    const hasMany = contribution.ports.size > few;
    for (const [port, list] of contribution.ports) {
      if (hasMany) {
        yield;
      }
      if (list.length > 0) {
        const set = new EndpointSet(this.place);
        set.fill(list);
        endpoints.ports.set(port, set);
        touched.add(port);
      }
    }
    // Last: when this is aborted, nothing was applied.
    endpoints.slices.set(name, contribution);
  }

  *#apply(
    service: ServiceKey,
    endpoints: ServiceEndpoints,
    slices: ReadonlyMap<string, Contribution | undefined>,
    touched: Set<ServicePortKey>,
    now: number | undefined,
    few: number,
  ): Slices<void> {
    if (endpoints.slices.size === 0 && !this.#merged.has(service)) {
      // The first slice may have been applied in part.
      for (const port of [...endpoints.ports.keys()]) {
        endpoints.ports.delete(port);
      }
    }
    const [only] = slices;
    if (slices.size === 1 && only?.[1] && endpoints.slices.size === 0 && !this.#merged.has(service)) {
      yield* this.#applyFirst(endpoints, only[0], only[1], touched, few);
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
        endpoints.slices.set(name, next);
      } else {
        endpoints.slices.delete(name);
      }
      for (const port of portsOf(previous, next)) {
        let changed = changes.get(port);
        if (!changed) {
          changed = new Map();
          changes.set(port, changed);
        }
        const merge = new SliceMerge(endpoints, port, changed);
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
      set.change(
        [...changed].map(([key, endpoint]) => {
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

function sliceKeyOf({ namespace, name }: ObjectIdentity): SliceKey {
  return `${namespace}/${name}` as SliceKey;
}

function portsOf(previous: Contribution | undefined, next: Contribution | undefined): Iterable<ServicePortKey> {
  if (previous && next) {
    return new Set([...previous.ports.keys(), ...next.ports.keys()]);
  }
  return (previous ?? next)?.ports.keys() ?? [];
}

/** Merges the old and new content of one slice for one service port into the endpoints of all slices. */
class SliceMerge {
  constructor(
    private readonly endpoints: ServiceEndpoints,
    private readonly port: ServicePortKey,
    private readonly changed: Map<string, Endpoint | undefined>,
  ) {}

  replace(previous: SortedEndpoints, next: SortedEndpoints): void {
    let left = 0;
    let right = 0;
    while (left < previous.length || right < next.length) {
      const before = previous[left];
      const after = next[right];
      if (before && (!after || before.key < after.key)) {
        this.#removed(before.key);
        left += 1;
      } else if (after && (!before || after.key < before.key)) {
        this.#added(after);
        right += 1;
      } else if (before && after) {
        if (before !== after) {
          const isShared = this.endpoints.shared.has(`${this.port} ${after.key}`);
          this.changed.set(after.key, isShared ? this.#best(after.key) : after);
        }
        left += 1;
        right += 1;
      }
    }
  }

  #removed(key: string): void {
    const id = `${this.port} ${key}`;
    const count = this.endpoints.shared.get(id);
    if (count === undefined) {
      this.changed.set(key, undefined);
      return;
    }
    if (count === 2) {
      this.endpoints.shared.delete(id);
    } else {
      this.endpoints.shared.set(id, count - 1);
    }
    this.changed.set(key, this.#best(key));
  }

  #added(endpoint: Endpoint): void {
    const { key } = endpoint;
    const installed = this.endpoints.ports.get(this.port)?.view.candidates ?? NO_ENDPOINTS;
    const known = this.changed.has(key) ? this.changed.get(key) : findEndpoint(installed, key);
    if (!known) {
      this.changed.set(key, endpoint);
      return;
    }
    const id = `${this.port} ${key}`;
    this.endpoints.shared.set(id, (this.endpoints.shared.get(id) ?? 1) + 1);
    this.changed.set(key, better(known, endpoint));
  }

  /** Searches all slices: only for endpoints that occur in several of them. */
  #best(key: string): Endpoint | undefined {
    let best: Endpoint | undefined;
    for (const slice of this.endpoints.slices.values()) {
      const endpoint = findEndpoint(slice.ports.get(this.port) ?? NO_ENDPOINTS, key);
      best = best && endpoint ? better(best, endpoint) : (best ?? endpoint);
    }
    return best;
  }
}

/**
 * Which of two entries for the same address and port is used (spec K-36; B-2 where kube-proxy leaves it undefined): the
 * one that is not terminating (a new pod can have the address of a terminating one), then the ready one, then the
 * serving one, then an entry with a known node: without it, the endpoint would count as not local. Remaining
 * differences are resolved by text order, that of the node first: the order of events never decides, and all nodes use
 * the same entry.
 */
function better(left: Endpoint, right: Endpoint): Endpoint {
  if (left.terminating !== right.terminating) {
    return left.terminating ? right : left;
  }
  if (left.ready !== right.ready) {
    return left.ready ? left : right;
  }
  if (left.serving !== right.serving) {
    return left.serving ? left : right;
  }
  if (left.nodeName !== right.nodeName) {
    return right.nodeName === undefined || (left.nodeName !== undefined && left.nodeName < right.nodeName)
      ? left
      : right;
  }
  return JSON.stringify(left) <= JSON.stringify(right) ? left : right;
}

function contributionOf(
  slice: EndpointSliceDefinition,
  nodeName: string,
  rules: readonly WeightRule[],
  known: Contribution | undefined,
): Contribution {
  const ports = new SmallMap<ServicePortKey, SortedEndpoints>();
  for (const { portName, protocol, port } of slice.ports) {
    const key = servicePortKey({ namespace: slice.namespace, name: slice.serviceName, portName, protocol });
    const before = known?.ports.get(key) ?? NO_ENDPOINTS;
    const endpoints = slice.endpoints.map((definition): Endpoint => {
      const endpoint: Endpoint = {
        key: joinHostPort(definition.address, port),
        address: definition.address,
        port,
        isLocal: definition.nodeName !== undefined && definition.nodeName === nodeName,
        ready: definition.ready,
        serving: definition.serving,
        terminating: definition.terminating,
        weight: definition.weight ?? weightByRules(rules, definition) ?? DEFAULT_WEIGHT,
        notReadyReason: definition.notReadyReason,
        nodeName: definition.nodeName,
        podName: definition.podName,
        sliceName: slice.name,
        zoneHints: definition.zoneHints,
        nodeHints: definition.nodeHints,
      };
      const same = findEndpoint(before, endpoint.key);
      return same && sameEndpoint(same, endpoint) ? same : endpoint;
    });
    const earlier = ports.get(key);
    ports.set(key, uniqueSorted(earlier ? [...earlier, ...endpoints] : endpoints));
  }
  const weighted = slice.endpoints.flatMap(({ address, weight }) => (weight === undefined ? [] : [address]));
  return { ports, triggerTime: slice.triggerTime, weighted: weighted.length === 0 ? NO_ADDRESSES : new Set(weighted) };
}

/** The same endpoints with the weights of other rules of their Service. */
function weighed(contribution: Contribution, rules: readonly WeightRule[]): Contribution {
  const ports = new SmallMap<ServicePortKey, SortedEndpoints>();
  for (const [key, endpoints] of contribution.ports) {
    ports.set(
      key,
      endpoints.map((endpoint) => {
        const weight = weightByRules(rules, endpoint) ?? DEFAULT_WEIGHT;
        return contribution.weighted.has(endpoint.address) || endpoint.weight === weight
          ? endpoint
          : { ...endpoint, weight };
      }),
    );
  }
  return { ...contribution, ports };
}

function sameEndpoint(left: Endpoint, right: Endpoint): boolean {
  return (
    left.key === right.key &&
    left.ready === right.ready &&
    left.serving === right.serving &&
    left.terminating === right.terminating &&
    left.weight === right.weight &&
    left.notReadyReason === right.notReadyReason &&
    left.nodeName === right.nodeName &&
    left.podName === right.podName &&
    left.isLocal === right.isLocal &&
    sameNames(left.zoneHints, right.zoneHints) &&
    sameNames(left.nodeHints, right.nodeHints)
  );
}

function sameNames(left: readonly string[], right: readonly string[]): boolean {
  return left === right || (left.length === right.length && left.every((name, index) => name === right[index]));
}

function uniqueSorted(endpoints: readonly Endpoint[]): SortedEndpoints {
  if (endpoints.every((endpoint, index) => index === 0 || (endpoints[index - 1] as Endpoint).key < endpoint.key)) {
    return endpoints;
  }
  const sorted = [...endpoints].sort(compareKeys);
  const unique: Endpoint[] = [];
  for (const endpoint of sorted) {
    const last = unique.at(-1);
    if (last?.key === endpoint.key) {
      unique[unique.length - 1] = better(last, endpoint);
    } else {
      unique.push(endpoint);
    }
  }
  return unique;
}

/** Same endpoints for the same ports; equal endpoints are the same objects here. */
function sameContribution(left: Contribution | undefined, right: Contribution | undefined): boolean {
  if (left === right) {
    return true;
  }
  if (!left || !right || left.ports.size !== right.ports.size) {
    return false;
  }
  for (const [key, endpoints] of left.ports) {
    const others = right.ports.get(key);
    if (
      !others ||
      others.length !== endpoints.length ||
      endpoints.some((endpoint, index) => endpoint !== others[index])
    ) {
      return false;
    }
  }
  return true;
}
