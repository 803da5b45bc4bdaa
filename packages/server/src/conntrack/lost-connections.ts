import {
  type Frontend,
  formatServicePortName,
  hasPort,
  joinHostPort,
  type LostEndpoints,
  type ProxyState,
  resetsConnections,
  type ServicePortKey,
} from '@kube-proxier/core';
import type { ReplySource } from '@kube-proxier/linux';
import type { TrackedFlow } from './stale-flows.js';

/** Service ports with their lost endpoints. */
export type LostByServicePort = ReadonlyMap<ServicePortKey, LostEndpoints>;

/** A connection whose endpoint is gone. */
export interface LostConnection {
  readonly servicePort: ServicePortKey;
  /** `namespace/name:port`. */
  readonly name: string;
  /** Key of the endpoint. */
  readonly endpoint: string;
}

/** Maximum number of dumps filtered by endpoint; with more endpoints, one dump of all TCP connections is cheaper. */
const MAX_LISTS = 8;

/**
 * Classifies tracked TCP flows: selects those to a removed endpoint (spec R-2). Pure.
 *
 * @param state the state now in force.
 * @param localAddresses canonical addresses of this host.
 * @returns undefined for a flow to keep: its endpoint exists, or is not known to be removed; it was not translated; or
 *   its Service does not request `reset`, or no longer has the address.
 */
export function lostConnectionJudge(
  state: ProxyState,
  lost: LostByServicePort,
  localAddresses: ReadonlySet<string>,
): (flow: TrackedFlow) => LostConnection | undefined {
  const byFrontend = new Map<string, Judge>();
  const ranges = new Map<string, { readonly frontend: Frontend; readonly judge: Judge }[]>();
  for (const [key, endpoints] of lost) {
    const port = state.servicePorts.get(key);
    if (port === undefined || !resetsConnections(port)) {
      continue;
    }
    const present = new Set(port.candidates.map((endpoint) => endpoint.key));
    const name = formatServicePortName(port.name);
    // Flows answered by this node itself may belong to another proxy, and are not known to lead to an endpoint. For a
    // former endpoint, the node's own TCP stack resets the connections.
    const isLost = (endpoint: string, address: string) =>
      endpoints === 'unknown' ? !localAddresses.has(address) : endpoints.has(endpoint);
    const judge = (endpoint: string, address: string) =>
      !present.has(endpoint) && isLost(endpoint, address) ? { servicePort: key, name, endpoint } : undefined;
    for (const frontend of port.frontends) {
      if (frontend.address === undefined || frontend.lastPort === undefined) {
        byFrontend.set(placeOf(frontend), judge);
      } else {
        ranges.set(frontend.address, [...(ranges.get(frontend.address) ?? []), { frontend, judge }]);
      }
    }
  }
  return ({ protocol, original, reply }) => {
    const { destination, destinationPort } = original;
    if (protocol !== 'TCP' || (reply.source === destination && reply.sourcePort === destinationPort)) {
      return undefined;
    }
    const judge =
      byFrontend.get(joinHostPort(destination, destinationPort)) ??
      (localAddresses.has(destination) ? byFrontend.get(`${destinationPort}`) : undefined);
    if (judge !== undefined) {
      return judge(joinHostPort(reply.source, reply.sourcePort), reply.source);
    }
    const range = ranges.get(destination)?.find(({ frontend }) => hasPort(frontend, destinationPort));
    // Mapped to the first port of the range (spec PR-2).
    const first = reply.sourcePort - (destinationPort - (range?.frontend.port ?? 0));
    return range?.judge(joinHostPort(reply.source, first), reply.source);
  };
}

/** Classifies a connection by the endpoint at its port, and its address. */
type Judge = (endpoint: string, address: string) => LostConnection | undefined;

function placeOf({ address, port }: Frontend): string {
  return address === undefined ? `${port}` : joinHostPort(address, port);
}

/**
 * The endpoints whose connections to list, if few and known; undefined when all TCP connections must be listed.
 * Excludes endpoints that have returned. Pure.
 */
export function repliesToList(state: ProxyState, lost: LostByServicePort): readonly ReplySource[] | undefined {
  const sources = new Map<string, ReplySource>();
  for (const [key, endpoints] of lost) {
    const port = state.servicePorts.get(key);
    if (port === undefined || !resetsConnections(port)) {
      continue;
    }
    // The kernel filters by one port of an endpoint, and connections to a range have many.
    if (endpoints === 'unknown' || port.frontends.some(({ lastPort }) => lastPort !== undefined)) {
      return undefined;
    }
    const present = new Set(port.candidates.map((endpoint) => endpoint.key));
    for (const endpoint of endpoints) {
      const [, source, sourcePort] = /^\[?(.*?)\]?:(\d+)$/.exec(endpoint) ?? [];
      if (!present.has(endpoint) && source !== undefined) {
        sources.set(endpoint, { source, sourcePort: Number(sourcePort) });
      }
    }
  }
  return sources.size > MAX_LISTS ? undefined : [...sources.values()];
}
