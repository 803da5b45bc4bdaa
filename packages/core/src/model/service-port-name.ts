import { flatText } from '../text/flat-text.js';
import type { Branded } from './branded.js';

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

/**
 * Key of a service port in every map: `namespace/name:portName/PROTOCOL`, always with the colon. Made by
 * {@link servicePortKey} only.
 */
export type ServicePortKey = Branded<'ServicePortKey'>;

/** Key of a Service: `namespace/name` (spec K-1). Made by {@link serviceKey} and {@link serviceOfPort} only. */
export type ServiceKey = Branded<'ServiceKey'>;

/** `namespace/name:port/PROTOCOL`; the port's name is empty for an unnamed port. */
export function servicePortKey(name: ServicePortName): ServicePortKey {
  return flatText(name.namespace, '/', name.name, ':', name.portName, '/', name.protocol) as ServicePortKey;
}

/** `namespace/name`. */
export function serviceKey(name: { readonly namespace: string; readonly name: string }): ServiceKey {
  return flatText(name.namespace, '/', name.name) as ServiceKey;
}

/** The Service of a service port. Names of namespaces and Services contain no colon. */
export function serviceOfPort(key: ServicePortKey): ServiceKey {
  return key.slice(0, key.indexOf(':')) as ServiceKey;
}

/**
 * The name of a service port in messages and in kube-proxy's rules: `namespace/name` or `namespace/name:portName`,
 * without the protocol. Used in comments and as hash input, so it must not change (spec K-3).
 */
export function formatServicePortName(name: ServicePortName): string {
  return name.portName === '' ? `${name.namespace}/${name.name}` : `${name.namespace}/${name.name}:${name.portName}`;
}
