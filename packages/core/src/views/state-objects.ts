import type { IPFamily } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import { DEFAULT_WEIGHT, ENDPOINT_WEIGHTS_ANNOTATION } from '../model/endpoint-weights.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePort } from '../model/service-port.js';
import { type ServiceKey, type ServicePortName, serviceKey } from '../model/service-port-name.js';
import {
  type EndpointSlice,
  type Node,
  SERVICE_NAME_LABEL,
  type Service,
  TOPOLOGY_ZONE_LABEL,
} from '../objects/objects.js';

type ServiceSpec = NonNullable<Service['spec']>;
type SliceEndpoint = NonNullable<EndpointSlice['endpoints']>[number];

/** A Service with its EndpointSlices. */
export interface ServiceObjects {
  readonly service: Service;
  readonly endpointSlices: readonly EndpointSlice[];
}

/** Separates the name of a slice from the number of a part, in the names of further parts. */
export const SPLIT_SLICE = '.part-';

/** Replaces source ranges that could not be parsed. */
const UNPARSABLE_RANGE = 'none of the ranges could be parsed';

/**
 * Objects that resolve to these states, limited to the kinds and fields that a proxy reads. A Service has the same
 * decisions as the original, and no other fields. Endpoints of ports that the Service does not have are not part of a
 * state: they only count at its health check node port.
 *
 * @param states of one node, one for each IP family.
 */
export function* serviceObjectsOf(states: readonly ProxyState[]): Generator<ServiceObjects> {
  const services = new Map<ServiceKey, [IPFamily, ResolvedServicePort][]>();
  for (const state of states) {
    for (const port of state.servicePorts.values()) {
      const key = serviceKey(port.name);
      const ports = services.get(key) ?? [];
      services.set(key, ports);
      ports.push([state.family, port]);
    }
  }
  for (const ports of services.values()) {
    yield { service: serviceOf(ports), endpointSlices: slicesOf(ports) };
  }
}

/** The Node that resolves to the node part of these states. @param original as a source reported it, if any did. */
export function nodeObjectOf(states: readonly ProxyState[], original?: Node): Node {
  const [first] = states;
  const detected = states.flatMap(({ node }) => (node.detector.kind === 'source-cidr' ? [node.detector.cidr] : []));
  const podCIDRs = original?.spec?.podCIDRs ?? (original?.spec?.podCIDR ? [original.spec.podCIDR] : detected);
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: first?.node.name ?? '',
      ...(first?.node.zone === undefined ? {} : { labels: { [TOPOLOGY_ZONE_LABEL]: first.node.zone } }),
    },
    ...(podCIDRs.length === 0 ? {} : { spec: { podCIDRs } }),
    status: {
      addresses: states.flatMap(({ node }) => node.addresses.map((address) => ({ type: 'InternalIP', address }))),
    },
  };
}

function serviceOf(ports: readonly (readonly [IPFamily, ResolvedServicePort])[]): Service {
  const byFamily = new Map(ports.map(([family, { servicePort }]) => [family, servicePort]));
  const families = [...byFamily.keys()].sort();
  const facts = families.flatMap((family) => byFamily.get(family) ?? []);
  const [first] = facts;
  if (first === undefined) {
    throw new RangeError('a Service has at least one port');
  }
  const clusterIPs = facts.map(({ clusterIP }) => clusterIP);
  const externalIPs = facts.flatMap((port) => port.externalIPs);
  const vips = facts.flatMap((port) => port.loadBalancerVIPs);
  const ranges = rangesOf(facts);
  const { namespace, name } = first.name;
  const { affinitySeconds, healthCheckNodePort, createdAt, annotations } = first;
  const own = new Map(ports.map(([, { key, servicePort }]) => [key, servicePort]));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...{ namespace, name },
      ...(createdAt === 0 ? {} : { creationTimestamp: new Date(createdAt).toISOString() }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      type: typeOf(first, vips.length > 0, externalIPs.length > 0),
      ...(clusterIPs[0] === undefined ? {} : { clusterIP: clusterIPs[0] }),
      clusterIPs,
      ipFamilies: families,
      ...(externalIPs.length === 0 ? {} : { externalIPs }),
      ports: [...own.values()].map(portOf),
      ...(affinitySeconds === undefined
        ? {}
        : {
            sessionAffinity: 'ClientIP',
            sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySeconds } },
          }),
      externalTrafficPolicy: first.externalTrafficPolicy,
      internalTrafficPolicy: first.internalTrafficPolicy,
      ...(healthCheckNodePort === 0 ? {} : { healthCheckNodePort }),
      ...(ranges === undefined ? {} : { loadBalancerSourceRanges: ranges }),
    },
    ...(vips.length === 0 ? {} : { status: { loadBalancer: { ingress: vips.map((ip) => ({ ip })) } } }),
  };
}

