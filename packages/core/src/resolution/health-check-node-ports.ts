import type { PersistentMap } from '../model/persistent-map.js';
import type { HealthCheckNodePort } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import type { ServiceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { Slices } from '../pacing/slices.js';

/** Health check node ports of a state, and the Services whose one differs from the previous state. */
export interface HealthCheckNodePorts {
  readonly table: PersistentMap<ServiceKey, HealthCheckNodePort>;
  readonly changed: ReadonlySet<ServiceKey>;
}

/**
 * @param before those of the previous state.
 * @param services all that may differ.
 * @param localEndpoints the number of ready endpoints on this node.
 * @param isLong whether it yields after each Service.
 */
export function* resolveHealthCheckNodePorts(
  before: PersistentMap<ServiceKey, HealthCheckNodePort>,
  services: Iterable<ServiceKey>,
  ports: ReadonlyMap<ServiceKey, readonly ServicePort[]>,
  localEndpoints: (service: ServiceKey) => number,
  isLong: boolean,
): Slices<HealthCheckNodePorts> {
  const table = before.draft();
  const changed = new Set<ServiceKey>();
  for (const service of services) {
    if (isLong) {
      yield;
    }
    const previous = table.get(service);
    const port = ports.get(service)?.find(({ healthCheckNodePort }) => healthCheckNodePort !== 0);
    const current = port && {
      namespace: port.name.namespace,
      name: port.name.name,
      port: port.healthCheckNodePort,
      localEndpoints: localEndpoints(service),
    };
    if (!structurallyEqual(previous, current)) {
      if (current) {
        table.set(service, current);
      } else {
        table.delete(service);
      }
      changed.add(service);
    }
  }
  return { table: table.finish(), changed };
}
