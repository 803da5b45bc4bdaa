import { cidrContains, familyOf, hostCIDR, parseAddress } from '../model/address.js';
import { type Endpoint, mayBeLocal } from '../model/endpoint.js';
import { selectionWeights } from '../model/endpoint-weights.js';
import { type ForwardRoute, type Frontend, type FrontendKey, frontendKey, type Route } from '../model/frontend.js';
import { resetsConnections } from '../model/lost-endpoints.js';
import { endpointAt, formatPorts, portRangeSpace } from '../model/port-range.js';
import type { LocalTrafficDetector, NodeState, ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { formatServicePortName, type Protocol, serviceKey } from '../model/service-port-name.js';
import { endpointDescriber, intendedList } from './describe-endpoint.js';

/** The first packet of a connection, as seen by this node. */
export interface Packet {
  /** IP address. */
  readonly source: string;
  /** IP address. */
  readonly destination: string;
  readonly protocol: Protocol;
  /** Destination port. */
  readonly port: number;
  /**
   * Origin of the packet: a process on the node itself (host network), or an input interface, whose name matters only
   * to detectors that match interfaces. Default: the node itself when the source is one of its addresses, else an
   * interface without a known name.
   */
  readonly entry?: { readonly kind: 'host' } | { readonly kind: 'interface'; readonly name?: string | undefined };
}

/** One endpoint that the packet may go to. */
export interface SimulatedChoice {
  readonly endpoint: Endpoint;
  /** 0…1, for a client without session affinity state. */
  readonly probability: number;
  /** The endpoint sees the node's address instead of the source. */
  readonly masqueraded: boolean;
  /** The packet's source is this endpoint. */
  readonly hairpin: boolean;
}

/** What happens to the packet. */
export type SimulatedOutcome =
  | {
      readonly kind: 'forwarded';
      readonly choices: readonly SimulatedChoice[];
      /** Session affinity timeout in seconds; undefined for no affinity. */
      readonly affinitySeconds: number | undefined;
    }
  /** Rejected, as by a closed port. */
  | { readonly kind: 'refused' }
  /** No answer. */
  | { readonly kind: 'dropped' }
  /** Not handled by the proxy: the node's routes decide. */
  | { readonly kind: 'passed-on' };

/** An outcome with its explanation. */
export interface Simulation {
  readonly packet: Packet;
  readonly outcome: SimulatedOutcome;
  /** The service port that it reached, if any. */
  readonly servicePort: ResolvedServicePort | undefined;
  readonly frontend: Frontend | undefined;
  readonly route: Route | undefined;
  /** The decisions, step by step, as text. */
  readonly steps: readonly string[];
  /** For each known endpoint of the service port, why it is or is not used; empty where it does not matter. */
  readonly endpoints: readonly { readonly endpoint: Endpoint; readonly used: boolean; readonly reason: string }[];
}

/** Facts about the host beyond the state. */
export interface SimulationHost {
  /** Addresses of the host's interfaces. Default: the node's addresses. Loopback addresses are always local. */
  readonly localAddresses?: readonly string[] | ReadonlySet<string>;
  /** `BackendCapabilities.clusterIPsOfNode` of the mode. Default true. */
  readonly clusterIPsOfNode?: boolean;
}

/** A {@link SimulationHost} whose addresses are only looked up. */
export interface DecisionHost extends Omit<SimulationHost, 'localAddresses'> {
  /** As {@link SimulationHost.localAddresses}. */
  readonly localAddresses?: readonly string[] | Pick<ReadonlySet<string>, 'has'>;
}

/** An outcome, and the parts of the state that decide it, without an explanation. */
export type PacketDecision = Omit<Simulation, 'steps' | 'endpoints'>;

/**
 * Predicts the outcome of a packet under a state, with the reason (spec O-4…O-10). Pure: it interprets the state as every
 * backend does, so it is the oracle of their tests.
 *
 * @throws RangeError when source or destination is not an IP address, they or the state differ in family, or the port
 * is out of range.
 */
export function simulatePacket(state: ProxyState, packet: Packet, host: SimulationHost = {}): Simulation {
  return new Simulator(state, normalise(state, packet), host).run();
}

/**
 * The outcome that {@link simulatePacket} predicts, without the explanation: for callers with very many packets. Its cost does
 * not depend on the size of the state.
 *
 * @throws RangeError as {@link simulatePacket}.
 */
export function decidePacket(state: ProxyState, packet: Packet, host: DecisionHost = {}): PacketDecision {
  const {
    steps: _steps,
    endpoints: _endpoints,
    ...decision
  } = new Simulator(state, normalise(state, packet), host, false).run();
  return decision;
}

function normalise(state: ProxyState, packet: Packet): Packet {
  const source = parseAddress(packet.source);
  const destination = parseAddress(packet.destination);
  if (!source || !destination) {
    throw new RangeError(`${JSON.stringify(source ? packet.destination : packet.source)} is not an IP address`);
  }
  if (source.family !== destination.family || source.family !== state.family) {
    throw new RangeError(`a packet from ${source.text} to ${destination.text} is not ${state.family} traffic`);
  }
  if (!Number.isInteger(packet.port) || packet.port < 1 || packet.port > 65535) {
    throw new RangeError(`${packet.port} is not a port (1 to 65535)`);
  }
  // Texts of the state where they are equal, which are looked up faster than new ones.
  return source.text === packet.source && destination.text === packet.destination
    ? packet
    : { ...packet, source: source.text, destination: destination.text };
}

class Simulator {
  readonly #steps: string[] = [];
  readonly #node: NodeState;
  readonly #localAddresses: Pick<ReadonlySet<string>, 'has'>;
  readonly #clusterIPsOfNode: boolean;
  readonly #fromHost: boolean;

  constructor(
    private readonly state: ProxyState,
    private readonly packet: Packet,
    host: DecisionHost,
    /** Whether the reasons are needed as well. */
    private readonly explains = true,
  ) {
    this.#node = state.node;
    const { localAddresses = state.node.addresses, clusterIPsOfNode = true } = host;
    this.#clusterIPsOfNode = clusterIPsOfNode;
    this.#localAddresses = 'has' in localAddresses ? localAddresses : new Set(localAddresses);
    this.#fromHost = packet.entry ? packet.entry.kind === 'host' : this.#isLocal(packet.source);
  }

  run(): Simulation {
    const { packet } = this;
    const found = this.#findFrontend();
    if (!found) {
      return this.#unclaimed();
    }
    const { servicePort, frontend } = found;
    const name = formatServicePortName(servicePort.name);
    const where = frontend.address === undefined ? 'a NodePort' : `the ${SPOKEN_KIND[frontend.kind]}`;
    this.#steps.push(`${packet.destination} port ${packet.port}/${packet.protocol} is ${where} of Service ${name}.`);
    if (frontend.lastPort !== undefined && this.explains) {
      this.#steps.push(describeRange(servicePort, frontend, packet.port));
    }
    const refusedSource = this.#refusedSource(frontend);
    if (refusedSource) {
      this.#steps.push(refusedSource);
      return this.#end({ kind: 'dropped' }, found);
    }
    const route = frontend.routes.find((candidate) => this.#routeMatches(candidate)) as Route;
    if (this.explains) {
      this.#steps.push(...this.#describeRoute(servicePort, frontend, route));
    }
    if (this.explains && resetsConnections(servicePort)) {
      this.#steps.push('Open connections are reset when their endpoint is gone (kube-proxier.io/when-endpoint-goes).');
    }
    if (route.action !== 'forward') {
      return this.#end({ kind: route.action === 'reject' ? 'refused' : 'dropped' }, found, route);
    }
    const endpoints = servicePort[route.endpoints];
    const weights = selectionWeights(endpoints);
    const total = weights?.reduce((sum, weight) => sum + weight, 0) ?? endpoints.length;
    const choices = endpoints.map((endpoint, index): SimulatedChoice => {
      const hairpin = endpoint.address === packet.source && mayBeLocal(endpoint);
      return {
        endpoint: endpointAt(endpoint, frontend, packet.port),
        probability: (weights?.[index] ?? 1) / total,
        masqueraded: (hairpin || this.#masquerades(route)) && !this.#isDelivered(endpoint.address),
        hairpin,
      };
    });
    if (this.explains) {
      this.#steps.push(...this.#describeSource(route, choices));
    }
    if (servicePort.affinitySeconds !== undefined) {
      this.#steps.push(
        `Session affinity: a client that connected within the last ${servicePort.affinitySeconds} s keeps its endpoint, while that is in the list.`,
      );
    }
    return this.#end({ kind: 'forwarded', choices, affinitySeconds: servicePort.affinitySeconds }, found, route);
  }

  #findFrontend(): { servicePort: ResolvedServicePort; frontend: Frontend } | undefined {
    const { packet } = this;
    const direct = this.#frontend(frontendKey(packet.protocol, packet.destination, packet.port)) ?? this.#inRange();
    if (direct) {
      return direct;
    }
    const nodePort = this.#frontend(frontendKey(packet.protocol, undefined, packet.port));
    if (!nodePort) {
      return undefined;
    }
    const refusal = this.#notANodePortAddress();
    if (refusal) {
      this.#steps.push(
        `${packet.port}/${packet.protocol} is the node port of Service ${formatServicePortName(nodePort.servicePort.name)}, but ${refusal}.`,
      );
      return undefined;
    }
    return nodePort;
  }

  #frontend(key: FrontendKey): { servicePort: ResolvedServicePort; frontend: Frontend } | undefined {
    const holder = this.state.frontends.get(key);
    const servicePort = holder === undefined ? undefined : this.state.servicePorts.get(holder);
    const frontend = servicePort?.frontends.find((candidate) => candidate.key === key);
    return servicePort && frontend ? { servicePort, frontend } : undefined;
  }

  #inRange(): { servicePort: ResolvedServicePort; frontend: Frontend } | undefined {
    const { protocol, destination, port } = this.packet;
    const ranges = this.state.portRanges?.get(portRangeSpace(protocol, destination));
    const range = ranges?.find(({ first, last }) => first <= port && port <= last);
    return range && this.#frontend(frontendKey(protocol, destination, range.first));
  }

  /** Why the destination is not a NodePort address; undefined when it is one (spec K-70…K-74). */
  #notANodePortAddress(): string | undefined {
    const { destination } = this.packet;
    const { nodePortAddresses } = this.#node;
    if (isLoopback(destination)) {
      if (!nodePortAddresses.loopback) {
        return 'NodePorts are not served on loopback addresses here';
      }
      return isLoopback(this.packet.source) || this.#isLocal(this.packet.source)
        ? undefined
        : 'a loopback address can only be reached from this node itself';
    }
    if (nodePortAddresses.kind === 'listed') {
      return nodePortAddresses.addresses.includes(destination)
        ? undefined
        : `${destination} is not among the addresses for NodePorts (${nodePortAddresses.addresses.join(', ') || 'none'})`;
    }
    return this.#isLocal(destination) ? undefined : `${destination} is not an address of this node`;
  }

  #unclaimed(): Simulation {
    const { packet, state } = this;
    const isClusterIP = state.clusterIPs.has(packet.destination);
    if (isClusterIP && this.#clusterIPsOfNode && this.#localAddresses.has(packet.destination)) {
      this.#steps.push(
        `${packet.destination} is a cluster IP, but also an address of this node: port ${packet.port}/${packet.protocol}, which no Service has, is left to the node's processes.`,
      );
      return this.#end({ kind: 'passed-on' });
    }
    if (isClusterIP && !this.explains) {
      return this.#end({ kind: 'refused' });
    }
    if (isClusterIP) {
      const owners = [...state.servicePorts.values()].filter((port) =>
        port.frontends.some(({ kind, address }) => kind === 'ClusterIP' && address === packet.destination),
      );
      const has = owners
        .map((port) => `${formatPorts(clusterIPFrontend(port) ?? port.servicePort)}/${port.name.protocol}`)
        .sort()
        .join(', ');
      const name = owners[0] ? ` of Service ${serviceKey(owners[0].name)}` : '';
      this.#steps.push(
        `${packet.destination} is the cluster IP${name}, which has no port ${packet.port}/${packet.protocol} (it has ${has}): refused.`,
      );
      return this.#end({ kind: 'refused' });
    }
    const cidr = this.#node.serviceCIDRs.find((candidate) => cidrContains(candidate, packet.destination));
    if (cidr !== undefined && !this.#localAddresses.has(packet.destination)) {
      this.#steps.push(`${packet.destination} is in the service network ${cidr}, but no Service has it: dropped.`);
      return this.#end({ kind: 'dropped' });
    }
    this.#steps.push(
      `No Service has ${packet.destination} port ${packet.port}/${packet.protocol}: the packet goes where the node's routes send it.`,
    );
    return this.#end({ kind: 'passed-on' });
  }

  #refusedSource(frontend: Frontend): string | undefined {
    const { allowedSources } = frontend;
    if (!allowedSources) {
      return undefined;
    }
    const range = allowedSources.find((cidr) => cidrContains(cidr, this.packet.source));
    if (range !== undefined) {
      this.#steps.push(`Its source ranges allow ${this.packet.source} (${range}).`);
      return undefined;
    }
    const ranges = allowedSources.join(', ') || 'no source, as none of its ranges could be parsed';
    return `Its source ranges (loadBalancerSourceRanges) allow ${ranges}; ${this.packet.source} is not among them: dropped.`;
  }

  #routeMatches(route: Route): boolean {
    switch (route.source) {
      case 'any':
        return true;
      case 'pod':
        return this.#isPodTraffic();
      case 'node':
        return this.#isLocal(this.packet.source);
    }
  }

  /** The result of the state's detector (spec K-60). */
  #isPodTraffic(): boolean {
    const { detector } = this.#node;
    const name = this.packet.entry?.kind === 'interface' ? this.packet.entry.name : undefined;
    switch (detector.kind) {
      case 'none':
        return false;
      case 'source-cidr':
        return cidrContains(detector.cidr, this.packet.source);
      case 'interface':
        return !this.#fromHost && name === detector.name;
      case 'interface-prefix':
        return !this.#fromHost && name !== undefined && name.startsWith(detector.prefix);
    }
  }

  #isLocal(address: string): boolean {
    return isLoopback(address) || this.#localAddresses.has(address);
  }

  /** Whether packets to this endpoint stay on this node and came from elsewhere: they do not pass postrouting (spec O-11). */
  #isDelivered(endpoint: string): boolean {
    return !this.#fromHost && this.#localAddresses.has(endpoint);
  }

  #masquerades(route: ForwardRoute): boolean {
    return route.masquerade === 'always' || (route.masquerade === 'off-cluster' && !this.#isPodTraffic());
  }

  #describeRoute(port: ResolvedServicePort, frontend: Frontend, route: Route): string[] {
    const { servicePort, selection } = port;
    const internal = frontend.kind === 'ClusterIP';
    const policy = internal ? servicePort.internalTrafficPolicy : servicePort.externalTrafficPolicy;
    const field = internal ? 'internalTrafficPolicy' : 'externalTrafficPolicy';
    if (route.action !== 'forward') {
      if (route.because === 'protocol') {
        return [`${frontend.protocol} is not supported by this proxy mode: refused.`];
      }
      const answering = port.candidates.filter(
        ({ ready, serving, terminating, isLocal }) =>
          (ready || (serving && terminating)) && (route.action === 'reject' || isLocal),
      );
      // No route forwards to them, so all of them are drained.
      const areDrained = answering.length > 0;
      if (route.action === 'reject') {
        return [
          areDrained
            ? 'All endpoints of it that could answer are drained (weight 0): refused.'
            : `No endpoint of it is ready anywhere${port.candidates.length === 0 ? ' (it has none)' : ''}: refused.`,
        ];
      }
      const here = areDrained
        ? `all endpoints on this node (${this.#node.name}) that could answer are drained (weight 0)`
        : `no endpoint on this node (${this.#node.name}) can answer`;
      return [`${field} is ${policy}, and ${here}, though others exist: dropped.`];
    }
    const steps: string[] = [];
    if (policy === 'Local') {
      const why =
        route.source === 'pod'
          ? `${field} is Local, but the packet comes from a pod (${describeDetector(this.#node.detector)}), for which all endpoints are used`
          : route.source === 'node'
            ? `${field} is Local, but the packet comes from the node itself, for which all endpoints are used`
            : `${field} is Local: only endpoints on this node (${this.#node.name}) are used, and the source address is kept`;
      steps.push(`${why}.`);
    } else {
      steps.push(`${field} is Cluster: endpoints on all nodes may be used.`);
    }
    const basis = route.endpoints === 'cluster' ? selection.clusterBasis : selection.localBasis;
    if (basis === 'terminating') {
      steps.push('No endpoint is ready, so those that still serve while they terminate are used.');
    } else if (route.endpoints === 'cluster' && selection.topology !== 'none') {
      const place = selection.topology === 'PreferSameNode' ? `node ${this.#node.name}` : `zone ${this.#node.zone}`;
      steps.push(`Topology hints (${selection.topology}): only endpoints meant for ${place} are used.`);
    }
    return steps;
  }

  #describeSource(route: ForwardRoute, choices: readonly SimulatedChoice[]): string[] {
    const steps: string[] = [];
    const { source } = this.packet;
    if (route.masquerade === 'always') {
      steps.push(`The source ${source} is replaced by the node's address (masqueraded).`);
    } else if (route.masquerade === 'off-cluster') {
      steps.push(
        this.#isPodTraffic()
          ? `The source ${source} is kept: it is a pod's (${describeDetector(this.#node.detector)}).`
          : `The source ${source} is replaced by the node's address (masqueraded): it is not from a pod (${describeDetector(this.#node.detector)}).`,
      );
    } else {
      steps.push(`The source ${source} is kept.`);
    }
    const delivered = choices.find(({ endpoint }) => this.#isDelivered(endpoint.address));
    if (delivered !== undefined && this.#masquerades(route)) {
      steps.push(
        `Endpoint ${delivered.endpoint.address} is an address of this node: it sees the source ${source}, because only packets that leave the node are masqueraded.`,
      );
    }
    if (choices.some((choice) => choice.hairpin) && !this.#masquerades(route)) {
      steps.push(
        `When the selected endpoint is ${source} itself (hairpin), the packet is masqueraded, so that the reply returns through this node.`,
      );
    }
    return steps;
  }

  #end(
    outcome: SimulatedOutcome,
    found?: { readonly servicePort: ResolvedServicePort; readonly frontend: Frontend },
    route?: Route,
  ): Simulation {
    const isExplained = this.explains && (route || outcome.kind !== 'dropped');
    const endpoints = found && isExplained ? this.#describeEndpoints(found, route) : [];
    return {
      packet: this.packet,
      outcome,
      servicePort: found?.servicePort,
      frontend: found?.frontend,
      route,
      steps: this.#steps,
      endpoints,
    };
  }

  #describeEndpoints(
    { servicePort, frontend }: { readonly servicePort: ResolvedServicePort; readonly frontend: Frontend },
    route: Route | undefined,
  ): Simulation['endpoints'] {
    const list = route?.action === 'forward' ? route.endpoints : intendedList(servicePort, frontend);
    const describe = endpointDescriber(servicePort, list, this.#node);
    return servicePort.candidates.map((endpoint) => ({ endpoint, ...describe(endpoint) }));
  }
}

