import type { Protocol, ServicePortName } from '@kube-proxier/core';
import { namesOf } from './counted-endpoints.js';

const COUNTER = /^service\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)$/;

/** The name of the counter of a service port. */
export function counterOf(servicePort: ServicePortName): string {
  return ['service', ...namesOf(servicePort)].join('/');
}

/** The service port that a counter counts for; undefined for foreign counters. */
export function countedBy(counter: string): ServicePortName | undefined {
  const [, namespace, name, portName = '', protocol] = COUNTER.exec(counter) ?? [];
  return namespace === undefined || name === undefined || protocol === undefined
    ? undefined
    : { namespace, name, portName, protocol: protocol.toUpperCase() as Protocol };
}
