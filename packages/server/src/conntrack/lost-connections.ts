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

/** Service ports with the endpoints that they lost. */
export type LostByServicePort = ReadonlyMap<ServicePortKey, LostEndpoints>;

/** A connection whose endpoint is gone. */
export interface LostConnection {
  readonly servicePort: ServicePortKey;
  /** `namespace/name:port`. */
  readonly name: string;
  /** Key of the endpoint. */
  readonly endpoint: string;
}

/** Lists that the kernel filters by endpoint, at most; with more endpoints, one list of all TCP connections costs less. */
const MAX_LISTS = 8;

/**
 * Judges tracked TCP flows: which of them were sent to an endpoint that is gone (spec R-2). Pure.
 *
 * @param state the state now in force.
 * @param localAddresses canonical addresses of this host.
 * @returns undefined for a flow that is to be left alone: its endpoint is there, or is not known to have gone; it was not
 *   translated; its Service does not say `reset`, or does not have the address any more.
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
    // What this node answers itself may be a proxy of another program, and is no endpoint as far as is known. Where it was one, the
    // node resets its connections without help.
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
    // As if it had been sent to the first port of the range (spec PR-2).
    const first = reply.sourcePort - (destinationPort - (range?.frontend.port ?? 0));
    return range?.judge(joinHostPort(reply.source, first), reply.source);
  };
}

/** Judges a connection by its endpoint, at its own port, and the address of that. */
type Judge = (endpoint: string, address: string) => LostConnection | undefined;

function placeOf({ address, port }: Frontend): string {
  return address === undefined ? `${port}` : joinHostPort(address, port);
}

/**
 * The endpoints to list connections of, where these are few and known; undefined where all TCP connections have to be listed.
 * Endpoints that are there again are none of them. Pure.
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
