import { familyOf, type IPFamily } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import { formatPorts, hasPort } from '../model/port-range.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { formatServicePortName, type Protocol } from '../model/service-port-name.js';
import { nearestName } from '../text/nearest-name.js';
import { printable } from '../text/printable.js';
import { type DestinationReference, QuestionError } from './packet-question.js';

/** A pod that is an endpoint. */
export interface FoundPod {
  /** One address of each family at most. */
  readonly addresses: ReadonlyMap<IPFamily, string>;
  readonly isLocal: boolean;
  readonly nodeName: string | undefined;
}

/**
 * The addresses of a pod, from the endpoints of all Services.
 *
 * @throws QuestionError `NOT_FOUND` with the nearest name.
 */
export function findPod(states: readonly ProxyState[], namespace: string, name: string): FoundPod {
  const addresses = new Map<IPFamily, string>();
  const names = new Set<string>();
  let found: Endpoint | undefined;
  let elsewhere: string | undefined;
  for (const state of states) {
    for (const port of state.servicePorts.values()) {
      const isHere = port.name.namespace === namespace;
      for (const endpoint of port.candidates) {
        if (!isHere) {
          elsewhere = endpoint.podName === name ? port.name.namespace : elsewhere;
        } else if (endpoint.podName === name) {
          found = found === undefined || endpoint.isLocal ? endpoint : found;
          addresses.set(state.family, endpoint.address);
        } else if (endpoint.podName !== undefined) {
          names.add(endpoint.podName);
        }
      }
    }
  }
  if (found === undefined) {
    const advice = elsewhere === undefined ? hint(name, names, 'pod/') : `; did you mean pod/${elsewhere}/${name}?`;
    throw new QuestionError(
      `no endpoint of a Service is pod "${printable(name)}" in namespace ${printable(namespace)}${advice} ` +
        '(only pods that are endpoints are known by name: use the IP address of another pod)',
      'NOT_FOUND',
    );
  }
  return { addresses, isLocal: found.isLocal, nodeName: found.nodeName };
}

/** A service port with the state that it is part of. */
export interface FoundServicePort {
  readonly state: ProxyState;
  readonly servicePort: ResolvedServicePort;
}

/**
 * The ports of a Service, in all states, sorted by family, name and protocol.
 *
 * @throws QuestionError `NOT_FOUND` with the nearest name, or the ports that the Service has.
 */
export function findServicePorts(
  states: readonly ProxyState[],
  { namespace, name, port, protocol }: Extract<DestinationReference, { kind: 'service' }>,
): readonly FoundServicePort[] {
  const own: FoundServicePort[] = [];
  const names = new Set<string>();
  const elsewhere = new Set<string>();
  for (const state of states) {
    for (const servicePort of state.servicePorts.values()) {
      const { name: found } = servicePort;
      if (found.namespace === namespace) {
        names.add(found.name);
        if (found.name === name) {
          own.push({ state, servicePort });
        }
      } else if (found.name === name) {
        elsewhere.add(found.namespace);
      }
    }
  }
  if (own.length === 0) {
    const other = [...elsewhere].sort()[0];
    const advice = other === undefined ? hint(name, names, 'svc/') : `; did you mean svc/${other}/${name}?`;
    throw new QuestionError(
      `Service "${printable(name)}" not found in namespace ${printable(namespace)}${advice}`,
      'NOT_FOUND',
    );
  }
  const matching = own.filter(({ servicePort }) => isPort(servicePort, port, protocol));
  if (matching.length === 0) {
    const has = [...new Set(own.map(({ servicePort }) => portLabel(servicePort)))].sort().join(', ');
    const wanted = `${port ?? ''}${protocol === undefined ? '' : `/${protocol}`}`;
    throw new QuestionError(
      `Service ${namespace}/${name} has no port ${printable(wanted)}; it has ${has}`,
      'NOT_FOUND',
    );
  }
  return matching.sort(compareFound);
}

/** `http (80/TCP)` or `80/TCP`. */
export function portLabel({ name, servicePort }: ResolvedServicePort): string {
  const number = `${formatPorts(servicePort)}/${name.protocol}`;
  return name.portName === '' ? number : `${name.portName} (${number})`;
}

function isPort(
  { name, servicePort }: ResolvedServicePort,
  port: string | undefined,
  protocol: Protocol | undefined,
): boolean {
  return (
    (protocol === undefined || name.protocol === protocol) &&
    (port === undefined || name.portName === port || (/^\d+$/.test(port) && hasPort(servicePort, Number(port))))
  );
}

function compareFound(left: FoundServicePort, right: FoundServicePort): number {
  const text = ({ state, servicePort: { name } }: FoundServicePort) =>
    `${formatServicePortName(name)}/${name.protocol} ${state.family}`;
  return text(left) < text(right) ? -1 : 1;
}

function hint(name: string, names: Iterable<string>, prefix: string): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : `; did you mean ${prefix}${nearest}?`;
}

/** The state of a family. */
export function stateOf(states: readonly ProxyState[], address: string): ProxyState | undefined {
  return states.find(({ family }) => family === familyOf(address));
}
