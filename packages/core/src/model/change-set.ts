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
 * It serves two kinds of readers. A backend needs what it must write: `servicePorts`. An observer that follows
 * connections needs every change of endpoints: `resolvedServicePorts`. An endpoint that terminates and is then deleted
 * is only in the second, as no packet was balanced to it in between.
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

/**
 * Whether the two states are the same for all readers: there is nothing to write, and nothing for observers to follow.
 */
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
