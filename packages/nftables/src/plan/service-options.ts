import {
  COUNT_CONNECTIONS_ANNOTATION,
  COUNT_TRAFFIC_ANNOTATION,
  countConnectionsProblem,
  countTrafficProblem,
} from '@kube-proxier/core';

/** Annotations of a Service that this backend reads. */
export const ANNOTATIONS = {
  /** `random` or `maglev`. */
  loadBalancing: 'kube-proxier.io/load-balancing',
  countConnections: COUNT_CONNECTIONS_ANNOTATION,
  countTraffic: COUNT_TRAFFIC_ANNOTATION,
} as const;

export type LoadBalancing = 'random' | 'maglev';

/** The backend-specific options of a Service. */
export interface ServiceOptions {
  readonly loadBalancing: LoadBalancing;
}

const AS_USUAL = { options: { loadBalancing: 'random' }, problems: [] } as const;

/** Reads the annotations of a Service. Invalid annotations count as absent and are reported in `problems`. */
export function readServiceOptions(annotations: Readonly<Record<string, string>>): {
  readonly options: ServiceOptions;
  readonly problems: readonly string[];
} {
  const requested = annotations[ANNOTATIONS.loadBalancing];
  const { countConnections, countTraffic } = ANNOTATIONS;
  if (
    requested === undefined &&
    annotations[countConnections] === undefined &&
    annotations[countTraffic] === undefined
  ) {
    return AS_USUAL;
  }
  const problems: string[] = [];
  if (requested !== undefined && requested !== 'random' && requested !== 'maglev') {
    const text = JSON.stringify(requested.slice(0, 60));
    problems.push(`${ANNOTATIONS.loadBalancing}: ${text} is not one of random, maglev; random is used`);
  }
  for (const problem of [countConnectionsProblem(annotations), countTrafficProblem(annotations)]) {
    problems.push(...(problem === undefined ? [] : [problem]));
  }
  return { options: { loadBalancing: requested === 'maglev' ? requested : 'random' }, problems };
}
