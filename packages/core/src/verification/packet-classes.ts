import { cidrContains, type IPFamily } from '../model/address.js';
import { type Endpoint, mayBeLocal } from '../model/endpoint.js';
import { type Frontend, frontendKey } from '../model/frontend.js';
import { portRangeSpace } from '../model/port-range.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { formatServicePortName, type Protocol } from '../model/service-port-name.js';
import { finish } from '../pacing/slices.js';
import { addressAt, firstAddress, lastAddress } from './address-arithmetic.js';
import type { PathPacket } from './packet-path.js';

/** The source of the packets of a class. */
export type PacketSource =
  /** A pod of this node that is no endpoint of the Service. */
  | 'pod'
  /** An endpoint of the Service that is local, or may be: its own packets may return to it. */
  | 'endpoint'
  | 'pod of another node'
  | 'node'
  | 'loopback'
  /** A client outside the cluster. */
  | 'outside'
  /** A client at the edge of a network of `loadBalancerSourceRanges`, inside or just outside of it. */
  | 'source range';

/** Packets with the same outcome, and one of them. */
export interface PacketClass {
  /** `namespace/name:port` of the service port; undefined for addresses that no Service has. */
  readonly servicePort: string | undefined;
  /** Kind of the destination. */
  readonly to: Frontend['kind'] | 'unused port of a ClusterIP' | 'unused address of a service network';
  readonly from: PacketSource;
  readonly packet: PathPacket;
}

/** The properties of the host that packets depend on. */
export interface ClassHost {
  /** Addresses of the host, both families. */
  readonly localAddresses: ReadonlySet<string>;
  /** `BackendCapabilities.clusterIPsOfNode` of the mode. Default true. */
  readonly clusterIPsOfNode?: boolean;
  readonly interfaces: readonly string[];
}

const OUTSIDE: Readonly<Record<IPFamily, readonly string[]>> = {
  IPv4: ['203.0.113.77', '198.51.100.77', '192.0.2.77', '8.8.8.8', '100.127.255.77'],
  IPv6: ['2001:db8:ffff::77', '2001:4860:4860::8888', '3fff::77', '2a00:ffff::77'],
};
const SOURCE_PORT = 40_001;
const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
/** Number of node addresses that are tried from every kind of source. Further ones are tried from one. */
const FULLY_TRIED = 1;

/** Maximum number of endpoints of a service port: each class has as many outcomes, and takes about 0.02 ms for each. */
const MAX_ENDPOINTS = 10_000;
/** Maximum number of outcomes of packets from the endpoints of a service port to this service port. */
const MAX_OUTCOMES = 250_000;

/**
 * Classes of packets that a state distinguishes: frontends by kinds of source, unused ports of cluster IPs and unused addresses
 * of service networks. The number is proportional to the size of the state. Very large Services have fewer.
 *
 * @param onOmitted called for each service port whose packets are not all covered, with a sentence. Default: nothing.
 * @param samples the result of {@link addressSamplesInSlices}. Default: it is determined without a pause.
 */
export function* packetClasses(
  state: ProxyState,
  host: ClassHost,
  onOmitted: (what: string) => void = () => {},
  samples: AddressSamples = finish(addressSamplesInSlices(state, host)),
): Generator<PacketClass> {
  const sources = new SourceChoice(state, host, samples);
  for (const port of state.servicePorts.values()) {
    const endpoints = endpointCount(port);
    if (endpoints > MAX_ENDPOINTS) {
      const name = formatServicePortName(port.name);
      onOmitted(`Packets to ${name} were not verified: it has ${endpoints} endpoints, more than ${MAX_ENDPOINTS}`);
    } else {
      yield* classesOfServicePort(state, port, sources, onOmitted);
    }
  }
  yield* unusedPorts(state, sources);
  yield* unusedAddresses(state, sources, samples.external);
}

type Origin = Pick<PathPacket, 'source' | 'entry'>;

/** Some addresses of pods, and those of Services that are not cluster IPs. */
export interface AddressSamples {
  readonly local: readonly string[];
  /** On other nodes. */
  readonly remote: readonly string[];
  /** All addresses of frontends that are not cluster IPs. */
  readonly external: ReadonlySet<string>;
}

/** Usually enough to find a pod that is not an endpoint of a given Service. */
const MAX_SAMPLES = 8;

/** Service ports between two pauses: some milliseconds. */
const BETWEEN_PAUSES = 2000;

/** Addresses of a state. Yields after each few thousand service ports, so that a caller can pause. */
export function* addressSamplesInSlices(state: ProxyState, host: ClassHost): Generator<undefined, AddressSamples> {
  const { detector } = state.node;
  const [local, remote, external] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const isPod = (address: string) =>
    !host.localAddresses.has(address) && (detector.kind !== 'source-cidr' || cidrContains(detector.cidr, address));
  let count = 0;
  for (const { candidates, frontends } of state.servicePorts.values()) {
    if (++count % BETWEEN_PAUSES === 0) {
      yield;
    }
    for (const { isLocal, address } of candidates) {
      const known = isLocal ? local : remote;
      if (known.size < MAX_SAMPLES && !known.has(address) && isPod(address)) {
        known.add(address);
      }
    }
    for (const { address } of frontends) {
      if (address !== undefined && !state.clusterIPs.has(address)) {
        external.add(address);
      }
    }
  }
  return { local: [...local], remote: [...remote], external };
}

