import {
  type Endpoint,
  endpointsKeepingFlows,
  type Frontend,
  formatServicePortName,
  type ResolvedServicePort,
  resetsConnections,
  selectionWeights,
  structurallyEqual,
} from '@kube-proxier/core';
import type { Reach } from './installed-userspace.js';
import { readServiceOptions } from './service-options.js';
import type {
  ListenerPlace,
  ListenerSpec,
  PlannedServicePort,
  Portal,
  ProxiedProtocol,
  ServiceSpec,
  Target,
} from './userspace-transaction.js';

/** How clients reach the sockets of service ports. */
export interface ServicePortContext {
  readonly reach: Reach;
  /** Canonical addresses that frontends are bound on when `reach` is `none`. */
  readonly listenAddresses: readonly string[];
}

/** The sockets of one service port; undefined for SCTP, which is not served (spec U-32). */
export function planServicePort(
  resolved: ResolvedServicePort,
  context: ServicePortContext,
): PlannedServicePort | undefined {
  const { protocol } = resolved.name;
  return protocol === 'SCTP'
    ? undefined
    : { service: serviceSpec(resolved, protocol), listeners: listenersOf(resolved, protocol, context) };
}

/**
 * What a service port requests that is not possible, each in one line. Those of annotations are the same for all ports of a Service.
 *
 * @param previous the port before the change; its requests are not repeated.
 */
export function problemsOf(resolved: ResolvedServicePort, previous?: ResolvedServicePort): readonly string[] {
  const { namespace, name } = resolved.name;
  if (resolved.servicePort.annotations === previous?.servicePort.annotations) {
    return [];
  }
  const { problems } = readServiceOptions(resolved.servicePort.annotations);
  return problems.map((problem) => `Service ${namespace}/${name}: ${problem}`);
}

function listenersOf(
  resolved: ResolvedServicePort,
  protocol: ProxiedProtocol,
  context: ServicePortContext,
): readonly ListenerSpec[] {
  const listeners: (Omit<ListenerSpec, 'portals'> & { readonly portals: Portal[] })[] = [];
  for (const frontend of resolved.frontends) {
    const place = placeOf(frontend, context);
    if (!place) {
      continue;
    }
    const { address, port, allowedSources, routes } = frontend;
    const same =
      place.kind === 'proxy-port'
        ? listeners.find(
            (other) =>
              other.place.kind === 'proxy-port' &&
              structurallyEqual([other.allowedSources, other.routes], [allowedSources, routes]),
          )
        : undefined;
    if (same) {
      same.portals.push({ address, port });
    } else {
      const id = `${resolved.key} ${frontend.key}`;
      const portals = [{ address, port }];
      listeners.push({ id, servicePort: resolved.key, protocol, place, portals, allowedSources, routes });
    }
  }
  return listeners;
}

function placeOf(
  { address, port }: Frontend,
  { reach, listenAddresses }: ServicePortContext,
): ListenerPlace | undefined {
  if (address === undefined) {
    return { kind: 'node-port', port };
  }
  switch (reach) {
    case 'redirected':
      return { kind: 'proxy-port' };
    case 'bound':
      return { kind: 'address', address, port };
    case 'none':
      return listenAddresses.includes(address) ? { kind: 'address', address, port } : undefined;
  }
}

function serviceSpec(resolved: ResolvedServicePort, protocol: ProxiedProtocol): ServiceSpec {
  return {
    key: resolved.key,
    name: formatServicePortName(resolved.name),
    protocol,
    cluster: targets(resolved.cluster),
    local: targets(resolved.local),
    draining: protocol === 'UDP' ? drainingKeys(resolved) : [],
    existing: resetsConnections(resolved) ? resolved.candidates.map(({ key }) => key) : undefined,
    affinitySeconds: resolved.affinitySeconds,
    options: readServiceOptions(resolved.servicePort.annotations).options,
  };
}

function drainingKeys(resolved: ResolvedServicePort): readonly string[] {
  const listed = new Set([...resolved.cluster, ...resolved.local].map(({ key }) => key));
  return endpointsKeepingFlows(resolved).flatMap(({ key }) => (listed.has(key) ? [] : [key]));
}

function targets(endpoints: readonly Endpoint[]): readonly Target[] {
  const weights = selectionWeights(endpoints);
  return endpoints.map(({ key, address, port }, index) => ({ key, address, port, weight: weights?.[index] ?? 1 }));
}
