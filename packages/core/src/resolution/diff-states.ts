import type { ChangeSet, ServicePortChange } from '../model/change-set.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { sameRendering } from '../model/same-rendering.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';

/**
 * What differs between any two states of the same family. What is the same object in both is passed over, but every
 * service port is looked at: for the step from one state to the next, a resolver has the change set at hand already.
 *
 * @param previous undefined when nothing is known of what is installed: everything in `next` counts as added.
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
