import type { Protocol } from './service-port-name.js';

/** What of a Service an address and port is. */
export type FrontendKind = 'ClusterIP' | 'ExternalIP' | 'LoadBalancerIP' | 'NodePort';

/**
 * Identity of a frontend in a state: `TCP/10.96.0.1:443`, `UDP/[fd00::a]:53`, or `TCP/node:31269` for a NodePort.
 * In one state no two service ports have a frontend with the same key.
 */
export type FrontendKey = string;

/**
 * Which packets a route is for.
 * - `any`: all that reach it.
 * - `pod`: those that the local-traffic detector of the state says come from a pod (spec K-60); never matches where
 *   the state has no detector.
 * - `node`: those whose source address is one of this node's own addresses.
 */
export type RouteSource = 'any' | 'pod' | 'node';

/**
 * When the source address is replaced by the node's.
 * - `always`.
 * - `off-cluster`: when the local-traffic detector says that the packet does not come from a pod.
 * - `never`.
 *
 * Whatever it says, hairpin is masqueraded: a packet whose source is the very endpoint that was chosen, when that
 * endpoint is local, or its reply would not come back this way (spec O-9; a remote endpoint's packets to itself are
 * its own node's business).
 */
export type Masquerade = 'always' | 'off-cluster' | 'never';

/**
 * What happens to packets of one source. `forward` picks one of the named endpoint list of the service port, with
 * equal probability, after session affinity. `refuse` answers as a closed port does (ICMP port unreachable; TCP
 * clients see "connection refused"). `drop` answers nothing.
 */
export type Route = ForwardRoute | ClosedRoute;

/** Packets go on to an endpoint. */
export interface ForwardRoute {
  readonly source: RouteSource;
  readonly action: 'forward';
  /** The list of the service port that an endpoint is picked from; never empty. */
  readonly endpoints: 'cluster' | 'local';
  readonly masquerade: Masquerade;
}

/** Packets go nowhere. */
export interface ClosedRoute {
  readonly source: RouteSource;
  readonly action: 'reject' | 'drop';
}

/**
 * One address and port that packets can be sent to, and all that is decided about them.
 *
 * To render it: first, when `allowedSources` is there, drop what does not come from one of them. Then the first
 * route whose source matches decides. The last route's source is always `any`.
 */
export interface Frontend {
  readonly key: FrontendKey;
  readonly kind: FrontendKind;
  /** Canonical IP address; undefined for a NodePort, which is reached on `NodeState.nodePortAddresses`. */
  readonly address: string | undefined;
  readonly port: number;
  readonly protocol: Protocol;
  /** Canonical networks; undefined means everybody, empty means nobody. Others' packets are dropped. */
  readonly allowedSources: readonly string[] | undefined;
  /**
   * Of a NodePort: addresses of this node on which an older Service has the same port, as an external address. Packets to
   * them are for that Service's frontend. Absent when there are none, as almost always.
   */
  readonly exceptAddresses?: readonly string[];
  readonly routes: readonly Route[];
}

/** The key of a frontend. `address` is canonical, undefined for a NodePort; `port` is 1…65535. */
export function frontendKey(protocol: Protocol, address: string | undefined, port: number): FrontendKey {
  if (address === undefined) {
    return `${protocol}/node:${port}`;
  }
  return address.includes(':') ? `${protocol}/[${address}]:${port}` : `${protocol}/${address}:${port}`;
}
