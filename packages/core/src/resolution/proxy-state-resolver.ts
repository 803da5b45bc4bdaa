import { AddedServicePorts } from '../model/added-service-ports.js';
import type { IPFamily } from '../model/address.js';
import type { AddressOverlap } from '../model/address-overlap.js';
import type { ChangeSet, ServicePortChange } from '../model/change-set.js';
import type { FrontendKey } from '../model/frontend.js';
import { PersistentMap } from '../model/persistent-map.js';
import type { PortRangeSupport } from '../model/port-range.js';
import type { HealthCheckNodePort, NodeState, ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { sameRendering } from '../model/same-rendering.js';
import type { ServicePort } from '../model/service-port.js';
import { type Protocol, type ServiceKey, type ServicePortKey, serviceOfPort } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { finish, type Slices } from '../pacing/slices.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import { EndpointSliceTracker } from '../tracking/endpoint-slice-tracker.js';
import { ServiceChangeTracker } from '../tracking/service-change-tracker.js';
import { overlapsOf } from './address-overlaps.js';
import { ClusterIPCount } from './cluster-ip-count.js';
import { FrontendOwnership } from './frontend-ownership.js';
import { FrontendProblems } from './frontend-problems.js';
import { type MovedFrontends, moveFrontends } from './frontend-table.js';
import { resolveFrontends } from './frontends.js';
import { resolveHealthCheckNodePorts } from './health-check-node-ports.js';
import { HeldRanges } from './held-ranges.js';
import { NodeFacts } from './node-facts.js';
import { resolvedServicePort, type WantedServicePort } from './resolved-service-port.js';
import { usableRange } from './usable-range.js';

/** Number of service ports that are resolved without pauses, within a few milliseconds. */
const FEW = 64;

/** Options of a {@link ProxyStateResolver}. */
export interface ResolverOptions {
  readonly family: IPFamily;
  readonly options: ProxierOptions;
  readonly reader: ObjectReader;
  /** Milliseconds since the epoch; trigger times before it are not reported. */
  readonly since: number;
  /** Called when a Service does not get an address because an older one has it. Default: none. */
  readonly onProblem?: (problem: ObjectProblem) => void;
  /** States include the addresses of interfaces (`NodeState.localAddresses`). Default false. */
  readonly includesLocalAddresses?: boolean;
}

/** One step of a resolver. */
export interface Resolution {
  readonly state: ProxyState;
  readonly changes: ChangeSet;
  readonly triggerTimes: readonly number[];
}

/**
 * Resolves events of one IP family into states. Event handlers only record; {@link applyPending} resolves the recorded
 * changes, in time proportional to them, into a state that shares everything else with the previous one.
 */
export class ProxyStateResolver {
  readonly #family: IPFamily;
  readonly #masqueradeAll: boolean;
  readonly #servesOverlaps: boolean;
  readonly #rangeSupport: PortRangeSupport;
  readonly #unservedProtocols: readonly Protocol[];
  readonly #problems: FrontendProblems;
  readonly #reader: ObjectReader;
  readonly #services: ServiceChangeTracker;
  readonly #slices: EndpointSliceTracker;
  readonly #facts: NodeFacts;
  readonly #wanted = new Map<ServicePortKey, WantedServicePort>();
  /** Of Services with many ports. */
  readonly #portsByKey = new WeakMap<readonly ServicePort[], ReadonlyMap<ServicePortKey, ServicePort>>();
  readonly #ownership: FrontendOwnership;
  #nodePending = false;
  /** The node state of the last resolution. */
  #node: NodeState;
  /** Whether the last resolution completed. */
  #isWhole = true;
  #state: ProxyState;

  constructor({ family, options, reader, since, onProblem = () => {}, includesLocalAddresses }: ResolverOptions) {
    this.#family = family;
    this.#masqueradeAll = options.masqueradeAll;
    this.#reader = reader;
    this.#problems = new FrontendProblems(onProblem);
    this.#services = new ServiceChangeTracker(family, reader);
    this.#slices = new EndpointSliceTracker(
      family,
      reader,
      { nodeName: options.nodeName, zone: undefined, nodeHints: options.nodeTopologyHints },
      since,
    );
    this.#facts = new NodeFacts(family, options, includesLocalAddresses);
    this.#node = this.#facts.state;
    this.#ownership = new FrontendOwnership(this.#facts.clusterAddresses, this.#node.nodePortAddresses);
    this.#rangeSupport = options.portRanges ?? 'any';
    this.#unservedProtocols = options.unservedProtocols ?? [];
    this.#servesOverlaps = options.overlappingExternalAddresses === 'serve';
    this.#state = {
      family,
      revision: 0,
      servicePorts: PersistentMap.empty(),
      frontends: PersistentMap.empty(),
      healthCheckNodePorts: PersistentMap.empty(),
      clusterIPs: PersistentMap.empty(),
      node: this.#node,
    };
  }

  /** The state of the last {@link applyPending}. */
  get latest(): ProxyState {
    return this.#state;
  }

  /** Services whose change is pending. */
  get pendingServices(): number {
    return this.#services.pendingCount;
  }

  /** EndpointSlices whose change is pending. */
  get pendingSlices(): number {
    return this.#slices.pendingCount;
  }

  get needsLocalAddresses(): boolean {
    return this.#facts.needsLocalAddresses;
  }

  /** Whether a Service claims an external address, which may be one of this host. */
  get hasExternalAddresses(): boolean {
    return this.#ownership.hasExternalAddresses;
  }

  /** @returns whether a sync is needed. */
  updateService(previous: Service | undefined, current: Service | undefined): boolean {
    return this.#services.update(previous, current);
  }

  /** @returns whether a sync is needed. */
  updateEndpointSlice(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): boolean {
    return this.#slices.update(previous, current);
  }

  /** Objects of other nodes are ignored. @returns whether a sync is needed. */
  updateNode(node: Node): boolean {
    const { definition } = this.#reader.readNode(node);
    if (!definition || definition.name !== this.#state.node.name) {
      return false;
    }
    return this.#noteNode(this.#facts.setNode(definition));
  }

  /** @returns whether a sync is needed. */
  updateServiceCIDRs(cidrs: readonly string[]): boolean {
    return this.#noteNode(this.#facts.setServiceCIDRs(cidrs));
  }

  /** @returns whether a sync is needed. */
  updateLocalAddresses(addresses: readonly string[]): boolean {
    return this.#noteNode(this.#facts.setLocalAddresses(addresses));
  }

  /** When endpoints in slow start get a larger share next, by the clock of {@link applyPending}; undefined for never. */
  get nextStep(): number | undefined {
    return this.#slices.nextStep;
  }

  /**
   * Resolves all pending changes.
   *
   * @param now milliseconds of a clock that is never set back, for slow start. Default: no slow start.
   */
  applyPending(now?: number): Resolution {
    return finish(this.applyPendingInSlices(now));
  }

  /**
   * {@link applyPending}. Yields after each Service, slice and service port, so that a caller can pause. Events that
   * arrive meanwhile belong to the next resolution, and {@link latest} is the previous state until the resolution
   * completes. An aborted resolution loses nothing: the next one resolves everything. Only one at a time.
   */
  *applyPendingInSlices(now?: number, few = FEW): Slices<Resolution> {
    const previous = this.#state;
    const isAnew = !this.#isWhole;
    this.#isWhole = false;
    // Taken at once, so that events reported together are resolved together.
    const services = this.#services.take();
    for (const [key, current] of services) {
      this.#slices.setPolicy(key, current);
    }
    this.#slices.take();
    const addresses = this.#facts.clusterAddresses;
    const isNodePending = this.#nodePending || isAnew;
    this.#nodePending = false;
    this.#node = isNodePending ? this.#facts.state : previous.node;
    const node = this.#node;
    this.#ownership.nodePortAddresses = node.nodePortAddresses;

    const {
      touched,
      services: healthChecked,
      triggerTimes,
    } = yield* this.#slices.applyInSlices(now, few, (service, port) =>
      retainedKey(services.get(service)?.ports ?? this.#services.ports.get(service), port),
    );
    if (isAnew) {
      yield* this.#touchAll(previous, touched, healthChecked);
    }
    const hasManyServices = services.size > few;
    for (const key of services.keys()) {
      const change = this.#services.apply(key);
      for (const port of [...change.previous, ...change.current]) {
        touched.add(port.key);
      }
      healthChecked.add(key);
      if (hasManyServices) {
        yield;
      }
    }
    if (isNodePending) {
      yield* this.#slices.moveToInSlices(node.zone);
      if (!sameResolutionInputs(node, previous.node)) {
        for (const key of this.#wanted.keys()) {
          touched.add(key);
          yield;
        }
      }
    }
    const isLong = touched.size > few;
    /** Other service ports affected by them. */
    const revisit = new Set<ServicePortKey>();
    this.#ownership.changeAddresses(addresses, (key) => this.#wanted.get(key)?.frontends ?? [], revisit);
    for (const key of touched) {
      this.#want(key, node, revisit);
      if (isLong) {
        yield;
      }
    }

    const isFirst = previous.servicePorts.size === 0;
    const rendered = new Map<ServicePortKey, ServicePortChange>();
    const resolved = new Map<ServicePortKey, ServicePortChange>();
    const servicePorts = (previous.servicePorts as PersistentMap<ServicePortKey, ResolvedServicePort>).draft();
    const frontends = (previous.frontends as PersistentMap<FrontendKey, ServicePortKey>).draft();
    /** Service ports whose frontends differ. Most changes affect endpoints only. */
    const moved: MovedFrontends[] = [];
    const ranges = new HeldRanges(previous.portRanges);
    const clusterIPs = new ClusterIPCount(previous.clusterIPs as PersistentMap<string, number>);
    for (const key of revisit.size === 0 ? touched : eachOf(touched, revisit)) {
      if (isLong) {
        yield;
      }
      const before = previous.servicePorts.get(key);
      const after = this.#resolve(key, before);
      if (after === before) {
        continue;
      }
      if (after) {
        servicePorts.set(key, after);
      } else {
        servicePorts.delete(key);
      }
      if (isLong) {
        yield;
      }
      ranges.replace(before, after);
      clusterIPs.replace(before, after);
      if (isLong) {
        yield;
      }
      if (!isFirst) {
        const change = { previous: before, current: after };
        resolved.set(key, change);
        // Growing a hash table occasionally takes long.
        if (isLong) {
          yield;
        }
        if (!sameRendering(before, after)) {
          rendered.set(key, change);
        }
      }
      if (before?.frontends !== after?.frontends) {
        moved.push({ key, before });
      }
    }
    yield* moveFrontends(frontends, moved, servicePorts, isLong);
    const health = yield* resolveHealthCheckNodePorts(
      previous.healthCheckNodePorts as PersistentMap<ServiceKey, HealthCheckNodePort>,
      healthChecked,
      this.#services.ports,
      (service) => this.#slices.localReadyEndpoints(service),
      isLong,
    );
    const clusterIPsChanged = yield* clusterIPs.changedFrom(previous.clusterIPs, isLong);
    const nodeChanged = node !== previous.node;
    this.#state = {
      family: this.#family,
      revision: previous.revision + 1,
      servicePorts: servicePorts.finish(),
      frontends: frontends.finish(),
      ...rangesOfState(ranges),
      healthCheckNodePorts: health.table,
      clusterIPs: clusterIPs.finish(),
      node,
    };
    this.#isWhole = true;
    const added = isFirst ? new AddedServicePorts(this.#state.servicePorts) : undefined;
    return {
      state: this.#state,
      changes: {
        previous,
        servicePorts: added ?? rendered,
        resolvedServicePorts: added ?? resolved,
        healthCheckNodePorts: health.changed,
        clusterIPs: clusterIPsChanged,
        nodeChanged,
      },
      triggerTimes,
    };
  }

  /** All current and former service ports: the previous resolution may have been aborted anywhere. */
  *#touchAll(previous: ProxyState, touched: Set<ServicePortKey>, services: Set<ServiceKey>): Slices<void> {
    for (const key of previous.servicePorts.keys()) {
      touched.add(key);
      yield;
    }
    for (const [service, ports] of this.#services.ports) {
      services.add(service);
      for (const { key } of ports) {
        touched.add(key);
      }
      yield;
    }
    addAll(this.#wanted.keys(), touched);
    addAll(previous.healthCheckNodePorts.keys(), services);
  }

  #noteNode(changed: boolean): boolean {
    this.#nodePending ||= changed;
    return changed;
  }

  #portOf(service: ServiceKey, key: ServicePortKey): ServicePort | undefined {
    const ports = this.#services.ports.get(service);
    if (ports === undefined || ports.length <= FEW) {
      return ports?.find((port) => port.key === key);
    }
    let byKey = this.#portsByKey.get(ports);
    if (byKey === undefined) {
      byKey = new Map(ports.map((port) => [port.key, port]));
      this.#portsByKey.set(ports, byKey);
    }
    return byKey.get(key);
  }

  /** Computes the frontends that a service port claims, and updates its claims. */
  #want(key: ServicePortKey, node: NodeState, revisit: Set<ServicePortKey>): void {
    const before = this.#wanted.get(key);
    const service = serviceOfPort(key);
    const servicePort = this.#portOf(service, key);
    const after = servicePort && this.#wantedOf(servicePort, service, key, node, before);
    if (before !== undefined && before.frontends !== after?.frontends) {
      const kept = new Set(after?.frontends.map((frontend) => frontend.key));
      for (const frontend of before.frontends) {
        if (!kept.has(frontend.key)) {
          this.#ownership.release(frontend, before.servicePort, revisit);
        }
      }
    }
    if (!after) {
      this.#wanted.delete(key);
      this.#problems.forget(key);
      return;
    }
    this.#wanted.set(key, after);
    if (after.frontends !== before?.frontends || after.servicePort !== before.servicePort) {
      for (const frontend of after.frontends) {
        this.#ownership.claim(frontend, after.servicePort, revisit);
      }
    }
  }

  #wantedOf(
    servicePort: ServicePort,
    service: ServiceKey,
    key: ServicePortKey,
    node: NodeState,
    before: WantedServicePort | undefined,
  ): WantedServicePort {
    const view = this.#slices.view(service, key);
    const range = usableRange(servicePort, view, this.#rangeSupport);
    const frontends = resolveFrontends(servicePort, view, {
      ...{ node, masqueradeAll: this.#masqueradeAll, lastPort: range.lastPort },
      isServed: this.#isServed(servicePort),
    });
    return {
      servicePort,
      view,
      frontends: before && structurallyEqual(before.frontends, frontends) ? before.frontends : frontends,
      rangeProblem: range.problem,
    };
  }

  #isServed({ name: { protocol } }: ServicePort): boolean {
    return !this.#unservedProtocols.includes(protocol);
  }

  /** The resolved service port: the object of the previous state when nothing differs. */
  #resolve(key: ServicePortKey, before: ResolvedServicePort | undefined): ResolvedServicePort | undefined {
    const wanted = this.#wanted.get(key);
    if (!wanted) {
      return undefined;
    }
    const { servicePort } = wanted;
    const overlaps = this.#overlapsOf(wanted, before);
    const isRefused = (claimed: FrontendKey) =>
      overlaps.some(({ frontend, served }) => !served && frontend === claimed);
    const free = wanted.frontends.filter(
      (frontend) => this.#ownership.holderBefore(frontend, servicePort) === undefined && !isRefused(frontend.key),
    );
    const held = free.map((frontend) => this.#ownership.ownedPart(frontend, servicePort));
    this.#problems.report({
      ...{ servicePort, wanted: wanted.frontends, held, overlaps, before, isServed: this.#isServed(servicePort) },
      ...{ rangeProblem: wanted.rangeProblem, ranges: this.#ownership.ranges },
      holderBefore: (frontend) => this.#ownership.holderBefore(frontend, servicePort),
    });
    return resolvedServicePort(wanted, held, overlaps, before);
  }

  #overlapsOf({ frontends }: WantedServicePort, before: ResolvedServicePort | undefined): readonly AddressOverlap[] {
    const overlaps = overlapsOf(frontends, this.#ownership.addresses, this.#servesOverlaps);
    return before && structurallyEqual(before.overlaps, overlaps) ? before.overlaps : overlaps;
  }
}

/** Whether all decisions about service ports are the same; backends handle the other fields of a node themselves. */
function sameResolutionInputs(left: NodeState, right: NodeState): boolean {
  const facts = ({ zone, addresses, detector }: NodeState) => ({ zone, addresses, detector });
  return structurallyEqual(facts(left), facts(right));
}

function addAll<Item>(items: Iterable<Item>, to: Set<Item>): void {
  for (const item of items) {
    to.add(item);
  }
}

/** The elements of the first set, then those only in the second. */
function* eachOf<Item>(first: ReadonlySet<Item>, second: ReadonlySet<Item>): Iterable<Item> {
  yield* first;
  for (const item of second) {
    if (!first.has(item)) {
      yield item;
    }
  }
}

function rangesOfState(held: HeldRanges): Pick<ProxyState, 'portRanges'> {
  const portRanges = held.finish();
  return portRanges === undefined ? {} : { portRanges };
}

/** The key of a service port as its Service has it, if that has few: an equal text would take memory again. */
function retainedKey(ports: readonly ServicePort[] | undefined, key: ServicePortKey): ServicePortKey {
  return ports === undefined || ports.length > FEW ? key : (ports.find((port) => port.key === key)?.key ?? key);
}
