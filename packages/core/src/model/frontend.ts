import { joinHostPort } from './address.js';
import type { Branded } from './branded.js';
import type { Protocol } from './service-port-name.js';

/** The kind of an address of a Service. */
export type FrontendKind = 'ClusterIP' | 'ExternalIP' | 'LoadBalancerIP' | 'NodePort';

/**
 * Identity of a frontend in a state: `TCP/10.96.0.1:443`, `UDP/[fd00::a]:53`, or `TCP/node:31269` for a NodePort.
 * In one state no two service ports have a frontend with the same key. Made by {@link frontendKey} only.
 */
export type FrontendKey = Branded<'FrontendKey'>;

/**
 * Which packets a route is for.
 * - `any`: all packets to the frontend.
 * - `pod`: packets that the local-traffic detector of the state attributes to a pod (spec K-60); never matches where
 *   the state has no detector.
 * - `node`: packets whose source address is one of this node's own addresses.
 */
export type RouteSource = 'any' | 'pod' | 'node';

/**
 * When the source address is replaced by the node's.
 * - `always`.
 * - `off-cluster`: when the local-traffic detector does not attribute the packet to a pod.
 * - `never`.
 *
 * In all cases, hairpin traffic is masqueraded: a packet whose source is the selected endpoint, when that endpoint is
 * local or its node is unknown (`mayBeLocal`), because its reply would not return through this node (spec O-9; packets of a
 * remote endpoint to itself are handled by its own node).
 */
export type Masquerade = 'always' | 'off-cluster' | 'never';

/**
 * The action for packets of one source. `forward` selects an endpoint from the named list of the service port, with
 * equal probability, after session affinity. `reject` answers as a closed port does (ICMP port unreachable; TCP
 * clients see "connection refused"). `drop` sends no answer.
 */
export type Route = ForwardRoute | ClosedRoute;

/** Packets are forwarded to an endpoint. */
export interface ForwardRoute {
  readonly source: RouteSource;
  readonly action: 'forward';
  /** The endpoint list of the service port to select from; never empty. */
  readonly endpoints: 'cluster' | 'local';
  readonly masquerade: Masquerade;
}

/** Packets are not forwarded. */
export interface ClosedRoute {
  readonly source: RouteSource;
  readonly action: 'reject' | 'drop';
  /** `protocol`: the mode does not serve the protocol. Default: no endpoint can answer. */
  readonly because?: 'protocol';
}

/**
 * One address and port of a Service, with every decision about it.
 *
 * To render it: first, when `allowedSources` is set, drop packets from other sources. Then the first route whose source
 * matches decides. The last route's source is always `any`.
 */
export interface Frontend {
  readonly key: FrontendKey;
  readonly kind: FrontendKind;
  /** Canonical IP address; undefined for a NodePort, which is reached on `NodeState.nodePortAddresses`. */
  readonly address: string | undefined;
  /** The first port, where it has a range. */
  readonly port: number;
  /**
   * The last port, greater than `port`, of a frontend with a range of ports (spec PR-1). Packets to each of them follow the
   * same decisions, and go to the port of the endpoint that `endpointAt` names. Absent for a single port. A NodePort has
   * no range.
   */
  readonly lastPort?: number;
  readonly protocol: Protocol;
  /** Canonical networks; undefined allows all sources, empty allows none. Packets of other sources are dropped. */
  readonly allowedSources: readonly string[] | undefined;
  /**
   * Of a NodePort: addresses of this node on which an older Service has the same port, as an external address. Packets
   * to them belong to that Service's frontend. Absent when there are none, which is the common case.
   */
  readonly exceptAddresses?: readonly string[];
  readonly routes: readonly Route[];
}

/** The key of a frontend. `address` is canonical, undefined for a NodePort; `port` is 1…65535. */
export function frontendKey(protocol: Protocol, address: string | undefined, port: number): FrontendKey {
  return `${protocol}/${address === undefined ? `node:${port}` : joinHostPort(address, port)}` as FrontendKey;
}

/** The components of a frontend's key, for {@link frontendKey}. */
export function parseFrontendKey(key: FrontendKey): {
  readonly protocol: Protocol;
  readonly address: string | undefined;
  readonly port: number;
} {
  const slash = key.indexOf('/');
  const colon = key.lastIndexOf(':');
  const host = key.slice(slash + 1, colon);
  return {
    protocol: key.slice(0, slash) as Protocol,
    address: host === 'node' ? undefined : host.replace(/^\[|\]$/g, ''),
    port: Number(key.slice(colon + 1)),
  };
}
