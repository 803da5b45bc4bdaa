import type { ProxyState, ResolvedServicePort } from './proxy-state.js';
import type { ServiceKey, ServicePortKey } from './service-port-name.js';

/** What became of one service port. Both absent never happens; both present means it changed. */
export interface ServicePortChange {
  readonly previous: ResolvedServicePort | undefined;
  readonly current: ResolvedServicePort | undefined;
}

/**
 * What differs between two states, per service port. Made in time proportional to what changed.
 *
 * It answers two questions. A backend asks what it must write: `servicePorts`. An observer that follows connections asks
 * whose endpoints changed in any way: `resolvedServicePorts`. An endpoint that terminates and is then deleted is in the
 * second only, as no packet was balanced to it between the two.
 *
 * When `previous` is undefined, nothing is known of what is installed: both then hold every service port of the next state
 * as added, and everything else counts as changed.
 */
export interface ChangeSet {
  /** The state that the change set leads away from. */
  readonly previous: ProxyState | undefined;
  /** Service ports whose rendering differs, and only those. */
  readonly servicePorts: ReadonlyMap<ServicePortKey, ServicePortChange>;
  /**
   * Service ports of which anything differs, rendered or not: also the conditions of endpoints that get no new
   * connections, and which of them exist. Includes all of `servicePorts`.
   */
  readonly resolvedServicePorts: ReadonlyMap<ServicePortKey, ServicePortChange>;
  /** Services whose health check node port (its number or its count) differs. */
  readonly healthCheckNodePorts: ReadonlySet<ServiceKey>;
  /** Cluster IPs that came or went. */
  readonly clusterIPs: ReadonlySet<string>;
  /** `ProxyState.node` differs. */
  readonly nodeChanged: boolean;
}

/** Whether the two states are the same to everybody: there is nothing to write, and nothing for observers to follow. */
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
