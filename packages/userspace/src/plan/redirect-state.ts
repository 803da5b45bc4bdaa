import type { NodeState } from '@kube-proxier/core';
import type { ListenerId, ListenerSpec, Portal } from './userspace-transaction.js';

/** Address and port of a socket. */
export interface BoundAddress {
  /** Canonical; `0.0.0.0` or `::` for all of the family. */
  readonly address: string;
  readonly port: number;
}

/** One listener, and the addresses of its sockets. */
export interface RedirectedListener {
  readonly spec: ListenerSpec;
  /** `namespace/name:port`, for comments. */
  readonly name: string;
  readonly at: readonly BoundAddress[];
  /**
   * Of its portals, those that are not redirected for this host itself: the proxy's own connections to them would loop.
   * Default none.
   */
  readonly notFromHost?: readonly Portal[];
}

/** Input of redirect rules. */
export interface RedirectState {
  readonly node: NodeState;
  /** Listeners with a socket. */
  readonly listeners: ReadonlyMap<ListenerId, RedirectedListener>;
  /** Addresses whose ports without a listener are rejected. */
  readonly clusterIPs: ReadonlySet<string>;
}

/** What may differ from the last write; `all` when the current state is unknown. */
export type RedirectChanges =
  | 'all'
  | {
      readonly listeners: ReadonlySet<ListenerId>;
      readonly clusterIPs: ReadonlySet<string>;
      readonly node: boolean;
    };
