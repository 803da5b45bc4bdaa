import type { Endpoint, NodeState, Route, ServicePortKey } from '@kube-proxier/core';
import type { ServiceOptions } from './service-options.js';

/** Protocols that sockets of Node speak (spec U-32). */
export type ProxiedProtocol = 'TCP' | 'UDP';

/** Names a listener: the key of its service port, a blank, and the key of the first of its frontends. */
export type ListenerId = string;

/**
 * Where a listener stands.
 * - `proxy-port`: a port of this backend's own choice, which packets are redirected to (spec U-1).
 * - `node-port`: the port of that number, on the node's addresses for NodePorts. It is served where it is held.
 * - `address`: just there; where the address is not (yet) one of this host's, nothing is done.
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
 * A listener of a service port: who may use it and where that leads, as the frontends that it is for say it. Frontends
 * of one service port that say the same share one.
 */
export interface ListenerSpec {
  readonly id: ListenerId;
  readonly servicePort: ServicePortKey;
  readonly protocol: ProxiedProtocol;
  readonly place: ListenerPlace;
  /** What it answers for; more than one only at a `proxy-port`. */
  readonly portals: readonly Portal[];
  /** As `Frontend.allowedSources`. */
  readonly allowedSources: readonly string[] | undefined;
  /** As `Frontend.routes`. */
  readonly routes: readonly Route[];
}

/** One endpoint, as far as sockets need it. */
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
  /** Keys of endpoints in neither list that keep the sessions they have. UDP only: a TCP connection ends in its own time. */
  readonly draining: readonly string[];
  /**
   * Keys of all endpoints that exist, where connections to others are reset (spec R-1); undefined where they continue. TCP only.
   */
  readonly existing: readonly string[] | undefined;
  /** Seconds that a client stays with its endpoint; undefined for no affinity. */
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
  /** Who may use it and where it leads differs, or what it answers for; its sockets stay. */
  readonly change: readonly ListenerSpec[];
  readonly close: readonly ListenerId[];
  /** Cluster IPs, whose other ports are refused. */
  readonly addClusterIPs: readonly string[];
  readonly removeClusterIPs: readonly string[];
  /** What a Service requests that is not possible, each in one line. */
  readonly problems: readonly string[];
}
