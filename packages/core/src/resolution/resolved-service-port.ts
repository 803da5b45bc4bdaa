import type { AddressOverlap } from '../model/address-overlap.js';
import type { Frontend } from '../model/frontend.js';
import type { ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import type { EndpointView } from '../tracking/endpoint-set.js';
import { NO_ENDPOINTS } from '../tracking/sorted-endpoints.js';

/** A service port with all its frontends, including those that an older Service owns. */
export interface WantedServicePort {
  readonly servicePort: ServicePort;
  readonly view: EndpointView;
  readonly frontends: readonly Frontend[];
  /** Why its range is not served; undefined when it is served or absent. */
  readonly rangeProblem: string | undefined;
}

/**
 * The service port of a state: its granted claims. Parts that equal the previous resolution are the same object, and so
 * is the whole. Pure.
 *
 * @param held frontends that it owns.
 * @param before the previous resolution.
 */
export function resolvedServicePort(
  { servicePort, view, frontends: wanted }: WantedServicePort,
  held: readonly Frontend[],
  overlaps: readonly AddressOverlap[],
  before: ResolvedServicePort | undefined,
): ResolvedServicePort {
  const frontends =
    before && structurallyEqual(before.frontends, held)
      ? before.frontends
      : held.length === wanted.length && held.every((frontend, index) => frontend === wanted[index])
        ? wanted
        : held;
  const uses = (list: 'cluster' | 'local') =>
    frontends.some((frontend) =>
      frontend.routes.some((route) => route.action === 'forward' && route.endpoints === list),
    );
  const after: ResolvedServicePort = {
    key: servicePort.key,
    name: servicePort.name,
    servicePort,
    frontends,
    cluster: uses('cluster') ? view.cluster : NO_ENDPOINTS,
    local: uses('local') ? view.local : NO_ENDPOINTS,
    affinitySeconds: servicePort.affinitySeconds,
    candidates: view.candidates,
    selection: view.selection,
    overlaps,
  };
  const same =
    before !== undefined &&
    (Object.keys(after) as (keyof ResolvedServicePort)[]).every((field) =>
      field === 'name' ? true : after[field] === before[field],
    );
  return same ? before : after;
}
