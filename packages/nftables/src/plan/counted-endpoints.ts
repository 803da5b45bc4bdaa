import type { Endpoint, Frontend, Protocol, ResolvedServicePort, ServicePortName } from '@kube-proxier/core';
import { claimOf, type SharedAddresses } from './endpoint-claims.js';
import { type CountScope, type EndpointQuantity, endpointCounters } from './layout.js';

/** An endpoint that has counters, and where these are looked up. */
export interface CountedEndpoint {
  readonly endpoint: Pick<Endpoint, 'address' | 'port'>;
  /** A key for each frontend of the service port. */
  readonly keys: readonly (readonly [scope: CountScope, key: string])[];
}

/** Which endpoints of a service port are needed. */
export interface EndpointSelector {
  /** Another version of the service port: endpoints that are equal in both may be omitted. */
  readonly except?: ResolvedServicePort | undefined;
  /** The claims of the only endpoints. */
  readonly claims?: ReadonlySet<string>;
}

/**
 * All endpoints of a service port, including those without new connections, which have established ones and may become
 * usable again.
 *
 * @param shared addresses that do not identify a service port.
 */
export function countedEndpoints(
  port: ResolvedServicePort,
  shared: SharedAddresses,
  { except, claims }: EndpointSelector = {},
): readonly CountedEndpoint[] {
  const hasRanges = port.frontends.some(({ lastPort }) => lastPort !== undefined);
  const isSame =
    !hasRanges &&
    except !== undefined &&
    except.frontends === port.frontends &&
    except.servicePort === port.servicePort;
  const others = new Set(isSame ? except.candidates.map(({ key }) => key) : []);
  // Ranges of one address would overlap, which the kernel refuses.
  const inRanges = hasRanges ? new Map(port.candidates.map((endpoint) => [endpoint.address, endpoint])) : undefined;
  const counted: CountedEndpoint[] = [];
  for (const endpoint of inRanges?.values() ?? port.candidates) {
    const claim = claimOf(port, endpoint);
    if (!others.has(endpoint.key) && (claims?.has(claim) ?? true)) {
      const addresses = shared.get(claim);
      counted.push({ endpoint, keys: port.frontends.map((frontend) => keyOf(frontend, endpoint, addresses)) });
    }
  }
  return counted;
}

function keyOf(
  { address, protocol, port: first, lastPort }: Frontend,
  endpoint: Endpoint,
  shared: ReadonlySet<string> | undefined,
): CountedEndpoint['keys'][number] {
  const portsFrom = (from: number) => (lastPort === undefined ? from : `${from}-${from + lastPort - first}`);
  const destination = [protocol.toLowerCase(), endpoint.address, portsFrom(endpoint.port)].join(' . ');
  if (address === undefined) {
    return ['node-port', `${destination} . ${first}`];
  }
  const key = `${address} . ${destination}`;
  if (lastPort === undefined && !shared?.has(address)) {
    return ['any-port', key];
  }
  return [lastPort === undefined ? 'address' : 'range', `${key} . ${portsFrom(first)}`];
}

/** Elements that refer to the counter of an endpoint. */
export function counterElements(
  { keys }: CountedEndpoint,
  quantity: EndpointQuantity,
  counter: string,
): [container: string, key: string, value: string][] {
  return keys.map(([scope, key]) => [endpointCounters(scope, quantity), key, counter]);
}

/** The endpoint of a connection counter. */
export interface CountedConnections {
  readonly servicePort: ServicePortName;
  readonly endpoint: Pick<Endpoint, 'address' | 'port'>;
}

const COUNTER = /^endpoint\/([^/]+)\/([^/]+)(?:\/([^/]+))?\/(tcp|udp|sctp)\/([\da-f.-]+)\/(\d+)$/;

/**
 * The name of the counter of connections to an endpoint of a service port, such as
 * `endpoint/default/web/http/tcp/10.0.0.1/80`. nft does not allow colons in names, so IPv6 addresses have hyphens.
 */
export function endpointCounter({ servicePort, endpoint }: CountedConnections): string {
  return ['endpoint', ...namesOf(servicePort), ...namesOfEndpoint(endpoint)].join('/');
}

/** The endpoint of a counter; undefined for other counters. */
export function connectionsCountedBy(counter: string): CountedConnections | undefined {
  const [, namespace, name, portName = '', protocol, address, port] = COUNTER.exec(counter) ?? [];
  return namespace === undefined || name === undefined || protocol === undefined || address === undefined
    ? undefined
    : {
        servicePort: { namespace, name, portName, protocol: protocol.toUpperCase() as Protocol },
        endpoint: { address: address.replaceAll('-', ':'), port: Number(port) },
      };
}

/** A service port in the name of a counter. */
export function namesOf({ namespace, name, portName, protocol }: ServicePortName): readonly string[] {
  return [namespace, name, ...(portName === '' ? [] : [portName]), protocol.toLowerCase()];
}

/** An endpoint in the name of a counter. */
export function namesOfEndpoint({ address, port }: Pick<Endpoint, 'address' | 'port'>): readonly string[] {
  return [address.replaceAll(':', '-'), String(port)];
}
