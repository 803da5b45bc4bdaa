import {
  COUNT_CONNECTIONS_ANNOTATION,
  countConnectionsProblem,
  countTrafficProblem,
  readCountConnections,
} from '@kube-proxier/core';

/** Annotations of a Service that this backend reads. */
export const ANNOTATIONS = {
  /** `v1` or `v2`: start connections to endpoints with a PROXY protocol header, which contains the client. */
  proxyProtocol: 'kube-proxier.io/proxy-protocol',
  /** `round-robin` or `least-connections`. */
  loadBalancing: 'kube-proxier.io/load-balancing',
  /** Maximum concurrent connections (TCP) or sessions (UDP), an integer of 1 or more. */
  maxConnections: 'kube-proxier.io/max-connections',
  countConnections: COUNT_CONNECTIONS_ANNOTATION,
} as const;

/** `v1` is text, `v2` binary; see the specification of the PROXY protocol by HAProxy. */
export type ProxyProtocolVersion = 'v1' | 'v2';
/** How endpoints are selected: round robin, or the one with the fewest connections. */
export type LoadBalancing = 'round-robin' | 'least-connections';

/** The backend-specific options of a Service. */
export interface ServiceOptions {
  /** Undefined: no header. TCP only. */
  readonly proxyProtocol: ProxyProtocolVersion | undefined;
  readonly loadBalancing: LoadBalancing;
  /** Undefined: the limit of the backend for each Service. */
  readonly maxConnections: number | undefined;
  /** Undefined: the default. */
  readonly countConnections?: boolean | undefined;
}

/** Reads the annotations of a Service. Invalid annotations count as absent and are reported in `problems`. */
export function readServiceOptions(annotations: Readonly<Record<string, string>>): {
  readonly options: ServiceOptions;
  readonly problems: readonly string[];
} {
  const problems: string[] = [];
  const oneOf = <const T extends string>(key: string, allowed: readonly T[]): T | undefined => {
    const value = annotations[key];
    const found = allowed.find((candidate) => candidate === value);
    if (value !== undefined && found === undefined) {
      problems.push(`${key}: ${JSON.stringify(value.slice(0, 60))} is not one of ${allowed.join(', ')}; ignored`);
    }
    return found;
  };
  const most = annotations[ANNOTATIONS.maxConnections];
  const maxConnections = most !== undefined && /^[1-9]\d{0,8}$/.test(most) ? Number(most) : undefined;
  if (most !== undefined && maxConnections === undefined) {
    const text = JSON.stringify(most.slice(0, 60));
    problems.push(`${ANNOTATIONS.maxConnections}: ${text} is not a whole number from 1 on; ignored`);
  }
  for (const problem of [countConnectionsProblem(annotations), countTrafficProblem(annotations)]) {
    problems.push(...(problem === undefined ? [] : [problem]));
  }
  const options: ServiceOptions = {
    proxyProtocol: oneOf(ANNOTATIONS.proxyProtocol, ['v1', 'v2']),
    loadBalancing: oneOf(ANNOTATIONS.loadBalancing, ['round-robin', 'least-connections']) ?? 'round-robin',
    maxConnections,
    countConnections: readCountConnections(annotations),
  };
  return { options, problems };
}
