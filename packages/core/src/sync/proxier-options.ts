import type { LocalhostNodePorts, NodePortAddressSelection } from '../model/node-port-addresses.js';
import type { PortRangeSupport } from '../model/port-range.js';
import type { LocalTrafficDetector } from '../model/proxy-state.js';
import type { Protocol } from '../model/service-port-name.js';

/** How packets of pods are detected (spec K-60). `node-cidr` follows `spec.podCIDRs` of the Node. */
export type LocalTrafficDetection =
  | LocalTrafficDetector
  /** The first network of each family (spec K-62). */
  | { readonly kind: 'cluster-cidr'; readonly cidrs: readonly string[] }
  | { readonly kind: 'node-cidr' };

/** The options of every proxier, for any backend. Defaults are {@link DEFAULT_PROXIER_OPTIONS}. */
export interface ProxierOptions {
  /** This node's name, as in EndpointSlices. */
  readonly nodeName: string;
  /** The node's addresses, primary first, any family. Replaced by those of the Node object when it arrives. */
  readonly nodeAddresses: readonly string[];
  readonly localTrafficDetection: LocalTrafficDetection;
  /** Masquerade all traffic to cluster IPs. Default false. */
  readonly masqueradeAll: boolean;
  /** Bit of the packet mark that requests masquerading, 0…31. Default 14. */
  readonly masqueradeBit: number;
  readonly nodePortAddresses: NodePortAddressSelection;
  /**
   * Serve NodePorts on 127.0.0.0/8, where `nodePortAddresses` includes it and the backend supports it. Default true. A host gives
   * the proxier of IPv6 its own value (`optionsOfFamily`): ::1 has NodePorts only where it is listed.
   */
  readonly localhostNodePorts: LocalhostNodePorts;
  /** Follow EndpointSlice hints for nodes (gate PreferSameTrafficDistribution). Default true. */
  readonly nodeTopologyHints: boolean;
  /** Count connections to every Service without an annotation for it, as far as the backend can. Default false. */
  readonly countConnections: boolean;
  /**
   * Count packets and bytes of every Service without an annotation for it, where the backend does not count them with the
   * connections. Default false.
   */
  readonly countTraffic: boolean;
  /**
   * Which port ranges of Services are served; only the first port of other ranges is. A host sets it to the capability
   * of its backend (`optionsOfFamily`). Default `any`.
   */
  readonly portRanges?: PortRangeSupport;
  /**
   * Protocols that are not served: their cluster IPs refuse connections. A host sets it to what the capabilities of its
   * backend exclude (`optionsOfFamily`). Default: all are served.
   */
  readonly unservedProtocols?: readonly Protocol[];
  /**
   * Handling of external IPs and load balancer IPs that are an address of this node, or in the pod or Service networks.
   * `serve`: they are served, as kube-proxy does, with a warning. `refuse`: the frontend is not programmed. Default
   * `serve`.
   */
  readonly overlappingExternalAddresses: 'serve' | 'refuse';
  /**
   * Minimum time in milliseconds between two syncs. `adaptive`: proportional to the duration of recent syncs, so that
   * syncs use a twentieth of the time; 50 milliseconds at least, and one second at most. Default `adaptive`; kube-proxy's is 1000.
   */
  readonly minSyncPeriod: number | 'adaptive';
  /** Maximum time in milliseconds before a failed sync is retried. Default 30000. */
  readonly syncPeriod: number;
  /**
   * Milliseconds between two full syncs, which compare everything with the current state of the kernel, to find foreign
   * changes that the backend does not detect itself. Default 300000.
   */
  readonly driftCheckPeriod: number;
  /** Syncs that may follow each other without delay, before `minSyncPeriod` applies. Default 2. */
  readonly syncBurst: number;
}

/** The defaults of all options, which are kube-proxy's where it has them; the node name has none and is empty. */
export const DEFAULT_PROXIER_OPTIONS: ProxierOptions = {
  nodeName: '',
  nodeAddresses: [],
  localTrafficDetection: { kind: 'none' },
  masqueradeAll: false,
  masqueradeBit: 14,
  nodePortAddresses: { kind: 'all' },
  localhostNodePorts: true,
  nodeTopologyHints: true,
  countConnections: false,
  countTraffic: false,
  overlappingExternalAddresses: 'serve',
  minSyncPeriod: 'adaptive',
  syncPeriod: 30_000,
  driftCheckPeriod: 300_000,
  syncBurst: 2,
};
