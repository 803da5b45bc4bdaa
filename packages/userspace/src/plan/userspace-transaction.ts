import type { Endpoint, NodeState, Route, ServicePortKey } from '@kube-proxier/core';
import type { ServiceOptions } from './service-options.js';

/** Protocols that sockets of Node speak (spec U-32). */
export type ProxiedProtocol = 'TCP' | 'UDP';

/** Names a listener: the key of its service port, a blank, and the key of the first of its frontends. */
export type ListenerId = string;

/**
 * The place of a listener.
 * - `proxy-port`: a port chosen by this backend, to which packets are redirected (spec U-1).
 * - `node-port`: the port of that number, on the node's addresses for NodePorts. It is served on these addresses.
 * - `address`: exactly this address; ignored while it is not an address of this host.
 */
export type ListenerPlace =
  | { readonly kind: 'proxy-port' }
  | { readonly kind: 'node-port'; readonly port: number }
  | { readonly kind: 'address'; readonly address: string; readonly port: number };

/** One address and port that a listener answers for. `address` is undefined for a NodePort. */
export interface Portal {
  readonly address: string | undefined;
  readonly port: number;
}

/**
 * A listener of a service port, with the allowed sources and routes of its frontends. Frontends of one service port
 * with equal decisions share one.
 */
export interface ListenerSpec {
  readonly id: ListenerId;
  readonly servicePort: ServicePortKey;
  readonly protocol: ProxiedProtocol;
  readonly place: ListenerPlace;
  /** Its frontends; more than one only at a `proxy-port`. */
  readonly portals: readonly Portal[];
  /** As `Frontend.allowedSources`. */
  readonly allowedSources: readonly string[] | undefined;
  /** As `Frontend.routes`. */
  readonly routes: readonly Route[];
}

/** The part of an endpoint that sockets need. */
export interface Target extends Pick<Endpoint, 'key' | 'address' | 'port'> {
  /** Its share of connections, against those of the other endpoints of the list: 1 or more. */
  readonly weight: number;
}

/** What all listeners of a service port share. */
export interface ServiceSpec {
  readonly key: ServicePortKey;
  /** `namespace/name:port`, for comments and log lines. */
  readonly name: string;
  readonly protocol: ProxiedProtocol;
  readonly cluster: readonly Target[];
  readonly local: readonly Target[];
  /** Keys of endpoints in neither list that keep their sessions. UDP only: a TCP connection ends on its own. */
  readonly draining: readonly string[];
  /**
   * Keys of all endpoints that exist, where connections to others are reset (spec R-1); undefined where they continue. TCP only.
   */
  readonly existing: readonly string[] | undefined;
  /** Session affinity timeout in seconds; undefined for no affinity. */
  readonly affinitySeconds: number | undefined;
  readonly options: ServiceOptions;
}

/** One service port, planned. */
export interface PlannedServicePort {
  readonly service: ServiceSpec;
  readonly listeners: readonly ListenerSpec[];
}

/** What leads from the current state to the desired state. */
export interface UserspaceTransaction {
  /** All redirect rules are rewritten; else only those that differ. */
  readonly full: boolean;
  /** Present when it differs. */
  readonly node: NodeState | undefined;
  readonly set: readonly ServiceSpec[];
  readonly remove: readonly ServicePortKey[];
  readonly open: readonly ListenerSpec[];
  /** Listeners whose sources, routes or frontends differ; their sockets are kept. */
  readonly change: readonly ListenerSpec[];
  readonly close: readonly ListenerId[];
  /** Cluster IPs, whose other ports are refused. */
  readonly addClusterIPs: readonly string[];
  readonly removeClusterIPs: readonly string[];
  /** What a Service requests that is not possible, each in one line. */
  readonly problems: readonly string[];
}
