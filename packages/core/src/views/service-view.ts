import type { Directions } from '../counting/service-counts.js';
import { joinHostPort } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import type { Frontend } from '../model/frontend.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { Protocol } from '../model/service-port-name.js';
import { type EndpointDecision, endpointDescriber, intendedList } from '../simulator/describe-endpoint.js';
import type { TrafficCount, TrafficCounts } from './traffic-counts.js';

/** One endpoint of a service port, with the decision about it: plain data for JSON. */
export interface EndpointView {
  /** Canonical IP address. */
  readonly address: string;
  /** 1…65535. */
  readonly port: number;
  /** New connections may go to it. */
  readonly used: boolean;
  /** Why it is used, or not. */
  readonly reason: string;
  readonly isLocal: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Its share of new connections relative to other endpoints: 0…65535. 0: drained. */
  readonly weight: number;
  /** The node it runs on; null when unknown. */
  readonly nodeName: string | null;
  /** The pod that has the address, in the namespace of the Service; null when unknown. */
  readonly podName: string | null;
  /** Counts as for the service port, where the mode counts per endpoint. */
  readonly connections?: number;
  readonly packets?: Directions;
  readonly bytes?: Directions;
}

/** One address and port at which a service port is reached: plain data for JSON. */
export interface FrontendView {
  readonly kind: Frontend['kind'];
  /** Canonical IP address; null for a NodePort. */
  readonly address: string | null;
  /** 1…65535. */
  readonly port: number;
  /** The last port of its range; absent for a single port. */
  readonly lastPort?: number;
  /** Action for packets that no earlier route matches; `drop` and `reject` serve no endpoint. */
  readonly action: 'forward' | 'reject' | 'drop';
  /** The endpoints that it forwards to, `cluster` or those of this node; null when it does not forward. */
  readonly endpoints: 'cluster' | 'local' | null;
  readonly masquerade: 'always' | 'off-cluster' | 'never' | null;
  /** Networks whose clients may use it; null for all. */
  readonly allowedSources: readonly string[] | null;
}

/** One service port of one IP family as it is in force on a node: plain data for JSON. */
export interface ServicePortView {
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Name of the port; empty when it has none. */
  readonly portName: string;
  readonly protocol: Protocol;
  readonly family: ProxyState['family'];
  readonly clusterIP: string;
  /** 1…65535. */
  readonly port: number;
  /** The last port of its range, as requested; its frontends say where it is served. Absent without a range. */
  readonly lastPort?: number;
  /** 1…65535, or null for none. */
  readonly nodePort: number | null;
  readonly externalIPs: readonly string[];
  readonly loadBalancerIPs: readonly string[];
  readonly internalTrafficPolicy: 'Cluster' | 'Local';
  readonly externalTrafficPolicy: 'Cluster' | 'Local';
  /** Session affinity timeout in seconds; null for none. */
  readonly affinitySeconds: number | null;
  /** Topology hints that are followed. */
  readonly topology: ResolvedServicePort['selection']['topology'];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /**
   * Connections so far, where the mode counts those of this service port: since counting began, as of the last reading,
   * at most about 10 s ago. Absent where they are not counted, or not yet known.
   */
  readonly connections?: number;
  /** Packets so far, as for connections. */
  readonly packets?: Directions;
  /** Bytes so far, as for connections; with headers or payload only, depending on the mode. */
  readonly bytes?: Directions;
  readonly frontends: readonly FrontendView[];
  readonly endpoints: readonly EndpointView[];
}

/** Which service ports to view. Default: all. */
export interface ServiceSelection {
  readonly namespace?: string;
  /** Name of the Service. */
  readonly name?: string;
  /** Part of `namespace/name`. */
  readonly search?: string;
}

/** Whether a selection contains a service port. */
function isSelected({ name: of }: ResolvedServicePort, { namespace, name, search }: ServiceSelection): boolean {
  return (
    (namespace === undefined || of.namespace === namespace) &&
    (name === undefined || of.name === name) &&
    (search === undefined || `${of.namespace}/${of.name}`.includes(search))
  );
}

/** A page of a list of service ports, and the size of the list. */
export interface ServicePortPage {
  /** Service ports that match the selection. */
  readonly total: number;
  readonly servicePorts: readonly ServicePortView[];
}

/**
 * The first selected service ports of several states, sorted by namespace, Service and port. The cost is proportional
 * to the result; only names are read of the rest.
 *
 * @param limit maximum number of service ports in the result.
 * @param counts counts by service port. Default: none.
 */
