import {
  CILIUM_SLICE_WEIGHT_ANNOTATION,
  ENDPOINT_WEIGHTS_ANNOTATION,
  SLICE_WEIGHT_ANNOTATION,
} from '../model/endpoint-weights.js';

/**
 * The parts of Kubernetes API objects that a service proxy reads, as the API server sends them.
 *
 * Every field is optional and every type is structural: an object from `JSON.parse`, from a YAML file or from
 * `@kubernetes/client-node` (`V1Service`, `V1EndpointSlice`, `V1Node`) can be passed unchanged. Nothing here is
 * trusted; {@link ObjectReader} converts it to validated definitions.
 */
export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** RFC 3339, or the `Date` that client-node creates. */
  readonly creationTimestamp?: string | Date;
  readonly deletionTimestamp?: string | Date;
}

/** `v1.Service`: the fields in use (spec K-10…K-27). */
export interface Service {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly ipFamilies?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly ports?: readonly {
      readonly name?: string;
      readonly protocol?: string;
      readonly port?: number;
      readonly targetPort?: number | string | object;
      readonly nodePort?: number;
      readonly appProtocol?: string;
    }[];
    readonly sessionAffinity?: string;
    readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
    readonly externalTrafficPolicy?: string;
    readonly internalTrafficPolicy?: string;
    readonly healthCheckNodePort?: number;
    readonly loadBalancerSourceRanges?: readonly string[];
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string; readonly ipMode?: string }[];
    };
  };
}

/** `discovery.k8s.io/v1.EndpointSlice`: the fields in use (spec K-30…K-40). */
export interface EndpointSlice {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly addressType?: string;
  readonly ports?: readonly {
    readonly name?: string | null;
    readonly protocol?: string | null;
    readonly port?: number | null;
    readonly appProtocol?: string | null;
  }[];
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[];
    readonly conditions?: {
      readonly ready?: boolean | null;
      readonly serving?: boolean | null;
      readonly terminating?: boolean | null;
      /** Why it is not ready. Not a field of Kubernetes: health checks of this project set it. */
      readonly reason?: string;
    };
    readonly nodeName?: string;
    readonly zone?: string;
    readonly hostname?: string;
    readonly targetRef?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
    readonly hints?: {
      readonly forZones?: readonly { readonly name?: string }[];
      readonly forNodes?: readonly { readonly name?: string }[];
    };
  }[];
}

/** `v1.Node`: the fields in use (spec W-10, W-22, H-6). */
export interface Node {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly { readonly key?: string; readonly value?: string; readonly effect?: string }[];
  };
  readonly status?: { readonly addresses?: readonly { readonly type?: string; readonly address?: string }[] };
}

/** `networking.k8s.io/v1.ServiceCIDR`: the fields in use (spec W-3). */
export interface ServiceCIDR {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
  readonly spec?: { readonly cidrs?: readonly string[] };
}

/** The label that names the Service an EndpointSlice belongs to. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
/** A Service that carries this label, with any value, belongs to another proxy (spec W-1). */
export const SERVICE_PROXY_NAME_LABEL = 'service.kubernetes.io/service-proxy-name';
/** A Service or EndpointSlice that carries this label, with any value, has no cluster IP to program (spec W-2). */
export const HEADLESS_SERVICE_LABEL = 'service.kubernetes.io/headless';
/** The Node label that names the node's zone (spec W-10). */
export const TOPOLOGY_ZONE_LABEL = 'topology.kubernetes.io/zone';
/** The EndpointSlice annotation with the time of the change that caused it (RFC 3339, spec K-40). */
export const LAST_CHANGE_TRIGGER_TIME_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';
/** The annotations of an EndpointSlice that core reads. */
export const ENDPOINT_SLICE_ANNOTATIONS: readonly string[] = [
  LAST_CHANGE_TRIGGER_TIME_ANNOTATION,
  ENDPOINT_WEIGHTS_ANNOTATION,
  SLICE_WEIGHT_ANNOTATION,
  CILIUM_SLICE_WEIGHT_ANNOTATION,
];
