import { cidrContains } from '../model/address.js';
import type { AddressOverlap, AddressOverlapKind } from '../model/address-overlap.js';
import type { Frontend } from '../model/frontend.js';

/** The addresses of the cluster other than those of Services. All canonical, of one family. */
export interface ClusterAddresses {
  /** Of this node: from its Node object, and of its interfaces as far as they are known. */
  readonly node: ReadonlySet<string>;
  readonly podNetworks: readonly string[];
  readonly serviceNetworks: readonly string[];
}

const NONE: readonly AddressOverlap[] = [];

/** Whether a user assigned the frontend's address: an external IP or a load balancer IP. */
export function hasExternalAddress(frontend: Frontend): frontend is Frontend & { readonly address: string } {
  return frontend.kind === 'ExternalIP' || frontend.kind === 'LoadBalancerIP';
}

/** What an address overlaps with; undefined when it overlaps with nothing known. Pure. */
export function overlapOf(address: string, addresses: ClusterAddresses): AddressOverlapKind | undefined {
  if (addresses.node.has(address)) {
    return 'node-address';
  }
  if (addresses.podNetworks.some((network) => cidrContains(network, address))) {
    return 'pod-network';
  }
  return addresses.serviceNetworks.some((network) => cidrContains(network, address)) ? 'service-network' : undefined;
}

/** The overlaps of a service port's external frontends. Pure. */
export function overlapsOf(
  frontends: readonly Frontend[],
  addresses: ClusterAddresses,
  served: boolean,
): readonly AddressOverlap[] {
  const found = frontends.flatMap((frontend): AddressOverlap[] => {
    if (!hasExternalAddress(frontend)) {
      return [];
    }
    const { key, kind, address, port } = frontend;
    const overlaps = overlapOf(address, addresses);
    return overlaps === undefined ? [] : [{ frontend: key, kind, address, port, overlaps, served }];
  });
  return found.length === 0 ? NONE : found;
}
