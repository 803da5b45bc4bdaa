import type { FrontendKey } from '../model/frontend.js';
import type { ServiceKey, ServicePortKey } from '../model/service-port-name.js';

const SERVICE = '[a-z0-9.-]+/[a-z0-9.-]+';
const PROTOCOL = '(TCP|UDP|SCTP)';

/** The key of a service port from its text: `work/web:http/TCP`, `work/web:/UDP`. */
export function servicePortKeyFrom(text: string): ServicePortKey {
  return checked(text, `${SERVICE}:[a-z0-9-]*/${PROTOCOL}`) as ServicePortKey;
}

/** The key of a Service from its text: `work/web`. */
export function serviceKeyFrom(text: string): ServiceKey {
  return checked(text, SERVICE) as ServiceKey;
}

/** The key of a frontend from its text: `TCP/10.96.0.1:80`, `UDP/[fd00::1]:53`, `TCP/node:30080`. */
export function frontendKeyFrom(text: string): FrontendKey {
  return checked(text, `${PROTOCOL}/(node|[0-9.]+|\\[[0-9a-f:.]+\\]):\\d+`) as FrontendKey;
}

function checked(text: string, form: string): string {
  if (!new RegExp(`^${form}$`).test(text)) {
    throw new RangeError(`${JSON.stringify(text)} is not a key of this kind: ${form}`);
  }
  return text;
}
