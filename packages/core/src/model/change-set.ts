import type { ProxyState, ResolvedServicePort } from './proxy-state.js';
import type { ServiceKey, ServicePortKey } from './service-port-name.js';

/** What became of one service port. Both absent never happens; both present means it changed. */
export interface ServicePortChange {
  readonly previous: ResolvedServicePort | undefined;
  readonly current: ResolvedServicePort | undefined;
}

/**
 * What differs between two states, in the grain that backends work in. Made in time proportional to what changed.
 *
 * When `previous` is undefined, nothing is known of what is installed: `servicePorts` then holds every service port
 * of the next state as added, and everything else counts as changed.
 */
export interface ChangeSet {
  /** The state that the change set leads away from. */
  readonly previous: ProxyState | undefined;
  /** Service ports whose rendering differs, and only those. */
  readonly servicePorts: ReadonlyMap<ServicePortKey, ServicePortChange>;
  /** Services whose health check node port (its number or its count) differs. */
  readonly healthCheckNodePorts: ReadonlySet<ServiceKey>;
  /** Cluster IPs that came or went. */
  readonly clusterIPs: ReadonlySet<string>;
  /** `ProxyState.node` differs. */
  readonly nodeChanged: boolean;
}

/** Whether there is nothing to do. */
export function isEmptyChangeSet(changes: ChangeSet): boolean {
  return (
    changes.previous !== undefined &&
    changes.servicePorts.size === 0 &&
    changes.healthCheckNodePorts.size === 0 &&
    changes.clusterIPs.size === 0 &&
    !changes.nodeChanged
  );
}
