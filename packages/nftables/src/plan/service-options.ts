import { COUNT_CONNECTIONS_ANNOTATION, countConnectionsProblem } from '@kube-proxier/core';

/** Annotations of a Service that this backend reads. */
export const ANNOTATIONS = {
  /** `random` or `maglev`. */
  loadBalancing: 'kube-proxier.io/load-balancing',
  countConnections: COUNT_CONNECTIONS_ANNOTATION,
} as const;

export type LoadBalancing = 'random' | 'maglev';

/** What a Service asks of this backend in particular. */
export interface ServiceOptions {
  readonly loadBalancing: LoadBalancing;
}

const AS_USUAL = { options: { loadBalancing: 'random' }, problems: [] } as const;

/** Reads the annotations of a Service. What cannot be read counts as absent, and is named in `problems`. */
export function readServiceOptions(annotations: Readonly<Record<string, string>>): {
  readonly options: ServiceOptions;
  readonly problems: readonly string[];
} {
  const requested = annotations[ANNOTATIONS.loadBalancing];
  if (requested === undefined && annotations[ANNOTATIONS.countConnections] === undefined) {
    return AS_USUAL;
  }
  const problems: string[] = [];
  if (requested !== undefined && requested !== 'random' && requested !== 'maglev') {
    const text = JSON.stringify(requested.slice(0, 60));
    problems.push(`${ANNOTATIONS.loadBalancing}: ${text} is not one of random, maglev; random is used`);
  }
  const countProblem = countConnectionsProblem(annotations);
  if (countProblem !== undefined) {
    problems.push(countProblem);
  }
  return { options: { loadBalancing: requested === 'maglev' ? requested : 'random' }, problems };
}
