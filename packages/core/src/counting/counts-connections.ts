import { readCountTraffic } from './counts-traffic.js';

/** Annotation of a Service: `true` counts connections to it, `false` does not, whatever `countConnections` says. */
export const COUNT_CONNECTIONS_ANNOTATION = 'kube-proxier.io/count-connections';

/**
 * The value of the Service's annotation; undefined where it is absent or invalid. A Service whose traffic is counted
 * has its connections counted, too, unless its annotation says otherwise.
 */
export function readCountConnections(annotations: Readonly<Record<string, string>>): boolean | undefined {
  const value = annotations[COUNT_CONNECTIONS_ANNOTATION];
  return value === 'true' || (value === 'false' ? false : readCountTraffic(annotations) || undefined);
}

/**
 * Whether connections to a service port are counted.
 *
 * @param annotations of the Service.
 * @param countAll `ProxierOptions.countConnections`: default for Services without the annotation.
 */
export function countsConnections(annotations: Readonly<Record<string, string>>, countAll: boolean): boolean {
  return readCountConnections(annotations) ?? countAll;
}

/** The error in the annotation; undefined when it is valid. */
export function countConnectionsProblem(annotations: Readonly<Record<string, string>>): string | undefined {
  const value = annotations[COUNT_CONNECTIONS_ANNOTATION];
  return value === undefined || value === 'true' || value === 'false'
    ? undefined
    : `${COUNT_CONNECTIONS_ANNOTATION}: ${JSON.stringify(value.slice(0, 60))} is not one of true, false; ignored`;
}
