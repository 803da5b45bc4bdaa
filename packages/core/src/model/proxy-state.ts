import type { IPFamily } from './address.js';
import type { AddressOverlap } from './address-overlap.js';
import type { Endpoint } from './endpoint.js';
import type { Frontend, FrontendKey } from './frontend.js';
import type { ServicePort } from './service-port.js';
import type { ServiceKey, ServicePortKey, ServicePortName } from './service-port-name.js';

/**
 * A read-only map that shares everything untouched with the map it was made from. Iteration order is not specified.
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
 * How to tell packets of pods from others (spec K-60).
 * - `none`: cannot be told.
 * - `source-cidr`: source address in the network.
 * - `interface`: came in by this interface.
 * - `interface-prefix`: came in by an interface whose name begins so.
 */
export type LocalTrafficDetector =
  | { readonly kind: 'none' }
  | { readonly kind: 'source-cidr'; readonly cidr: string }
  | { readonly kind: 'interface'; readonly name: string }
  | { readonly kind: 'interface-prefix'; readonly prefix: string };

/**
 * The node's own addresses on which NodePorts are served (spec K-70…K-74).
 * - `all`: every local address. Whether loopback addresses are among them is `loopback`.
 * - `listed`: just these.
 *
 * `loopback` is true when IPv4 127.0.0.0/8 NodePorts are asked for; for IPv6 it is always false.
 */
export type NodePortAddresses =
  | { readonly kind: 'all'; readonly loopback: boolean }
  | { readonly kind: 'listed'; readonly addresses: readonly string[]; readonly loopback: boolean };

/** How the cluster list came about; the simulator says it in words. */
export interface EndpointSelection {
  /** Which topology hints were followed for the cluster list (spec K-51). */
  readonly topology: 'none' | 'PreferSameNode' | 'PreferSameZone';
  /** `terminating`: no ready endpoint anywhere, so serving ones that are terminating stand in (spec K-45). */
  readonly clusterBasis: 'ready' | 'terminating' | 'none';
  /** The same for the local list, decided by itself (spec K-47, K-50). */
  readonly localBasis: 'ready' | 'terminating' | 'none';
}

/**
 * One service port with everything decided. The same object as long as nothing about it changes.
 *
 * Lists are sorted by `Endpoint.key` in byte order (spec K-37).
 */
export interface ResolvedServicePort {
  readonly key: ServicePortKey;
  readonly name: ServicePortName;
  readonly servicePort: ServicePort;
  /** Where packets can be sent to reach it; an address that an older Service already holds is left out. */
  readonly frontends: readonly Frontend[];
  /** Endpoints that `forward` to `cluster` picks from; empty when no route uses it. */
  readonly cluster: readonly Endpoint[];
  /** Endpoints that `forward` to `local` picks from; empty when no route uses it. */
  readonly local: readonly Endpoint[];
  /** Seconds that a client address stays with its endpoint, over all frontends; undefined for no affinity. */
  readonly affinitySeconds: number | undefined;
  /** Every endpoint that is known, usable or not: for explaining, not for rendering. */
  readonly candidates: readonly Endpoint[];
  readonly selection: EndpointSelection;
  /** External addresses that also belong to something else in the cluster: for reporting, not for rendering. */
  readonly overlaps: readonly AddressOverlap[];
}

/** A Service that wants its local readiness told on a port of its own (spec H-15…H-22). */
export interface HealthCheckNodePort {
  readonly namespace: string;
  readonly name: string;
  /** 1…65535. */
  readonly port: number;
  /** Distinct addresses of local, ready endpoints over all ports of the Service (spec K-41). */
  readonly localEndpoints: number;
}

/**
 * All that a backend has to bring about on this node for one IP family: immutable, resolved, complete.
 *
 * What is equal between two states is the same object in both.
 */
export interface ProxyState {
  readonly family: IPFamily;
  /** Grows by one with each state that a resolver makes. */
  readonly revision: number;
  readonly servicePorts: ReadonlyTable<ServicePortKey, ResolvedServicePort>;
  /** Who holds which address: the frontends of all service ports by key. */
  readonly frontends: ReadonlyTable<FrontendKey, ServicePortKey>;
  readonly healthCheckNodePorts: ReadonlyTable<ServiceKey, HealthCheckNodePort>;
  /**
   * Every cluster IP with the number of frontends it has. TCP, UDP and SCTP packets to one of these addresses that
   * are for none of its frontends are refused, in every mode (kube-proxy does so in some, spec F-CIP-6, D-4).
   */
  readonly clusterIPs: ReadonlyTable<string, number>;
  readonly node: NodeState;
}

/** What a state says about the node itself. */
export interface NodeState {
  readonly name: string;
  /** `topology.kubernetes.io/zone`, when the node has one. */
  readonly zone: string | undefined;
  /** The node's addresses of this family, primary first (spec W-22). */
  readonly addresses: readonly string[];
  readonly detector: LocalTrafficDetector;
  readonly nodePortAddresses: NodePortAddresses;
  /**
   * Addresses of this family that interfaces have, canonical, sorted, each once; without IPv6 link-local ones, which are
   * none without their interface. Only for a `Dataplane` that asks for them (`followsLocalAddresses`).
   */
  readonly localAddresses?: readonly string[];
  /**
   * Networks that cluster IPs are taken from, canonical, sorted; empty when not known (spec W-3). TCP, UDP and SCTP
   * packets to an address in them that is no cluster IP are dropped (spec F-CIP-8).
   */
  readonly serviceCIDRs: readonly string[];
}
