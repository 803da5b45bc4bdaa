import type { ProxyState, ResolvedServicePort } from './proxy-state.js';
import type { ServiceKey, ServicePortKey } from './service-port-name.js';

/** The change of one service port. At least one is present; both are present for an update. */
export interface ServicePortChange {
  readonly previous: ResolvedServicePort | undefined;
  readonly current: ResolvedServicePort | undefined;
}

/**
 * The difference of two states, per service port. Computed in time proportional to the change.
 *
 * `servicePorts` has the changes that a backend must write. `resolvedServicePorts` has every change of endpoints, for
 * observers that track connections. The deletion of a terminating endpoint is only in the latter, as no new connection
 * was balanced to it.
 *
 * When `previous` is undefined, the installed state is unknown: both then contain every service port of the next state
 * as added, and everything else counts as changed.
 */
export interface ChangeSet {
  /** The state that the change set starts from. */
  readonly previous: ProxyState | undefined;
  /** Service ports whose rendering differs, and only those. */
  readonly servicePorts: ReadonlyMap<ServicePortKey, ServicePortChange>;
  /**
   * Service ports with any difference, rendered or not: also the conditions of endpoints that get no new connections,
   * and which of them exist. Includes all of `servicePorts`.
   */
  readonly resolvedServicePorts: ReadonlyMap<ServicePortKey, ServicePortChange>;
  /** Services whose health check node port (its number or its count) differs. */
  readonly healthCheckNodePorts: ReadonlySet<ServiceKey>;
  /** Cluster IPs that were added or removed. */
  readonly clusterIPs: ReadonlySet<string>;
  /** `ProxyState.node` differs. */
  readonly nodeChanged: boolean;
}

/** Whether the states are equal for backends and observers: nothing to write, nothing to observe. */
export function isEmptyChangeSet(changes: ChangeSet): boolean {
  return (
    changes.previous !== undefined &&
    changes.resolvedServicePorts.size === 0 &&
    changes.servicePorts.size === 0 &&
    changes.healthCheckNodePorts.size === 0 &&
    changes.clusterIPs.size === 0 &&
    !changes.nodeChanged
  );
}
