import type { Proxier } from '../contract/proxier.js';
import type { IPFamily } from '../model/address.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import { makeService, makeSlice } from './objects.js';
import { Random } from './random.js';
import { RandomCluster } from './random-cluster.js';
import { type ClusterObjects, resolveObjects } from './resolve-objects.js';

/** Addresses of the node of {@link randomNodeState}, the primary first. */
export const RANDOM_NODE_ADDRESSES: Readonly<Record<IPFamily, readonly string[]>> = {
  IPv4: ['192.168.1.10', '192.168.2.10'],
  IPv6: ['fd00:1::10', 'fd00:2::10'],
};

const CHANGES = 40;

/** Option sets, selected by the seed in {@link randomNodeState}. */
const OPTIONS: readonly Partial<ProxierOptions>[] = [
  { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] } },
  { localTrafficDetection: { kind: 'none' } },
  { localTrafficDetection: { kind: 'interface-prefix', prefix: 'veth' } },
  { localTrafficDetection: { kind: 'interface', name: 'cni0' }, overlappingExternalAddresses: 'refuse' },
  // Includes the addresses of the node.
  { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['0.0.0.0/0', 'fd00::/8'] }, masqueradeAll: true },
];

/** The state of a random cluster on a node with two addresses and service networks; the seed chooses options too. */
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
  const objects = withHostNetwork(cluster.objects, family, primary);
  const node = { ...cluster.node, status: { addresses: [{ type: 'InternalIP', address: primary }] } };
  return resolveObjects(
    {
      ...objects,
      node,
      serviceCIDRs: ['10.96.0.0/16', 'fd00:96::/112'],
      localAddresses: [...RANDOM_NODE_ADDRESSES.IPv4, ...RANDOM_NODE_ADDRESSES.IPv6, '127.0.0.1', '::1'],
    },
    {
      family,
      nodeName: 'node1',
      ...OPTIONS[(seed - 1) % OPTIONS.length],
      ...options,
    },
  );
}

/**
 * With a Service that has endpoints in the host network of the node, of another node, and in a pod; its external IP and its load
 * balancer IP are addresses of the node.
 */
function withHostNetwork(
  { services = [], slices = [], ...rest }: ClusterObjects,
  family: IPFamily,
  address: string,
): ClusterObjects {
  const isSix = family === 'IPv6';
  const [, secondary = ''] = RANDOM_NODE_ADDRESSES[family];
  const service = makeService(
    'kube-system/host-network',
    {
      type: 'LoadBalancer',
      clusterIP: isSix ? 'fd00:96::c8' : '10.96.200.1',
      clusterIPs: [isSix ? 'fd00:96::c8' : '10.96.200.1'],
      externalIPs: [secondary],
      ports: [{ port: 443, protocol: 'TCP', nodePort: 30_443 }],
    },
    { status: { loadBalancer: { ingress: [{ ip: address }] } } },
  );
  const endpoints = [
    { address, node: 'node1' },
    { address: isSix ? 'fd00:1::20' : '192.168.1.20', node: 'node2' },
    { address: isSix ? 'fd00:244::9' : '10.244.0.9', node: 'node1' },
  ];
  const slice = makeSlice('kube-system/host-network', endpoints, {
    name: 'host-network-1',
    addressType: family,
    ports: [{ port: 6443, protocol: 'TCP' }],
  });
  return { ...rest, services: [...services, service], slices: [...slices, slice] };
}
