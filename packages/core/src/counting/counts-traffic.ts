/** Annotation of a Service: `true` counts packets and bytes of it, `false` does not, whatever `countTraffic` says. */
export const COUNT_TRAFFIC_ANNOTATION = 'kube-proxier.io/count-traffic';

/** The value of the Service's annotation; undefined where it is absent or invalid. */
export function readCountTraffic(annotations: Readonly<Record<string, string>>): boolean | undefined {
  const value = annotations[COUNT_TRAFFIC_ANNOTATION];
  return value === 'true' || (value === 'false' ? false : undefined);
}

/**
 * Whether packets and bytes of a service port are counted, for each endpoint.
 *
 * @param annotations of the Service.
 * @param countAll `ProxierOptions.countTraffic`: default for Services without the annotation.
 */
export function countsTraffic(annotations: Readonly<Record<string, string>>, countAll: boolean): boolean {
  return readCountTraffic(annotations) ?? countAll;
}

/** The error in the annotation; undefined when it is valid. */
export function countTrafficProblem(annotations: Readonly<Record<string, string>>): string | undefined {
  const value = annotations[COUNT_TRAFFIC_ANNOTATION];
  return value === undefined || value === 'true' || value === 'false'
    ? undefined
    : `${COUNT_TRAFFIC_ANNOTATION}: ${JSON.stringify(value.slice(0, 60))} is not one of true, false; ignored`;
}
