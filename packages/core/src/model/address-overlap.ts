import type { FrontendKey, FrontendKind } from './frontend.js';

/**
 * What an external address of a Service overlaps with. Packets to the frontend then no longer reach the other listener.
 * - `node-address`: an address of this node, where the kubelet, the API server or sshd may listen.
 * - `pod-network`: an address of the pod network.
 * - `service-network`: an address in the cluster IP networks (service CIDRs).
 */
export type AddressOverlapKind = 'node-address' | 'pod-network' | 'service-network';

/** An external IP or load balancer IP that also belongs to something else in the cluster. */
export interface AddressOverlap {
  readonly frontend: FrontendKey;
  readonly kind: FrontendKind;
  /** Canonical. */
  readonly address: string;
  /** 1…65535. */
  readonly port: number;
  readonly overlaps: AddressOverlapKind;
  /** The frontend is served nevertheless (`ProxierOptions.overlappingExternalAddresses`). */
  readonly served: boolean;
}
