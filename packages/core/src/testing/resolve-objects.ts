import type { Proxier } from '../contract/proxier.js';
import type { IPFamily } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { ProxyStateResolver } from '../resolution/proxy-state-resolver.js';
import { DEFAULT_PROXIER_OPTIONS, type ProxierOptions } from '../sync/proxier-options.js';

/** Objects of a cluster, as listed after a start. */
export interface ClusterObjects {
  readonly services?: Iterable<Service>;
  readonly slices?: Iterable<EndpointSlice>;
  readonly node?: Node;
  readonly serviceCIDRs?: readonly string[];
  /** Addresses of the host's interfaces, for node port addresses by CIDR; when present, the state includes them. */
  readonly localAddresses?: readonly string[];
}

export interface ResolveOptions extends Partial<ProxierOptions> {
  /** Default IPv4. */
  readonly family?: IPFamily;
  readonly includesLocalAddresses?: boolean;
  readonly onProblem?: (problem: ObjectProblem) => void;
}

/** A resolver with defaults, for tests. The node is called `node1`. */
export function makeResolver({
  family = 'IPv4',
  onProblem,
  includesLocalAddresses = false,
  ...options
}: ResolveOptions = {}): ProxyStateResolver {
  return new ProxyStateResolver({
    family,
    options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', ...options },
    reader: new ObjectReader(onProblem),
    since: 0,
    includesLocalAddresses,
    ...(onProblem ? { onProblem } : {}),
  });
}

/** Passes events to a resolver, as a proxier would; the other methods do nothing. */
export function feedResolver(resolver: ProxyStateResolver): Proxier {
  return {
    mode: 'test',
    onServiceUpdate: (previous, current) => void resolver.updateService(previous, current),
    onEndpointsUpdate: (previous, current) => void resolver.updateEndpointSlice(previous, current),
    onNodeUpdate: (node) => void resolver.updateNode(node),
    onServiceCIDRsUpdate: (cidrs) => void resolver.updateServiceCIDRs(cidrs),
    onServicesSynced() {},
    onEndpointsSynced() {},
    sync() {},
    syncLoop: async () => {},
  };
}

/** The state that a resolver without history derives from these objects. */
export function resolveObjects(objects: ClusterObjects, options: ResolveOptions = {}): ProxyState {
  const resolver = makeResolver({ includesLocalAddresses: objects.localAddresses !== undefined, ...options });
  if (objects.node) {
    resolver.updateNode(objects.node);
  }
  resolver.updateServiceCIDRs(objects.serviceCIDRs ?? []);
  resolver.updateLocalAddresses(objects.localAddresses ?? []);
  for (const service of objects.services ?? []) {
    resolver.updateService(undefined, service);
  }
  for (const slice of objects.slices ?? []) {
    resolver.updateEndpointSlice(undefined, slice);
  }
  return resolver.applyPending().state;
}
