import { readCountTraffic } from './counts-traffic.js';

/** Annotation of a Service: `true` counts connections to it, `false` does not, whatever `countConnections` says. */
export const COUNT_CONNECTIONS_ANNOTATION = 'kube-proxier.io/count-connections';

/**
 * What the Service says; undefined where it says nothing, or nothing that can be read. Where it has its traffic counted, and says
 * nothing about connections, they are counted, too.
 */
export function readCountConnections(annotations: Readonly<Record<string, string>>): boolean | undefined {
  const value = annotations[COUNT_CONNECTIONS_ANNOTATION];
  return value === 'true' || (value === 'false' ? false : readCountTraffic(annotations) || undefined);
}

/**
 * Whether connections to a service port are counted.
 *
 * @param annotations of the Service.
 * @param countAll `ProxierOptions.countConnections`: whether they are where the Service says nothing about it.
 */
export function countsConnections(annotations: Readonly<Record<string, string>>, countAll: boolean): boolean {
  return readCountConnections(annotations) ?? countAll;
}

/** What is wrong with the annotation; undefined when nothing is. */
export function countConnectionsProblem(annotations: Readonly<Record<string, string>>): string | undefined {
  const value = annotations[COUNT_CONNECTIONS_ANNOTATION];
  return value === undefined || value === 'true' || value === 'false'
    ? undefined
    : `${COUNT_CONNECTIONS_ANNOTATION}: ${JSON.stringify(value.slice(0, 60))} is not one of true, false; ignored`;
}
