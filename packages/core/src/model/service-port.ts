import type { ServicePortKey, ServicePortName } from './service-port-name.js';
import type { WhenEndpointGoes } from './when-endpoint-goes.js';

/** `Cluster`: endpoints on all nodes may be used. `Local`: those on this node only. */
export type TrafficPolicy = 'Cluster' | 'Local';

/**
 * One port of one Service for one IP family: validated facts from the object, without decisions (spec K-10…K-27).
 *
 * Backends do not use this for decisions: those are in {@link ResolvedServicePort}. It serves for names and
 * explanations.
 */
export interface ServicePort {
  /** Its key in every map. */
  readonly key: ServicePortKey;
  readonly name: ServicePortName;
  /** Cluster IP of this family. */
  readonly clusterIP: string;
  /** 1…65535. */
  readonly port: number;
  /** The last port of its range, greater than `port`; undefined without a range (spec PR-1). */
  readonly lastPort?: number | undefined;
  /** 1…65535, or 0 for none. */
  readonly nodePort: number;
  readonly externalIPs: readonly string[];
  /** `status.loadBalancer.ingress[].ip` whose `ipMode` is absent or `VIP`. */
  readonly loadBalancerVIPs: readonly string[];
  /**
   * Networks that may use the load balancer VIPs, canonical, this family only. Undefined: all. Empty: none (ranges were
   * given, and none of them could be parsed).
   */
  readonly loadBalancerSourceRanges: readonly string[] | undefined;
  readonly externalTrafficPolicy: TrafficPolicy;
  readonly internalTrafficPolicy: TrafficPolicy;
  /** Session affinity timeout in seconds; undefined for no session affinity. */
  readonly affinitySeconds: number | undefined;
  /** 1…65535 for a LoadBalancer with external policy Local, else 0. */
  readonly healthCheckNodePort: number;
  /** Milliseconds since the epoch; the older of two Services that claim an address keeps it. */
  readonly createdAt: number;
  /** Seconds that an endpoint takes from first ready to its whole share; undefined for no slow start. */
  readonly slowStartSeconds: number | undefined;
  /** What happens to established TCP connections when their endpoint is gone (spec R-1). */
  readonly whenEndpointGoes: WhenEndpointGoes;
  /** Annotations of the Service whose keys belong to this project (`kube-proxier.io/…`), for backends' own options. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Whether packets from outside the cluster can be addressed to it (spec K-20). */
export function isExternallyAccessible(port: ServicePort): boolean {
  return port.nodePort !== 0 || port.loadBalancerVIPs.length > 0 || port.externalIPs.length > 0;
}