/** Representative senders of one state. */
class SourceChoice {
  readonly #state: ProxyState;
  readonly #host: ClassHost;
  readonly #podInterface: string | undefined;
  readonly #localPods: readonly string[];
  readonly #remotePods: readonly string[];
  readonly #outside: string;
  /** Addresses of this node and family, the node's own first, without loopback. */
  readonly nodeAddresses: readonly string[];

  constructor(state: ProxyState, host: ClassHost, samples: AddressSamples) {
    this.#state = state;
    this.#host = host;
    const { detector, addresses, serviceCIDRs } = state.node;
    const six = state.family === 'IPv6';
    const local = [...host.localAddresses].filter(
      (address) => address.includes(':') === six && !isLoopback(address) && !/^fe[89ab]/i.test(address),
    );
    this.nodeAddresses = [...addresses.filter((address) => host.localAddresses.has(address)), ...local].filter(
      (address, index, all) => all.indexOf(address) === index,
    );
    this.#podInterface =
      detector.kind === 'interface'
        ? detector.name
        : detector.kind === 'interface-prefix'
          ? (host.interfaces.find((name) => name.startsWith(detector.prefix)) ?? `${detector.prefix}0`)
          : undefined;
    const spare = detector.kind === 'source-cidr' ? spareAddresses(detector.cidr) : [];
    // With a detector by interface, any source address on such an interface counts as a pod.
    this.#localPods = [...samples.local, ...(this.#podInterface === undefined ? [] : OUTSIDE[state.family])];
    this.#remotePods = [...samples.remote, ...spare];
    const isTaken = (address: string) =>
      host.localAddresses.has(address) ||
      state.clusterIPs.has(address) ||
      serviceCIDRs.some((cidr) => cidrContains(cidr, address)) ||
      (detector.kind === 'source-cidr' && cidrContains(detector.cidr, address));
    const candidates = OUTSIDE[state.family];
    this.#outside = candidates.find((address) => !isTaken(address)) ?? candidates[0] ?? '';
  }

  /** A pod of this node that is none of `except`; undefined where no such pod is known. */
  pod(except: readonly Endpoint[] = []): Origin | undefined {
    const source = this.#localPods.find((address) => !except.some((endpoint) => endpoint.address === address));
    return source === undefined ? undefined : this.endpoint(source);
  }

