import type { FrontendKey, FrontendKind } from './frontend.js';

/**
 * What an external address of a Service is besides. A packet to the frontend then no longer reaches what listens there.
 * - `node-address`: an address of this node, where the kubelet, the API server or sshd may listen.
 * - `pod-network`: an address of the pod network.
 * - `service-network`: an address of the networks that cluster IPs are taken from.
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
  /** The frontend is served all the same (`ProxierOptions.overlappingExternalAddresses`). */
  readonly served: boolean;
}