export function firstServicePorts(
  states: readonly ProxyState[],
  selection: ServiceSelection,
  limit: number,
  counts?: TrafficCounts,
): ServicePortPage {
  const found = states.flatMap((state) =>
    [...state.servicePorts.values()]
      .filter((port) => isSelected(port, selection))
      .map((port) => ({ state, port, key: `${port.name.namespace}/${port.name.name}/${port.name.portName}` })),
  );
  found.sort((a, b) => compareText(a.key, b.key));
  const servicePorts = found.slice(0, limit).map(({ state, port }) => viewServicePort(port, state, counts));
  return { total: found.length, servicePorts };
}

/**
 * The selected service ports of a state, sorted by namespace, Service and port.
 *
 * @param counts counts by service port. Default: none.
 */
export function viewServicePorts(
  state: ProxyState,
  selection: ServiceSelection = {},
  counts?: TrafficCounts,
): readonly ServicePortView[] {
  return [...state.servicePorts.values()]
    .filter((port) => isSelected(port, selection))
    .map((port) => viewServicePort(port, state, counts))
    .sort(compareViews);
}

/** One service port of a state. */
export function viewServicePort(
  resolved: ResolvedServicePort,
  state: ProxyState,
  counts?: TrafficCounts,
): ServicePortView {
  const { name, servicePort, selection } = resolved;
  const countedOf = (endpoint?: Endpoint): TrafficCount =>
    counts?.of(name, state.family, endpoint && joinHostPort(endpoint.address, endpoint.port)) ?? {};
  const decide = endpointDecider(resolved, state);
  return {
    namespace: name.namespace,
    name: name.name,
    portName: name.portName,
    protocol: name.protocol,
    family: state.family,
    clusterIP: servicePort.clusterIP,
    port: servicePort.port,
    ...(servicePort.lastPort === undefined ? {} : { lastPort: servicePort.lastPort }),
    nodePort: servicePort.nodePort === 0 ? null : servicePort.nodePort,
    externalIPs: servicePort.externalIPs,
    loadBalancerIPs: servicePort.loadBalancerVIPs,
    internalTrafficPolicy: servicePort.internalTrafficPolicy,
    externalTrafficPolicy: servicePort.externalTrafficPolicy,
    affinitySeconds: resolved.affinitySeconds ?? null,
    topology: selection.topology,
    createdAt: servicePort.createdAt,
    ...countedOf(),
    frontends: resolved.frontends.map(viewFrontend),
    endpoints: resolved.candidates.map((endpoint) => ({ ...viewEndpoint(endpoint, decide), ...countedOf(endpoint) })),
  };
}

function viewFrontend({ kind, address, port, lastPort, allowedSources, routes }: Frontend): FrontendView {
  const last = routes.at(-1);
  const forward = last?.action === 'forward' ? last : undefined;
  return {
    kind,
    address: address ?? null,
    port,
    ...(lastPort === undefined ? {} : { lastPort }),
    action: last?.action ?? 'reject',
    endpoints: forward?.endpoints ?? null,
    masquerade: forward?.masquerade ?? null,
    allowedSources: allowedSources ?? null,
  };
}

function viewEndpoint(endpoint: Endpoint, decide: (endpoint: Endpoint) => EndpointDecision): EndpointView {
  const { address, port, isLocal, ready, serving, terminating, weight, nodeName, podName } = endpoint;
  const { used, reason } = decide(endpoint);
  return {
    address,
    port,
    used,
    reason,
    isLocal,
    ready,
    serving,
    terminating,
    weight,
    nodeName: nodeName ?? null,
    podName: podName ?? null,
  };
}

/** An endpoint is used when some frontend forwards to it. If none forwards, the traffic policies are the reason. */
function endpointDecider(resolved: ResolvedServicePort, state: ProxyState): (endpoint: Endpoint) => EndpointDecision {
  const forwarded = resolved.frontends.flatMap(({ routes }) =>
    routes.flatMap((route) => (route.action === 'forward' ? [route.endpoints] : [])),
  );
  const lists = new Set(
    forwarded.length > 0 ? forwarded : resolved.frontends.map((frontend) => intendedList(resolved, frontend)),
  );
  const describers = [...lists].sort().map((list) => endpointDescriber(resolved, list, state.node));
  return (endpoint) => {
    const decisions = describers.map((describe) => describe(endpoint));
    return (
      decisions.find(({ used }) => used) ?? decisions[0] ?? { used: false, reason: 'the Service has no address here' }
    );
  };
}

function compareViews(a: ServicePortView, b: ServicePortView): number {
  return (
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.portName, b.portName) ||
    compareText(a.protocol, b.protocol)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
