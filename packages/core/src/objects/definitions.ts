import type { IPFamily } from '../model/address.js';
import type { WeightRule } from '../model/endpoint-weights.js';
import type { TrafficPolicy } from '../model/service-port.js';
import type { Protocol } from '../model/service-port-name.js';
import type { WhenEndpointGoes } from '../model/when-endpoint-goes.js';

/** One validated entry of `spec.ports`. */
export interface ServicePortDefinition {
  readonly portName: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** The last port of its range, greater than `port`; undefined without a range. */
  readonly lastPort?: number | undefined;
  /** 0 for none. */
  readonly nodePort: number;
}

/** The fields of a Service for one IP family. */
export interface ServiceFamilyDefinition {
  readonly clusterIP: string;
  readonly externalIPs: readonly string[];
  readonly loadBalancerVIPs: readonly string[];
  readonly loadBalancerSourceRanges: readonly string[] | undefined;
}

/** A validated Service, limited to what the proxy reads: addresses canonical, defaults applied. */
export interface ServiceDefinition {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: number;
  readonly ports: readonly ServicePortDefinition[];
  /** A family without a cluster IP is absent (spec K-11). */
  readonly families: Readonly<Partial<Record<IPFamily, ServiceFamilyDefinition>>>;
  readonly externalTrafficPolicy: TrafficPolicy;
  readonly internalTrafficPolicy: TrafficPolicy;
  readonly affinitySeconds: number | undefined;
  readonly healthCheckNodePort: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Weights of endpoints, in order of precedence. */
  readonly endpointWeights: readonly WeightRule[];
  /** Seconds from first ready to the whole weight of an endpoint; undefined for no slow start. */
  readonly slowStartSeconds: number | undefined;
  /** What happens to established TCP connections when their endpoint is gone. */
  readonly whenEndpointGoes: WhenEndpointGoes;
}

/** One validated entry of `endpoints`. */
export interface SliceEndpointDefinition {
  readonly address: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** 0…65535, from annotations of the slice; undefined where they do not name it. */
  readonly weight: number | undefined;
  /** Why it is not ready, where that is known. */
  readonly notReadyReason?: string | undefined;
  readonly nodeName: string | undefined;
  /** Name of the pod in `targetRef`, in the namespace of the slice. */
  readonly podName: string | undefined;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}

/** A validated EndpointSlice. */
export interface EndpointSliceDefinition {
  readonly namespace: string;
  readonly name: string;
  /** Name of the Service, from the label. */
  readonly serviceName: string;
  readonly family: IPFamily;
  readonly ports: readonly { readonly portName: string; readonly protocol: Protocol; readonly port: number }[];
  readonly endpoints: readonly SliceEndpointDefinition[];
  /** Milliseconds since the epoch; undefined when the slice has none. */
  readonly triggerTime: number | undefined;
}

/** A validated Node. */
export interface NodeDefinition {
  readonly name: string;
  readonly zone: string | undefined;
  /** Internal addresses first, then external ones, in listed order (spec W-22). */
  readonly addresses: readonly string[];
  /** Canonical networks. */
  readonly podCIDRs: readonly string[];
  /** The Node has a deletion timestamp. */
  readonly deleting: boolean;
  readonly taintKeys: readonly string[];
}

/** A validated ServiceCIDR. */
export interface ServiceCIDRDefinition {
  readonly name: string;
  readonly cidrs: readonly string[];
}
