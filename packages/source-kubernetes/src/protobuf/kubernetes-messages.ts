/**
 * The parts of Kubernetes messages that are read: numbers as in the files `generated.proto`, presence as in the tags of
 * the types in Go. Numbers never change: API versions are stable.
 */
import {
  bool,
  int32,
  list,
  type MessageLayout,
  message,
  pointer,
  structure,
  text,
  textMap,
  texts,
  time,
} from './message-layout.js';

// k8s.io/apimachinery/pkg/runtime/generated.proto
export const TYPE_META = message('TypeMeta', { apiVersion: text(1), kind: text(2) });

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto
const OBJECT_META = message('ObjectMeta', {
  name: text(1),
  namespace: text(3),
  uid: text(5),
  resourceVersion: text(6),
  creationTimestamp: time(8),
  deletionTimestamp: time(9, 'pointer'),
  labels: textMap(11),
  annotations: textMap(12),
});
export const LIST_META = message('ListMeta', { resourceVersion: text(2), continue: text(3) });
const STATUS_CAUSE = message('StatusCause', { reason: text(1), message: text(2), field: text(3) });
const STATUS_DETAILS = message('StatusDetails', {
  name: text(1),
  group: text(2),
  kind: text(3),
  causes: list(4, STATUS_CAUSE),
  retryAfterSeconds: int32(5),
  uid: text(6),
});
export const STATUS = message('Status', {
  status: text(2),
  message: text(3),
  reason: text(4),
  details: pointer(5, STATUS_DETAILS),
  code: int32(6),
});

// k8s.io/api/core/v1/generated.proto
const CLIENT_IP_CONFIG = message('ClientIPConfig', { timeoutSeconds: int32(1, 'pointer') });
const SERVICE_SPEC = message('ServiceSpec', {
  ports: list(
    1,
    message('ServicePort', { name: text(1), protocol: text(2), port: int32(3, 'written'), nodePort: int32(5) }),
  ),
  clusterIP: text(3),
  type: text(4),
  externalIPs: texts(5),
  sessionAffinity: text(7),
  loadBalancerSourceRanges: texts(9),
  externalTrafficPolicy: text(11),
  healthCheckNodePort: int32(12),
  sessionAffinityConfig: pointer(14, message('SessionAffinityConfig', { clientIP: pointer(1, CLIENT_IP_CONFIG) })),
  clusterIPs: texts(18),
  ipFamilies: texts(19),
  internalTrafficPolicy: text(22, 'pointer'),
});
const LOAD_BALANCER_INGRESS = message('LoadBalancerIngress', {
  ip: text(1),
  hostname: text(2),
  ipMode: text(3, 'pointer'),
});
const LOAD_BALANCER_STATUS = message('LoadBalancerStatus', { ingress: list(1, LOAD_BALANCER_INGRESS) });
export const SERVICE: MessageLayout = message('Service', {
  metadata: structure(1, OBJECT_META),
  spec: structure(2, SERVICE_SPEC),
  status: structure(3, message('ServiceStatus', { loadBalancer: structure(1, LOAD_BALANCER_STATUS) })),
});
export const NODE: MessageLayout = message('Node', {
  metadata: structure(1, OBJECT_META),
  spec: structure(
    2,
    message('NodeSpec', {
      podCIDR: text(1),
      taints: list(5, message('Taint', { key: text(1, 'written'), value: text(2), effect: text(3, 'written') })),
      podCIDRs: texts(7),
    }),
  ),
  status: structure(
    3,
    message('NodeStatus', {
      addresses: list(5, message('NodeAddress', { type: text(1, 'written'), address: text(2, 'written') })),
    }),
  ),
});

// k8s.io/api/discovery/v1/generated.proto
const FOR_ZONE = message('ForZone', { name: text(1, 'written') });
const FOR_NODE = message('ForNode', { name: text(1, 'written') });
const ENDPOINT = message('Endpoint', {
  addresses: texts(1, 'written'),
  conditions: structure(
    2,
    message('EndpointConditions', {
      ready: bool(1, 'pointer'),
      serving: bool(2, 'pointer'),
      terminating: bool(3, 'pointer'),
    }),
  ),
  targetRef: pointer(4, message('ObjectReference', { kind: text(1), name: text(3) })),
  nodeName: text(6, 'pointer'),
  hints: pointer(8, message('EndpointHints', { forZones: list(1, FOR_ZONE), forNodes: list(2, FOR_NODE) })),
});
export const ENDPOINT_SLICE: MessageLayout = message('EndpointSlice', {
  metadata: structure(1, OBJECT_META),
  endpoints: list(2, ENDPOINT, 'written'),
  ports: list(
    3,
    message('EndpointPort', { name: text(1, 'pointer'), protocol: text(2, 'pointer'), port: int32(3, 'pointer') }),
    'written',
  ),
  addressType: text(4, 'written'),
});

// k8s.io/api/networking/v1/generated.proto
export const SERVICE_CIDR: MessageLayout = message('ServiceCIDR', {
  metadata: structure(1, OBJECT_META),
  spec: structure(2, message('ServiceCIDRSpec', { cidrs: texts(1) })),
});
