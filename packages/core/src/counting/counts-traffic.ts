/** Annotation of a Service: `true` counts packets and bytes of it, `false` does not, whatever `countTraffic` says. */
export const COUNT_TRAFFIC_ANNOTATION = 'kube-proxier.io/count-traffic';

/** What the Service says; undefined where it says nothing, or nothing that can be read. */
export function readCountTraffic(annotations: Readonly<Record<string, string>>): boolean | undefined {
  const value = annotations[COUNT_TRAFFIC_ANNOTATION];
  return value === 'true' || (value === 'false' ? false : undefined);
}

/**
 * Whether packets and bytes of a service port are counted, for each endpoint.
 *
 * @param annotations of the Service.
 * @param countAll `ProxierOptions.countTraffic`: whether they are where the Service says nothing about it.
 */
export function countsTraffic(annotations: Readonly<Record<string, string>>, countAll: boolean): boolean {
  return readCountTraffic(annotations) ?? countAll;
}

/** What is wrong with the annotation; undefined when nothing is. */
export function countTrafficProblem(annotations: Readonly<Record<string, string>>): string | undefined {
  const value = annotations[COUNT_TRAFFIC_ANNOTATION];
  return value === undefined || value === 'true' || value === 'false'
    ? undefined
    : `${COUNT_TRAFFIC_ANNOTATION}: ${JSON.stringify(value.slice(0, 60))} is not one of true, false; ignored`;
}
