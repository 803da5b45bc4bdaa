import {
  finish,
  type ProxyState,
  type ResolvedServicePort,
  type ServiceKey,
  type Slices,
  serviceKey,
} from '@kube-proxier/core';

type CountedState = Pick<ProxyState, 'servicePorts'>;

/** Object counts of the states of a node, one for each IP family. */
export interface ObjectCounts {
  /** A Service of two IP families counts once. */
  readonly services: number;
  /**
   * Endpoints of each state that traffic can be sent to. An endpoint counts once for each service port, as in the log of
   * kube-proxy.
   */
  readonly endpoints: ReadonlyMap<CountedState, number>;
}

/** Counts the Services and endpoints of states. Cost is proportional to the number of service ports. */
export function countObjects(states: readonly CountedState[]): ObjectCounts {
  return finish(countObjectsInSlices(states));
}

/** {@link countObjects}. Yields after each service port, so that a caller can pause. */
export function* countObjectsInSlices(states: readonly CountedState[]): Slices<ObjectCounts> {
  const endpoints = new Map<CountedState, number>();
  const services = new Set<ServiceKey>();
  for (const [index, state] of states.entries()) {
    const others = states.slice(0, index);
    let sum = 0;
    for (const [key, servicePort] of state.servicePorts) {
      yield;
      sum += countEndpoints(servicePort);
      if (!others.some(({ servicePorts }) => servicePorts.has(key))) {
        services.add(serviceKey(servicePort.name));
      }
    }
    endpoints.set(state, sum);
  }
  return { services: services.size, endpoints };
}

/** The sum over IP families. */
export function sumOfEndpoints({ endpoints }: ObjectCounts): number {
  return [...endpoints.values()].reduce((sum, count) => sum + count, 0);
}

/** Those of `cluster` and `local`, which have common ones. */
function countEndpoints({ cluster, local }: ResolvedServicePort): number {
  if (cluster === local || local.length === 0) {
    return cluster.length;
  }
  return cluster.length === 0 ? local.length : new Set([...cluster, ...local].map(({ key }) => key)).size;
}
