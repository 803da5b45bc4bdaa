import type { Proxier } from '../contract/proxier.js';
import type { IPFamily } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import { Random } from './random.js';
import { RandomCluster } from './random-cluster.js';
import { resolveObjects } from './resolve-objects.js';

/** Addresses of the node of {@link randomNodeState}, the primary first. */
export const RANDOM_NODE_ADDRESSES: Readonly<Record<IPFamily, readonly string[]>> = {
  IPv4: ['192.168.1.10', '192.168.2.10'],
  IPv6: ['fd00:1::10', 'fd00:2::10'],
};

const CHANGES = 40;

/** The state of a random cluster on a node with two addresses and service networks. */
export function randomNodeState(seed: number, family: IPFamily, options: Partial<ProxierOptions> = {}): ProxyState {
  const cluster = new RandomCluster(new Random(seed));
  const nobody: Proxier = {
    mode: 'none',
    onServiceUpdate() {},
    onServicesSynced() {},
    onEndpointsUpdate() {},
    onEndpointsSynced() {},
    onNodeUpdate() {},
    onServiceCIDRsUpdate() {},
    sync() {},
    syncLoop: () => Promise.resolve(),
  };
  for (let change = 0; change < CHANGES; change++) {
    cluster.step(nobody);
  }
  const [primary = ''] = RANDOM_NODE_ADDRESSES[family];
  const node = { ...cluster.node, status: { addresses: [{ type: 'InternalIP', address: primary }] } };
  return resolveObjects(
    {
      ...cluster.objects,
      node,
      serviceCIDRs: ['10.96.0.0/16', 'fd00:96::/112'],
      localAddresses: [...RANDOM_NODE_ADDRESSES.IPv4, ...RANDOM_NODE_ADDRESSES.IPv6, '127.0.0.1', '::1'],
    },
    {
      family,
      nodeName: 'node1',
      localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
      ...options,
    },
  );
}
