import { type Endpoint, mayBeLocal } from './endpoint.js';
import { CORE_ANNOTATIONS } from './endpoint-weights.js';
import type { ResolvedServicePort } from './proxy-state.js';
import { structurallyEqual } from './structurally-equal.js';

/** Whether a backend renders both the same. Two undefined values count as different. */
export function sameRendering(left: ResolvedServicePort | undefined, right: ResolvedServicePort | undefined): boolean {
  return (
    left !== undefined &&
    right !== undefined &&
    left.frontends === right.frontends &&
    sameEndpoints(left.cluster, right.cluster) &&
    sameEndpoints(left.local, right.local) &&
    left.affinitySeconds === right.affinitySeconds &&
    left.servicePort.slowStartSeconds === right.servicePort.slowStartSeconds &&
    left.servicePort.whenEndpointGoes === right.servicePort.whenEndpointGoes &&
    structurallyEqual(optionsOfBackends(left), optionsOfBackends(right))
  );
}

/** Annotations that core does not read itself. */
export function optionsOfBackends({
  servicePort: { annotations },
}: ResolvedServicePort): Readonly<Record<string, string>> {
  if (!CORE_ANNOTATIONS.some((key) => annotations[key] !== undefined)) {
    return annotations;
  }
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !CORE_ANNOTATIONS.includes(key)));
}

/** Only addresses, locality and weights of endpoints are rendered; hints and conditions are not. */
function sameEndpoints(left: readonly Endpoint[], right: readonly Endpoint[]): boolean {
  return (
    left === right ||
    (left.length === right.length &&
      left.every((endpoint, index) => {
        const other = right[index];
        return (
          endpoint === other ||
          (endpoint.key === other?.key &&
            endpoint.isLocal === other.isLocal &&
            mayBeLocal(endpoint) === mayBeLocal(other) &&
            endpoint.weight === other.weight &&
            endpoint.slowStart === other.slowStart)
        );
      }))
  );
}
