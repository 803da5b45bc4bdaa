import type { IPFamily } from './address.js';
import type { AddressOverlap } from './address-overlap.js';
import type { Endpoint } from './endpoint.js';
import type { Frontend, FrontendKey } from './frontend.js';
import type { NodePortAddresses } from './node-port-addresses.js';
import type { HeldPortRange } from './port-range.js';
import type { ServicePort } from './service-port.js';
import type { ServiceKey, ServicePortKey, ServicePortName } from './service-port-name.js';

/**
 * A read-only map that shares unchanged parts with the map it was made from. Iteration order is not specified.
 */
export interface ReadonlyTable<Key, Value> extends Iterable<[Key, Value]> {
  readonly size: number;
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  keys(): IterableIterator<Key>;
  values(): IterableIterator<Value>;
  entries(): IterableIterator<[Key, Value]>;
}

/**
 * How to detect packets of pods (spec K-60).
 * - `none`: they cannot be distinguished.
 * - `source-cidr`: the source address is in the network.
 * - `interface`: the packet arrived on this interface.
 * - `interface-prefix`: the packet arrived on an interface whose name has this prefix.
 */
export type LocalTrafficDetector =
  | { readonly kind: 'none' }
  | { readonly kind: 'source-cidr'; readonly cidr: string }
  | { readonly kind: 'interface'; readonly name: string }
  | { readonly kind: 'interface-prefix'; readonly prefix: string };

/** How the cluster list was selected; the simulator prints it. */
export interface EndpointSelection {
  /** Which topology hints were followed for the cluster list (spec K-51). */
  readonly topology: 'none' | 'PreferSameNode' | 'PreferSameZone';
  /** `terminating`: no ready endpoint anywhere, so serving terminating endpoints are used (spec K-45). */
  readonly clusterBasis: 'ready' | 'terminating' | 'none';
  /** The same for the local list, which is selected independently (spec K-47, K-50). */
  readonly localBasis: 'ready' | 'terminating' | 'none';
}

/**
 * One service port, fully resolved. The same object while it is unchanged.
 *
 * Lists are sorted by `Endpoint.key` in byte order (spec K-37).
 */
export interface ResolvedServicePort {
  readonly key: ServicePortKey;
  readonly name: ServicePortName;
  readonly servicePort: ServicePort;
  /** The addresses at which it is reached; an address that an older Service already has is omitted. */
  readonly frontends: readonly Frontend[];
  /** Endpoints that `forward` to `cluster` selects from; empty when no route uses it. */
  readonly cluster: readonly Endpoint[];
  /** Endpoints that `forward` to `local` selects from; empty when no route uses it. */
  readonly local: readonly Endpoint[];
  /** Session affinity timeout in seconds, over all frontends; undefined for no affinity. */
  readonly affinitySeconds: number | undefined;
  /** Every known endpoint, usable or not: for explanations, not for rendering. */
  readonly candidates: readonly Endpoint[];
  readonly selection: EndpointSelection;
  /** External addresses that overlap with other addresses of the cluster: for reporting, not for rendering. */
  readonly overlaps: readonly AddressOverlap[];
}

/** A Service whose local readiness is served on a health check node port (spec H-15…H-22). */
export interface HealthCheckNodePort {
  readonly namespace: string;
  readonly name: string;
  /** 1…65535. */
  readonly port: number;
  /** Distinct addresses of local, ready endpoints over all ports of the Service (spec K-41). */
  readonly localEndpoints: number;
}

/**
 * Everything that a backend must implement on this node for one IP family: immutable, resolved, complete.
 *
 * Equal parts of two states are the same object in both.
 */
export interface ProxyState {
  readonly family: IPFamily;
  /** Incremented with each state that a resolver creates. */
  readonly revision: number;
  readonly servicePorts: ReadonlyTable<ServicePortKey, ResolvedServicePort>;
  /** Owner of each address: the frontends of all service ports by key. */
  readonly frontends: ReadonlyTable<FrontendKey, ServicePortKey>;
  /**
   * Port ranges by protocol and address (`portRangeSpace`), sorted by first port, without overlaps. A packet to a port
   * that has no frontend of its own key belongs to the frontend whose range contains it. Absent when there are none.
   */
  readonly portRanges?: ReadonlyTable<string, readonly HeldPortRange[]>;
  readonly healthCheckNodePorts: ReadonlyTable<ServiceKey, HealthCheckNodePort>;
  /**
   * Every cluster IP with its number of frontends. TCP, UDP and SCTP packets to one of these addresses that match none
   * of its frontends are rejected, in every mode (kube-proxy does so in some, spec F-CIP-6, D-4).
   */
  readonly clusterIPs: ReadonlyTable<string, number>;
  readonly node: NodeState;
}

/** The node part of a state. */
export interface NodeState {
  readonly name: string;
  /** `topology.kubernetes.io/zone`, when the node has one. */
  readonly zone: string | undefined;
  /** The node's addresses of this family, primary first (spec W-22). */
  readonly addresses: readonly string[];
  readonly detector: LocalTrafficDetector;
  readonly nodePortAddresses: NodePortAddresses;
  /**
   * Addresses of this family on interfaces, canonical, sorted, without duplicates; without IPv6 link-local addresses,
   * which are only valid with their interface. Only for a `Dataplane` that requests them (`followsLocalAddresses`).
   */
  readonly localAddresses?: readonly string[];
  /**
   * Cluster IP networks (service CIDRs), canonical, sorted; empty when unknown (spec W-3). TCP, UDP and SCTP packets to
   * an address in them that is not a cluster IP are dropped (spec F-CIP-8).
   */
  readonly serviceCIDRs: readonly string[];
}
