/** Transport protocols that a Service port can have. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** Identity of one port of one Service (spec K-2). */
export interface ServicePortName {
  readonly namespace: string;
  readonly name: string;
  /** `spec.ports[].name`; empty for the single unnamed port. */
  readonly portName: string;
  readonly protocol: Protocol;
}

/** Key of a service port in every map: `namespace/name:portName/PROTOCOL`, always with the colon. */
export type ServicePortKey = string;

/** Key of a Service: `namespace/name` (spec K-1). */
export type ServiceKey = string;

/** `namespace/name:port/PROTOCOL`; the port's name is empty for an unnamed port. */
export function servicePortKey(name: ServicePortName): ServicePortKey {
  return `${name.namespace}/${name.name}:${name.portName}/${name.protocol}`;
}

/** `namespace/name`. */
export function serviceKey(name: { readonly namespace: string; readonly name: string }): ServiceKey {
  return `${name.namespace}/${name.name}`;
}

/**
 * The name of a service port in messages and in kube-proxy's rules: `namespace/name` or `namespace/name:portName`,
 * without the protocol. Used in comments and as hash input, so it must not change (spec K-3).
 */
export function formatServicePortName(name: ServicePortName): string {
  return name.portName === '' ? `${name.namespace}/${name.name}` : `${name.namespace}/${name.name}:${name.portName}`;
}
