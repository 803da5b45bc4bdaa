import type { IPFamily } from '../model/address.js';
import { ENDPOINT_WEIGHTS_ANNOTATION } from '../model/endpoint-weights.js';
import type {
  EndpointSliceDefinition,
  NodeDefinition,
  ServiceDefinition,
  SliceEndpointDefinition,
} from '../objects/definitions.js';
import {
  type EndpointSlice,
  LAST_CHANGE_TRIGGER_TIME_ANNOTATION,
  type Node,
  SERVICE_NAME_LABEL,
  type Service,
  TOPOLOGY_ZONE_LABEL,
} from '../objects/objects.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
/** A value that `ObjectReader` reads as no network. */
const NO_NETWORK = 'none';

/**
 * The smallest object that is read as this definition: only the fields that a proxy reads. Reading it yields an equal
 * definition.
 */
export function reducedService(definition: ServiceDefinition): Service {
  const { namespace, name, createdAt, ports, families, annotations } = definition;
  const served = FAMILIES.flatMap((family) => {
    const own = families[family];
    return own === undefined ? [] : [{ family, ...own }];
  });
  const externalIPs = served.flatMap((own) => own.externalIPs);
  const vips = served.flatMap((own) => own.loadBalancerVIPs);
  const ranges = sourceRanges(definition);
  const { externalTrafficPolicy, internalTrafficPolicy, affinitySeconds, healthCheckNodePort } = definition;
  const type = healthCheckNodePort !== 0 ? 'LoadBalancer' : externalTrafficPolicy === 'Local' ? 'NodePort' : undefined;
  return {
    metadata: {
      name,
      namespace,
      ...(createdAt === 0 ? {} : { creationTimestamp: new Date(createdAt).toISOString() }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...(type === undefined ? {} : { type }),
      // Without a family, the definition has no address; the reader needs one to read a definition at all.
      ...(served.length === 0
        ? { clusterIPs: ['192.0.2.1'], ipFamilies: ['none'] }
        : { clusterIPs: served.map(({ clusterIP }) => clusterIP) }),
      ...(externalIPs.length === 0 ? {} : { externalIPs }),
      ports: ports.map(({ portName, protocol, port, nodePort }) => ({
        ...(portName === '' ? {} : { name: portName }),
        ...(protocol === 'TCP' ? {} : { protocol }),
        port,
        ...(nodePort === 0 ? {} : { nodePort }),
      })),
      ...(affinitySeconds === undefined
        ? {}
        : { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: affinitySeconds } } }),
      ...(externalTrafficPolicy === 'Cluster' ? {} : { externalTrafficPolicy }),
      ...(internalTrafficPolicy === 'Cluster' ? {} : { internalTrafficPolicy }),
      ...(healthCheckNodePort === 0 ? {} : { healthCheckNodePort }),
      ...(ranges.length === 0 ? {} : { loadBalancerSourceRanges: ranges }),
    },
    ...(vips.length === 0 ? {} : { status: { loadBalancer: { ingress: vips.map((ip) => ({ ip })) } } }),
  };
}

/**
 * A family that allows no source had only malformed ranges; the other family is then open only if it is marked as open.
 */
function sourceRanges({ families }: ServiceDefinition): readonly string[] {
  const isClosed = FAMILIES.some((family) => families[family]?.loadBalancerSourceRanges?.length === 0);
  const listed = FAMILIES.flatMap((family) => {
    const own = families[family];
    const ranges = own?.loadBalancerSourceRanges;
    return ranges ?? (isClosed && own !== undefined ? [family === 'IPv4' ? '0.0.0.0/0' : '::/0'] : []);
  });
  return isClosed ? [...listed, NO_NETWORK] : listed;
}

/** The smallest object that is read as this definition. */
export function reducedEndpointSlice(definition: EndpointSliceDefinition): EndpointSlice {
  const { namespace, name, serviceName, family, ports, endpoints, triggerTime } = definition;
  const weights = endpoints
    .flatMap(({ address, weight }) => (weight === undefined ? [] : [`${address}=${weight}`]))
    .join(',');
  return {
    metadata: {
      name,
      namespace,
      labels: { [SERVICE_NAME_LABEL]: serviceName },
      ...(triggerTime === undefined && weights === ''
        ? {}
        : {
            annotations: {
              ...(triggerTime === undefined
                ? {}
                : { [LAST_CHANGE_TRIGGER_TIME_ANNOTATION]: new Date(triggerTime).toISOString() }),
              ...(weights === '' ? {} : { [ENDPOINT_WEIGHTS_ANNOTATION]: weights }),
            },
          }),
    },
    addressType: family,
    ports: ports.map(({ portName, protocol, port }) => ({
      ...(portName === '' ? {} : { name: portName }),
      ...(protocol === 'TCP' ? {} : { protocol }),
      port,
    })),
    endpoints: endpoints.map(reducedEndpoint),
  };
}

function reducedEndpoint(endpoint: SliceEndpointDefinition): NonNullable<EndpointSlice['endpoints']>[number] {
  const { address, ready, serving, terminating, notReadyReason, nodeName, podName, zoneHints, nodeHints } = endpoint;
  const isPlain = ready && serving && !terminating;
  const hasHints = zoneHints.length + nodeHints.length > 0;
  return {
    addresses: [address],
    ...(isPlain
      ? {}
      : {
          conditions: {
            ...(ready ? {} : { ready }),
            ...(serving ? {} : { serving }),
            ...(terminating ? { terminating } : {}),
            ...(notReadyReason === undefined ? {} : { reason: notReadyReason }),
          },
        }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(podName === undefined ? {} : { targetRef: { kind: 'Pod', name: podName } }),
    ...(hasHints
      ? {
          hints: {
            ...(zoneHints.length === 0 ? {} : { forZones: zoneHints.map((name) => ({ name })) }),
            ...(nodeHints.length === 0 ? {} : { forNodes: nodeHints.map((name) => ({ name })) }),
          },
        }
      : {}),
  };
}

/** The smallest object that is read as this definition. */
export function reducedNode({ name, zone, addresses, podCIDRs, deleting, taintKeys }: NodeDefinition): Node {
  return {
    metadata: {
      name,
      ...(zone === undefined ? {} : { labels: { [TOPOLOGY_ZONE_LABEL]: zone } }),
      ...(deleting ? { deletionTimestamp: '1970-01-01T00:00:00Z' } : {}),
    },
    ...(podCIDRs.length + taintKeys.length === 0
      ? {}
      : {
          spec: {
            ...(podCIDRs.length === 0 ? {} : { podCIDRs }),
            ...(taintKeys.length === 0 ? {} : { taints: taintKeys.map((key) => ({ key })) }),
          },
        }),
    ...(addresses.length === 0
      ? {}
      : { status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) } }),
  };
}
