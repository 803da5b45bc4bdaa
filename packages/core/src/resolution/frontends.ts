import { LinearMap } from '../caching/linear-map.js';
import { cidrContains, hostCIDR } from '../model/address.js';
import { type Frontend, type FrontendKind, frontendKey, type Masquerade, type Route } from '../model/frontend.js';
import type { NodeState } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import type { EndpointView } from '../tracking/endpoint-set.js';

/** Input of the frontend decisions, in addition to the service port. */
export interface FrontendContext {
  readonly node: Pick<NodeState, 'addresses' | 'detector'>;
  /** Masquerade all traffic to cluster IPs (`--masquerade-all`). */
  readonly masqueradeAll: boolean;
  /** The last port of the range, where it can be served. Default: only the port itself is served. */
  readonly lastPort?: number | undefined;
  /** Whether the mode serves the protocol of the service port. Otherwise its cluster IP refuses connections. Default true. */
  readonly isServed?: boolean;
}

const REFUSE_PROTOCOL: readonly Route[] = [{ source: 'any', action: 'reject', because: 'protocol' }];
const REFUSE: readonly Route[] = [{ source: 'any', action: 'reject' }];
const DROP: Route = { source: 'any', action: 'drop' };
const DROP_ALL: readonly Route[] = [DROP];
/** The common case for nearly all Services, created once. */
const TO_ALL: Readonly<Record<'cluster' | 'local', Readonly<Record<Masquerade, readonly Route[]>>>> = {
  cluster: byMasquerade('cluster'),
  local: byMasquerade('local'),
};

/**
 * All frontends of a service port with every decision about them (spec O-4…O-10). Traffic policies, masquerading and source
 * ranges are decided only here; backends only render the result.
 */
export function resolveFrontends(port: ServicePort, view: EndpointView, context: FrontendContext): readonly Frontend[] {
  const isServed = context.isServed ?? true;
  const internal = isServed ? internalRoutes(port, view, context) : REFUSE_PROTOCOL;
  const external = externalRoutes(port, view, context);
  const frontends: Frontend[] = [];
  const keys = new LinearMap<true>();
  const add = (
    kind: FrontendKind,
    address: string | undefined,
    number: number,
    routes: readonly Route[],
    allowedSources?: readonly string[],
  ) => {
    const key = frontendKey(port.name.protocol, address, number);
    // An address that occurs twice in one port keeps its first kind.
    if (!keys.has(key)) {
      keys.set(key, true);
      const { protocol } = port.name;
      // One hidden class for nearly all frontends: the field is absent without a range.
      frontends.push(
        context.lastPort === undefined || kind === 'NodePort'
          ? { key, kind, address, port: number, protocol, allowedSources, routes }
          : { key, kind, address, port: number, lastPort: context.lastPort, protocol, allowedSources, routes },
      );
    }
  };
  add('ClusterIP', port.clusterIP, port.port, internal);
  if (!isServed) {
    return frontends.slice();
  }
  for (const address of port.externalIPs) {
    // A load balancer IP has source ranges, which an external IP would bypass (spec F-LB-17).
    if (!port.loadBalancerVIPs.includes(address)) {
      add('ExternalIP', address, port.port, external);
    }
  }
  const allowed = allowedSources(port, context.node);
  for (const address of port.loadBalancerVIPs) {
    add('LoadBalancerIP', address, port.port, external, allowed);
  }
  if (port.nodePort !== 0) {
    add('NodePort', undefined, port.nodePort, external);
  }
  // `slice` trims the capacity to the length.
  return frontends.slice();
}

function byMasquerade(endpoints: 'cluster' | 'local'): Readonly<Record<Masquerade, readonly Route[]>> {
  const route = (masquerade: Masquerade): readonly Route[] => [
    { source: 'any', action: 'forward', endpoints, masquerade },
  ];
  return { always: route('always'), never: route('never'), 'off-cluster': route('off-cluster') };
}

/** Spec O-4, O-5. */
function internalRoutes(port: ServicePort, view: EndpointView, context: FrontendContext): readonly Route[] {
  if (!view.hasAny) {
    return REFUSE;
  }
  const endpoints = port.internalTrafficPolicy === 'Local' ? 'local' : 'cluster';
  if (view[endpoints].length === 0) {
    return DROP_ALL;
  }
  const masquerade: Masquerade = context.masqueradeAll
    ? 'always'
    : context.node.detector.kind === 'none'
      ? 'never'
      : 'off-cluster';
  return TO_ALL[endpoints][masquerade];
}

/** Spec O-4, O-6, O-7, in the order of O-10: pods are matched before the node's own addresses. */
function externalRoutes(port: ServicePort, view: EndpointView, context: FrontendContext): readonly Route[] {
  if (!view.hasAny) {
    return REFUSE;
  }
  if (port.externalTrafficPolicy === 'Cluster') {
    return TO_ALL.cluster.always;
  }
  const routes: Route[] = [];
  if (context.node.detector.kind !== 'none') {
    routes.push({ source: 'pod', action: 'forward', endpoints: 'cluster', masquerade: 'never' });
  }
  routes.push({ source: 'node', action: 'forward', endpoints: 'cluster', masquerade: 'always' });
  routes.push(
    view.local.length > 0 ? { source: 'any', action: 'forward', endpoints: 'local', masquerade: 'never' } : DROP,
  );
  return routes;
}

/**
 * Sources that may use the load balancer VIPs. Where the node itself may, so may the VIPs: on the node, a connection to
 * a VIP can have that VIP as its source (spec I-38, F-LB-8).
 */
function allowedSources(port: ServicePort, node: FrontendContext['node']): readonly string[] | undefined {
  const ranges = port.loadBalancerSourceRanges;
  if (!ranges) {
    return undefined;
  }
  const nodeMay = node.addresses.some((address) => ranges.some((range) => cidrContains(range, address)));
  return nodeMay ? [...new Set([...ranges, ...port.loadBalancerVIPs.map(hostCIDR)])] : ranges;
}
