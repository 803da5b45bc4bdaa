import type { ChangeSet, ServicePortChange } from '../model/change-set.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { sameRendering } from '../model/same-rendering.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';

/**
 * The difference of any two states of the same family. Objects shared by both are skipped, but every service port is
 * visited: for the step from one state to the next, use the change set of the resolver.
 *
 * @param previous undefined when the installed state is unknown: everything in `next` counts as added.
 */
export function diffStates(previous: ProxyState | undefined, next: ProxyState): ChangeSet {
  const servicePorts = new Map<ServicePortKey, ServicePortChange>();
  const resolvedServicePorts = previous === undefined ? servicePorts : new Map<ServicePortKey, ServicePortChange>();
  const note = (
    key: ServicePortKey,
    before: ResolvedServicePort | undefined,
    current: ResolvedServicePort | undefined,
  ) => {
    const change = { previous: before, current };
    resolvedServicePorts.set(key, change);
    if (!sameRendering(before, current)) {
      servicePorts.set(key, change);
    }
  };
  const healthCheckNodePorts = new Set<ServiceKey>();
  for (const [key, current] of next.servicePorts) {
    const before = previous?.servicePorts.get(key);
    if (before !== current) {
      note(key, before, current);
    }
  }
  for (const [key, before] of previous?.servicePorts ?? []) {
    if (!next.servicePorts.has(key)) {
      note(key, before, undefined);
    }
  }
  for (const [key, current] of next.healthCheckNodePorts) {
    if (previous?.healthCheckNodePorts.get(key) !== current) {
      healthCheckNodePorts.add(key);
    }
  }
  for (const key of previous?.healthCheckNodePorts.keys() ?? []) {
    if (!next.healthCheckNodePorts.has(key)) {
      healthCheckNodePorts.add(key);
    }
  }
  const clusterIPs = new Set<string>();
  for (const address of next.clusterIPs.keys()) {
    if (!previous?.clusterIPs.has(address)) {
      clusterIPs.add(address);
    }
  }
  for (const address of previous?.clusterIPs.keys() ?? []) {
    if (!next.clusterIPs.has(address)) {
      clusterIPs.add(address);
    }
  }
  const nodeChanged = previous?.node !== next.node;
  return { previous, servicePorts, resolvedServicePorts, healthCheckNodePorts, clusterIPs, nodeChanged };
}