function portOf({ name, port, nodePort }: ServicePort): NonNullable<ServiceSpec['ports']>[number] {
  return {
    ...(name.portName === '' ? {} : { name: name.portName }),
    protocol: name.protocol,
    port,
    ...(nodePort === 0 ? {} : { nodePort }),
  };
}

/** The minimum that the other fields allow. */
function typeOf(port: ServicePort, hasVips: boolean, hasExternalIPs: boolean): string {
  if (hasVips || port.healthCheckNodePort !== 0) {
    return 'LoadBalancer';
  }
  const isExternal = port.nodePort !== 0 || (port.externalTrafficPolicy === 'Local' && !hasExternalIPs);
  return isExternal ? 'NodePort' : 'ClusterIP';
}

function rangesOf(facts: readonly ServicePort[]): readonly string[] | undefined {
  const given = facts.flatMap(({ loadBalancerSourceRanges }) =>
    loadBalancerSourceRanges === undefined ? [] : [loadBalancerSourceRanges],
  );
  const ranges = given.flat();
  return given.length === 0 ? undefined : ranges.length === 0 ? [UNPARSABLE_RANGE] : ranges;
}

/** Endpoints of one port number of a service port, as one slice lists them. */
interface PortOfSlice {
  readonly family: IPFamily;
  readonly name: ServicePortName;
  readonly port: number;
  readonly endpoints: Endpoint[];
  /** The Service has weights, too; those of the slice take precedence. */
  readonly isWeighted: boolean;
}

/** Slices with their names. A slice whose endpoints differ by port is split. */
function slicesOf(ports: readonly (readonly [IPFamily, ResolvedServicePort])[]): readonly EndpointSlice[] {
  const slices = new Map<string, Map<string, PortOfSlice>>();
  for (const [family, { name, candidates, servicePort }] of ports) {
    const isWeighted = servicePort.annotations[ENDPOINT_WEIGHTS_ANNOTATION] !== undefined;
    for (const endpoint of candidates) {
      const { port, sliceName = `${name.name}-${family.toLowerCase()}` } = endpoint;
      const parts = slices.get(sliceName) ?? new Map<string, PortOfSlice>();
      slices.set(sliceName, parts);
      const key = `${family} ${name.portName}/${name.protocol} ${port}`;
      const part = parts.get(key) ?? { family, name, port, endpoints: [], isWeighted };
      parts.set(key, part);
      part.endpoints.push(endpoint);
    }
  }
  return [...slices].flatMap(([sliceName, parts]) => {
    const groups = new Map<string, PortOfSlice[]>();
    for (const part of parts.values()) {
      const content = JSON.stringify([part.family, part.endpoints.map(sliceEndpoint), weightsOf(part)]);
      groups.set(content, [...(groups.get(content) ?? []), part]);
    }
    return [...groups.values()].map((group, index) =>
      sliceOf(index === 0 ? sliceName : `${sliceName}${SPLIT_SLICE}${index + 1}`, group),
    );
  });
}

function sliceOf(sliceName: string, parts: readonly PortOfSlice[]): EndpointSlice {
  const [first] = parts;
  const weights = first === undefined ? undefined : weightsOf(first);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: first?.name.namespace ?? '',
      name: sliceName,
      labels: { [SERVICE_NAME_LABEL]: first?.name.name ?? '' },
      ...(weights === undefined ? {} : { annotations: { [ENDPOINT_WEIGHTS_ANNOTATION]: weights } }),
    },
    addressType: first?.family ?? '',
    ports: parts.map(({ name, port }) => ({ name: name.portName, protocol: name.protocol, port })),
    endpoints: first?.endpoints.map(sliceEndpoint) ?? [],
  };
}

/** The annotation with the weights of these endpoints; undefined where they have the default. */
function weightsOf({ endpoints, isWeighted }: PortOfSlice): string | undefined {
  const isNeeded = isWeighted || endpoints.some(({ weight }) => weight !== DEFAULT_WEIGHT);
  return isNeeded ? endpoints.map(({ address, weight }) => `${address}=${weight}`).join(',') : undefined;
}

function sliceEndpoint(endpoint: Endpoint): SliceEndpoint {
  const { address, ready, serving, terminating, notReadyReason, nodeName, podName, zoneHints, nodeHints } = endpoint;
  const names = (list: readonly string[]) => list.map((name) => ({ name }));
  const hints = {
    ...(zoneHints.length === 0 ? {} : { forZones: names(zoneHints) }),
    ...(nodeHints.length === 0 ? {} : { forNodes: names(nodeHints) }),
  };
  return {
    addresses: [address],
    conditions: { ready, serving, terminating, ...(notReadyReason === undefined ? {} : { reason: notReadyReason }) },
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(podName === undefined ? {} : { targetRef: { kind: 'Pod', name: podName } }),
    ...(Object.keys(hints).length === 0 ? {} : { hints }),
  };
}
