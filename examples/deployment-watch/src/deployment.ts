/** The fields of a Deployment that this program reads. Other fields are not kept. */
export interface Deployment {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly availableReplicas?: number };
}

/** The part of a Deployment that is kept: changes of other fields, such as its template, are not reported. */
export function keepCounts({ metadata, spec, status }: Deployment): Deployment {
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace },
    spec: { replicas: spec?.replicas ?? 1 },
    status: { availableReplicas: status?.availableReplicas ?? 0 },
  };
}

/** One line, for example `shop/web: 2 of 3 available`. */
export function describeDeployment({ metadata, spec, status }: Deployment): string {
  return `${metadata.namespace}/${metadata.name}: ${status?.availableReplicas ?? 0} of ${spec?.replicas ?? 1} available`;
}

/** Whether fewer replicas are available than specified. */
export function hasMissingReplicas({ spec, status }: Deployment): boolean {
  return (status?.availableReplicas ?? 0) < (spec?.replicas ?? 1);
}
