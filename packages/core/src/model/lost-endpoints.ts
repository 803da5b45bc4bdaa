import { finish, type Slices } from '../pacing/slices.js';
import type { ChangeSet } from './change-set.js';
import type { ResolvedServicePort } from './proxy-state.js';
import type { ServicePortKey } from './service-port-name.js';

/** Keys of endpoints, `10.0.0.1:80`; `unknown`: all except the current endpoints. */
export type LostEndpoints = ReadonlySet<string> | 'unknown';

type ResolvedChanges = Pick<ChangeSet, 'previous' | 'resolvedServicePorts'>;

/** Whether TCP connections of a service port are reset when their endpoint is gone. */
export function resetsConnections({ name, servicePort }: Pick<ResolvedServicePort, 'name' | 'servicePort'>): boolean {
  return name.protocol === 'TCP' && servicePort.whenEndpointGoes === 'reset';
}

/**
 * The service ports of a change whose connections may have lost their endpoint (spec ), each with the keys of
 * its removed endpoints; `'unknown'` where the previous endpoints are not known, so that every endpoint except the
 * current ones counts as removed. Costs nothing without the annotation. Pure.
 *
 * - An endpoint is gone when no EndpointSlice of the service port lists its address and port. An endpoint that is not
 *   ready, terminating or drained still exists.
 * - The annotation of the Service after the change applies. Adding or removing a service port resets no connections.
 * - At start, and when the annotation of a Service becomes `reset`, endpoints may have been removed earlier. If the
 *   Service has no endpoint at all, nothing is reset: the endpoints may not have been read yet.
 */
export function lostEndpoints(changes: ResolvedChanges): ReadonlyMap<ServicePortKey, LostEndpoints> {
  return finish(lostEndpointsInSlices(changes));
}

/** {@link lostEndpoints}. Yields after each service port, so that a caller can pause. */
export function* lostEndpointsInSlices(changes: ResolvedChanges): Slices<ReadonlyMap<ServicePortKey, LostEndpoints>> {
  const lost = new Map<ServicePortKey, LostEndpoints>();
  for (const [key, { previous, current }] of changes.resolvedServicePorts) {
    yield;
    if (current === undefined || !resetsConnections(current)) {
      continue;
    }
    if (previous === undefined ? changes.previous === undefined : !resetsConnections(previous)) {
      if (current.candidates.length > 0) {
        lost.set(key, 'unknown');
      }
    } else if (previous !== undefined && previous.candidates !== current.candidates) {
      const present = new Set(current.candidates.map((endpoint) => endpoint.key));
      const gone = previous.candidates.filter((endpoint) => !present.has(endpoint.key));
      if (gone.length > 0) {
        lost.set(key, new Set(gone.map((endpoint) => endpoint.key)));
      }
    }
  }
  return lost;
}
