import { AddedServicePorts } from '../model/added-service-ports.js';
import type { ChangeSet, ServicePortChange } from '../model/change-set.js';
import { KeySet } from '../model/key-set.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { sameRendering } from '../model/same-rendering.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';
import { finish, type Slices } from '../pacing/slices.js';

/**
 * The difference of any two states of the same family. Objects shared by both are skipped, but every service port is
 * visited: for the step from one state to the next, use the change set of the resolver.
 *
 * @param previous undefined when the installed state is unknown: everything in `next` counts as added, which costs nothing here.
 */
export function diffStates(previous: ProxyState | undefined, next: ProxyState): ChangeSet {
  return finish(diffStatesInSlices(previous, next));
}

/** {@link diffStates}. Yields after each object, so that a caller can pause. */
export function* diffStatesInSlices(previous: ProxyState | undefined, next: ProxyState): Slices<ChangeSet> {
  if (previous === undefined) {
    return allAdded(next);
  }
  const servicePorts = new Map<ServicePortKey, ServicePortChange>();
  const resolvedServicePorts = new Map<ServicePortKey, ServicePortChange>();
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
    yield;
    const before = previous.servicePorts.get(key);
    if (before !== current) {
      note(key, before, current);
    }
  }
  for (const [key, before] of previous.servicePorts) {
    yield;
    if (!next.servicePorts.has(key)) {
      note(key, before, undefined);
    }
  }
  for (const [key, current] of next.healthCheckNodePorts) {
    yield;
    if (previous.healthCheckNodePorts.get(key) !== current) {
      healthCheckNodePorts.add(key);
    }
  }
  for (const key of previous.healthCheckNodePorts.keys()) {
    yield;
    if (!next.healthCheckNodePorts.has(key)) {
      healthCheckNodePorts.add(key);
    }
  }
  const clusterIPs = new Set<string>();
  for (const address of next.clusterIPs.keys()) {
    yield;
    if (!previous.clusterIPs.has(address)) {
      clusterIPs.add(address);
    }
  }
  for (const address of previous.clusterIPs.keys()) {
    yield;
    if (!next.clusterIPs.has(address)) {
      clusterIPs.add(address);
    }
  }
  const nodeChanged = previous.node !== next.node;
  return { previous, servicePorts, resolvedServicePorts, healthCheckNodePorts, clusterIPs, nodeChanged };
}

function allAdded(next: ProxyState): ChangeSet {
  const added = new AddedServicePorts(next.servicePorts);
  return {
    previous: undefined,
    servicePorts: added,
    resolvedServicePorts: added,
    healthCheckNodePorts: new KeySet(next.healthCheckNodePorts),
    clusterIPs: new KeySet(next.clusterIPs),
    nodeChanged: true,
  };
}
