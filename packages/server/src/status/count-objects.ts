import { finish, PersistentMap, type ProxyState, type ServiceKey, type Slices, serviceKey } from '@kube-proxier/core';

/** Object counts of one state. */
export interface ObjectCount {
  readonly services: ReadonlySet<ServiceKey>;
  /** Number of endpoints that traffic can be sent to. */
  readonly endpoints: number;
}

/** Counts the Services and endpoints of one state. Cost is proportional to the state. */
export function countObjects(state: Pick<ProxyState, 'servicePorts'>): ObjectCount {
  return finish(countObjectsInSlices(state));
}

/** {@link countObjects}. Yields after each service port, so that a caller can pause. */
export function* countObjectsInSlices({ servicePorts }: Pick<ProxyState, 'servicePorts'>): Slices<ObjectCount> {
  const services = new Set<ServiceKey>();
  // Not a Set: with half a million keys, it takes 70 ms to grow.
  const endpoints = PersistentMap.empty<string, true>().draft();
  for (const { name, cluster, local } of servicePorts.values()) {
    yield;
    services.add(serviceKey(name));
    for (const list of cluster === local ? [cluster] : [cluster, local]) {
      for (const { key } of list) {
        endpoints.set(key, true);
      }
    }
  }
  return { services, endpoints: endpoints.size };
}

/** The sum over IP families: a dual-stack Service counts once. */
export function totalOf(counts: readonly ObjectCount[]): { readonly services: number; readonly endpoints: number } {
  return {
    services: new Set(counts.flatMap(({ services }) => [...services])).size,
    endpoints: counts.reduce((sum, { endpoints }) => sum + endpoints, 0),
  };
}
