import type { ChangeSet, ServicePortChange } from '../model/change-set.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';

/**
 * What differs between any two states of the same family. What is the same object in both is passed over, but every
 * service port is looked at: for the step from one state to the next, a resolver has the change set at hand already.
 *
 * @param previous undefined when nothing is known of what is installed: everything in `next` counts as added.
 */
export function diffStates(previous: ProxyState | undefined, next: ProxyState): ChangeSet {
  const servicePorts = new Map<ServicePortKey, ServicePortChange>();
  const healthCheckNodePorts = new Set<ServiceKey>();
  for (const [key, current] of next.servicePorts) {
    const before = previous?.servicePorts.get(key);
    if (before !== current) {
      servicePorts.set(key, { previous: before, current });
    }
  }
  for (const [key, before] of previous?.servicePorts ?? []) {
    if (!next.servicePorts.has(key)) {
      servicePorts.set(key, { previous: before, current: undefined });
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
  return { previous, servicePorts, healthCheckNodePorts, clusterIPs, nodeChanged: previous?.node !== next.node };
}
