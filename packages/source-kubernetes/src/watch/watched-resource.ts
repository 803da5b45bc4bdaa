import {
  ENDPOINT_SLICE_ANNOTATIONS,
  HEADLESS_SERVICE_LABEL,
  SERVICE_NAME_LABEL,
  SERVICE_PROXY_NAME_LABEL,
  TOPOLOGY_ZONE_LABEL,
} from '@kube-proxier/core';
import { ENDPOINT_SLICE, NODE, SERVICE, SERVICE_CIDR } from '../protobuf/kubernetes-messages.js';
import type { MessageLayout } from '../protobuf/message-layout.js';
import { anyFieldsOf, entriesWhere, fields, listOf, type Shape, whole } from './object-shape.js';

/** One kind of object, how it is requested, and which fields are retained. */
export interface WatchedResource {
  /** Resource name, as in the URL and in RBAC rules: `services`. */
  readonly name: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** API group as in RBAC rules; empty for the core group. */
  readonly group: string;
  /** Path of the collection on the API server. */
  readonly path: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * The field selector only saves traffic: without it the result is the same, since core skips the excluded objects.
   */
  readonly fieldSelectorOptional?: boolean;
  /**
   * Whether there are many of them, so that a compressed list takes a fraction of the bytes of a watch with initial
   * events, which API servers do not compress.
   */
  readonly isLarge?: boolean;
  /** Optional: not an error when an API server lacks it. */
  readonly optional?: boolean;
  /** The feature that is missing without an optional resource. */
  readonly without?: string;
  /** The protobuf message of its objects; absent for JSON only, as with custom resources. */
  readonly protobuf?: MessageLayout;
  /** The retained part: the fields that a proxy reads. */
  readonly shape: Shape;
}

/** Annotations of this project that core reads from a Service. */
const OWN_ANNOTATIONS = 'kube-proxier.io/';

const labels = anyFieldsOf({
  [SERVICE_NAME_LABEL]: whole,
  [SERVICE_PROXY_NAME_LABEL]: whole,
  [HEADLESS_SERVICE_LABEL]: whole,
  [TOPOLOGY_ZONE_LABEL]: whole,
});
const names = listOf(fields({ name: whole }));

export const SERVICES: WatchedResource = {
  name: 'services',
  kind: 'Service',
  apiVersion: 'v1',
  group: '',
  path: '/api/v1/services',
  // Spec W-1.
  labelSelector: `!${SERVICE_PROXY_NAME_LABEL}`,
  fieldSelector: 'spec.clusterIP!=None',
  fieldSelectorOptional: true,
  isLarge: true,
  protobuf: SERVICE,
  shape: fields({
    metadata: fields({
      name: whole,
      namespace: whole,
      creationTimestamp: whole,
      labels,
      annotations: entriesWhere((name) => name.startsWith(OWN_ANNOTATIONS)),
    }),
    spec: fields({
      type: whole,
      clusterIP: whole,
      clusterIPs: whole,
      ipFamilies: whole,
      externalIPs: whole,
      ports: listOf(fields({ name: whole, protocol: whole, port: whole, nodePort: whole })),
      sessionAffinity: whole,
      sessionAffinityConfig: fields({ clientIP: fields({ timeoutSeconds: whole }) }),
      externalTrafficPolicy: whole,
      internalTrafficPolicy: whole,
      healthCheckNodePort: whole,
      loadBalancerSourceRanges: whole,
    }),
    status: fields({
      loadBalancer: fields({ ingress: listOf(fields({ ip: whole, hostname: whole, ipMode: whole })) }),
    }),
  }),
};

export const ENDPOINT_SLICES: WatchedResource = {
  name: 'endpointslices',
  kind: 'EndpointSlice',
  apiVersion: 'discovery.k8s.io/v1',
  group: 'discovery.k8s.io',
  path: '/apis/discovery.k8s.io/v1/endpointslices',
  // Spec W-2.
  labelSelector: `!${HEADLESS_SERVICE_LABEL}`,
  isLarge: true,
  protobuf: ENDPOINT_SLICE,
  shape: fields({
    metadata: fields({
      name: whole,
      namespace: whole,
      labels,
      annotations: anyFieldsOf(Object.fromEntries(ENDPOINT_SLICE_ANNOTATIONS.map((name) => [name, whole]))),
    }),
    addressType: whole,
    ports: listOf(fields({ name: whole, protocol: whole, port: whole })),
    endpoints: listOf(
      fields({
        addresses: whole,
        conditions: fields({ ready: whole, serving: whole, terminating: whole }),
        nodeName: whole,
        // The name of the pod, for explanations.
        targetRef: fields({ kind: whole, name: whole }),
        hints: fields({ forZones: names, forNodes: names }),
      }),
    ),
  }),
};

/** @param nodeName name of the only Node that is watched (spec W-4). */
export function ownNode(nodeName: string): WatchedResource {
  return {
    name: 'nodes',
    kind: 'Node',
    apiVersion: 'v1',
    group: '',
    path: '/api/v1/nodes',
    fieldSelector: `metadata.name=${escapeSelectorValue(nodeName)}`,
    protobuf: NODE,
    shape: fields({
      metadata: fields({ name: whole, uid: whole, deletionTimestamp: whole, labels }),
      spec: fields({
        podCIDR: whole,
        podCIDRs: whole,
        taints: listOf(fields({ key: whole, value: whole, effect: whole })),
      }),
      status: fields({ addresses: listOf(fields({ type: whole, address: whole })) }),
    }),
  };
}

export const SERVICE_CIDRS: WatchedResource = {
  name: 'servicecidrs',
  kind: 'ServiceCIDR',
  apiVersion: 'networking.k8s.io/v1',
  group: 'networking.k8s.io',
  path: '/apis/networking.k8s.io/v1/servicecidrs',
  optional: true,
  without: 'packets to addresses of the Service networks that no Service has are not dropped',
  protobuf: SERVICE_CIDR,
  shape: fields({ metadata: fields({ name: whole }), spec: fields({ cidrs: whole }) }),
};

function escapeSelectorValue(value: string): string {
  return value.replace(/[\\,=]/g, (character) => `\\${character}`);
}