function clusterIPFrontend({ frontends }: ResolvedServicePort): Frontend | undefined {
  return frontends.find(({ kind }) => kind === 'ClusterIP');
}

const SPOKEN_KIND: Readonly<Record<Frontend['kind'], string>> = {
  ClusterIP: 'cluster IP',
  ExternalIP: 'external IP',
  LoadBalancerIP: 'load balancer address',
  NodePort: 'node port',
};

/** The range, and where its ports lead to (spec PR-2). */
function describeRange({ candidates }: ResolvedServicePort, frontend: Frontend, port: number): string {
  const [endpoint] = candidates;
  const by = (endpoint?.port ?? frontend.port) - frontend.port;
  const isOneShift = candidates.every((other) => other.port === endpoint?.port);
  const where = !isOneShift
    ? `each endpoint gets it at its own port plus ${port - frontend.port}`
    : by === 0
      ? 'endpoints get it at the same port'
      : `endpoints get it at port ${port + by}`;
  return `The port is in the range ${formatPorts(frontend)} (kube-proxier.io/port-range): ${where}.`;
}

function describeDetector(detector: LocalTrafficDetector): string {
  switch (detector.kind) {
    case 'none':
      return 'packets of pods cannot be distinguished: no cluster CIDR is configured';
    case 'source-cidr':
      return `pods have addresses in ${detector.cidr}`;
    case 'interface':
      return `packets of pods arrive on ${detector.name}`;
    case 'interface-prefix':
      return `packets of pods arrive on interfaces named ${detector.prefix}…`;
  }
}

function isLoopback(address: string): boolean {
  return familyOf(address) === 'IPv4' ? cidrContains('127.0.0.0/8', address) : hostCIDR(address) === '::1/128';
}