  /** Endpoints in the host network send from the node itself. */
  endpoint(source: string): Origin {
    return this.#host.localAddresses.has(source)
      ? { source, entry: { kind: 'host' } }
      : { source, entry: { kind: 'interface', name: this.#podInterface } };
  }

  remotePod(except: readonly Endpoint[] = []): Origin | undefined {
    const source = this.#remotePods.find((address) => !except.some((endpoint) => endpoint.address === address));
    return source === undefined ? undefined : { source, entry: { kind: 'interface', name: undefined } };
  }

  node(): Origin | undefined {
    const [source] = this.nodeAddresses;
    return source === undefined ? undefined : { source, entry: { kind: 'host' } };
  }

  loopback(): Origin {
    return { source: this.#state.family === 'IPv4' ? '127.0.0.1' : '::1', entry: { kind: 'host' } };
  }

  outside(source = this.#outside): Origin {
    return this.#host.localAddresses.has(source)
      ? { source, entry: { kind: 'host' } }
      : { source, entry: { kind: 'interface', name: undefined } };
  }
}

/** Of the longer one of its lists. */
function endpointCount({ cluster, local }: ResolvedServicePort): number {
  return Math.max(cluster.length, local.length);
}

function* classesOfServicePort(
  state: ProxyState,
  port: ResolvedServicePort,
  sources: SourceChoice,
  onOmitted: (what: string) => void,
): Generator<PacketClass> {
  const servicePort = formatServicePortName(port.name);
  const endpoints = endpointCount(port);
  const most = Math.ceil(MAX_OUTCOMES / Math.max(endpoints, 1));
  let isReported = false;
  const tried = new Set<string>();
  for (const frontend of port.frontends) {
    const classOf = (from: PacketSource, destination: string, origin: Origin, to = frontend.port): PacketClass => ({
      servicePort,
      to: frontend.kind,
      from,
      packet: {
        source: origin.source,
        entry: origin.entry,
        destination,
        protocol: frontend.protocol,
        port: to,
        sourcePort: SOURCE_PORT,
      },
    });
    const destinations = frontend.address === undefined ? sources.nodeAddresses : [frontend.address];
    for (const [index, destination] of destinations.entries()) {
      yield classOf('outside', destination, sources.outside());
      for (const edge of edgesOfRange(frontend)) {
        yield classOf('outside', destination, sources.outside(), edge);
      }
      if (index >= FULLY_TRIED) {
        continue;
      }
      const pod = sources.pod(port.candidates);
      if (pod !== undefined) {
        yield classOf('pod', destination, pod);
      }
      const remotePod = sources.remotePod(port.candidates);
      if (remotePod !== undefined) {
        yield classOf('pod of another node', destination, remotePod);
      }
      const node = sources.node();
      if (node !== undefined) {
        yield classOf('node', destination, node);
      }
      const senders = endpointsAsSources(port, frontend, tried);
      const step = Math.ceil(senders.length / most);
      if (step > 1 && !isReported) {
        isReported = true;
        onOmitted(
          `Packets from endpoints of ${servicePort} to ${servicePort} were verified for one in ${step} endpoints only: ${senders.length} of ${endpoints} may be local`,
        );
      }
      for (let sender = 0; sender < senders.length; sender += step) {
        yield classOf('endpoint', destination, sources.endpoint(senders[sender] ?? ''));
      }
      for (const cidr of frontend.allowedSources ?? []) {
        for (const source of edgesOf(cidr)) {
          yield classOf('source range', destination, sources.outside(source));
        }
      }
    }
    if (frontend.address === undefined) {
      yield classOf('loopback', state.family === 'IPv4' ? '127.0.0.1' : '::1', sources.loopback());
    }
  }
}

/** Endpoints that can reach themselves by this frontend: all of them once for each Service, then one for each frontend. */
function endpointsAsSources(port: ResolvedServicePort, { routes }: Frontend, tried: Set<string>): readonly string[] {
  const found = new Set<string>();
  for (const list of ['cluster', 'local'] as const) {
    if (!routes.some((route) => route.action === 'forward' && route.endpoints === list)) {
      continue;
    }
    let some = false;
    for (const endpoint of port[list]) {
      const { address } = endpoint;
      if (mayBeLocal(endpoint) && (!some || !tried.has(address))) {
        some = true;
        tried.add(address);
        found.add(address);
      }
    }
  }
  return [...found];
}

/** Ports of a range to try beside the first: the next, one in the middle, and the last; then its neighbours. */
function edgesOfRange(frontend: Frontend): readonly number[] {
  const { port, lastPort } = frontend;
  return lastPort === undefined
    ? []
    : [...new Set([port + 1, (port + lastPort) >> 1, lastPort, port - 1, lastPort + 1])].filter(
        (edge) => edge !== port && edge >= 1 && edge <= 65_535,
      );
}

/** The first and the last address of a network, and their neighbours outside of it. */
function edgesOf(cidr: string): readonly string[] {
  const first = firstAddress(cidr);
  const last = lastAddress(cidr);
  return [addressAt(first, -1), first, last, addressAt(last, 1)].filter(
    (address, index, all): address is string =>
      address !== undefined && all.indexOf(address) === index && isUnicast(address),
  );
}

function isUnicast(address: string): boolean {
  return address.includes(':')
    ? !/^(?:ff|fe[89ab]|::$|::1$)/i.test(address)
    : !/^(?:0|127|22[4-9]|23\d|24\d|25[0-5])\./.test(address);
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** The last addresses of a network, which are rarely in use. */
function spareAddresses(cidr: string): readonly string[] {
  const last = lastAddress(cidr);
  return [addressAt(last, -2), addressAt(last, -3)].filter(
    (address): address is string => address !== undefined && cidrContains(cidr, address),
  );
}

function* unusedPorts(state: ProxyState, sources: SourceChoice): Generator<PacketClass> {
  const isUsed = (address: string, port: number) =>
    PROTOCOLS.some(
      (protocol) =>
        state.frontends.has(frontendKey(protocol, address, port)) ||
        state.portRanges
          ?.get(portRangeSpace(protocol, address))
          ?.some(({ first, last }) => first <= port && port <= last) === true,
    );
  for (const destination of state.clusterIPs.keys()) {
    // Above the well-known ports, and below the ephemeral ports.
    let port = 19;
    while (isUsed(destination, port)) {
      port++;
    }
    for (const [from, origin] of [['pod', sources.pod()] as const, ['node', sources.node()] as const]) {
      if (origin !== undefined) {
        const packet: PathPacket = { ...origin, destination, protocol: 'TCP', port, sourcePort: SOURCE_PORT };
        yield { servicePort: undefined, to: 'unused port of a ClusterIP', from, packet };
      }
    }
  }
}

function* unusedAddresses(
  state: ProxyState,
  sources: SourceChoice,
  external: ReadonlySet<string>,
): Generator<PacketClass> {
  const isTaken = (address: string) => state.clusterIPs.has(address) || external.has(address);
  for (const cidr of state.node.serviceCIDRs) {
    let destination = addressAt(lastAddress(cidr), -1);
    while (destination !== undefined && isTaken(destination)) {
      destination = addressAt(destination, -1);
    }
    if (destination === undefined || !cidrContains(cidr, destination)) {
      continue;
    }
    for (const protocol of PROTOCOLS) {
      for (const [from, origin] of [['pod', sources.pod()] as const, ['node', sources.node()] as const]) {
        if (origin !== undefined) {
          const packet: PathPacket = { ...origin, destination, protocol, port: 80, sourcePort: SOURCE_PORT };
          yield { servicePort: undefined, to: 'unused address of a service network', from, packet };
        }
      }
    }
  }
}
