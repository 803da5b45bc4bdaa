import type { NodeState, ServicePortKey } from '@kube-proxier/core';
import type { ListenerId, ListenerSpec, ServiceSpec } from './userspace-transaction.js';

/**
 * How frontends that have an address are reached.
 * - `redirected`: at a proxy port, by rules of the kernel.
 * - `bound`: directly, on addresses of this host.
 * - `none`: only on `listenAddresses`, which are bound.
 */
export type Reach = 'redirected' | 'bound' | 'none';

/** The current state. */
export interface InstalledUserspace {
  /** What this host supports. The same for as long as the process runs. */
  readonly reach: Reach;
  /** Undefined when nothing was applied yet, or when local addresses have changed since. */
  readonly node: NodeState | undefined;
  readonly services: ReadonlyMap<ServicePortKey, ServiceSpec>;
  readonly listeners: ReadonlyMap<ListenerId, ListenerSpec>;
  readonly clusterIPs: ReadonlySet<string>;
  /** Whether the kernel has exactly the written redirect rules. */
  readonly redirectInForce: boolean;
}
