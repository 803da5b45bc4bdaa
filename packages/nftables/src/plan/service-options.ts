/** Annotations of a Service that this backend reads. */
export const ANNOTATIONS = {
  /** `random` or `maglev`. */
  loadBalancing: 'kube-proxier.io/load-balancing',
  /** `true`: connections to the Service are counted, as a metric. `false`: not, though others' are. */
  countConnections: 'kube-proxier.io/count-connections',
} as const;

export type LoadBalancing = 'random' | 'maglev';

/** What a Service asks of this backend in particular. */
export interface ServiceOptions {
  readonly loadBalancing: LoadBalancing;
  /** Undefined: as all others are. */
  readonly countConnections: boolean | undefined;
}

const AS_USUAL = {
  options: { loadBalancing: 'random', countConnections: undefined },
  problems: [],
} as const;

/** Reads the annotations of a Service. What cannot be read counts as absent, and is named in `problems`. */
export function readServiceOptions(annotations: Readonly<Record<string, string>>): {
  readonly options: ServiceOptions;
  readonly problems: readonly string[];
} {
  const asked = annotations[ANNOTATIONS.loadBalancing];
  const count = annotations[ANNOTATIONS.countConnections];
  if (asked === undefined && count === undefined) {
    return AS_USUAL;
  }
  const problems: string[] = [];
  if (asked !== undefined && asked !== 'random' && asked !== 'maglev') {
    problems.push(`${ANNOTATIONS.loadBalancing}: ${brief(asked)} is not one of random, maglev; random is used`);
  }
  if (count !== undefined && count !== 'true' && count !== 'false') {
    problems.push(`${ANNOTATIONS.countConnections}: ${brief(count)} is not one of true, false; ignored`);
  }
  const countConnections = count === 'true' || (count === 'false' ? false : undefined);
  return { options: { loadBalancing: asked === 'maglev' ? asked : 'random', countConnections }, problems };
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
