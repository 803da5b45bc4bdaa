import { diffStates } from '@kube-proxier/core';
import { makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { NftablesPlanner } from '../plan/nftables-planner.js';
import { renderTransaction } from '../plan/nftables-transaction.js';

/** The table of a small cluster that has every kind of chain, as it is written at first; without rule tags. */
export function layoutSample(): string {
  const local = { address: '10.244.0.11', node: 'node1' };
  const remote = { address: '10.244.7.21', node: 'node2' };
  const state = resolveObjects(
    {
      services: [
        makeService('plain', { clusterIP: '10.96.0.10' }),
        makeService('empty', { clusterIP: '10.96.0.11', externalIPs: ['198.51.100.11'] }),
        makeService('sticky', { clusterIP: '10.96.0.12', sessionAffinity: 'ClientIP' }),
        makeService(
          'full',
          {
            type: 'LoadBalancer',
            clusterIP: '10.96.0.13',
            ports: [{ port: 53, protocol: 'UDP', nodePort: 30_053 }],
            externalTrafficPolicy: 'Local',
            healthCheckNodePort: 32_000,
            loadBalancerSourceRanges: ['203.0.113.0/24', '203.0.113.7/32'],
          },
          { status: { loadBalancer: { ingress: [{ ip: '198.51.100.13' }] } } },
        ),
      ],
      slices: [
        makeSlice('plain', [local, remote]),
        makeSlice('sticky', [remote, { ...remote, address: '10.244.7.22' }]),
        makeSlice('full', [local, remote], { ports: [{ name: '', protocol: 'UDP', port: 5353 }] }),
      ],
      node: {
        metadata: { name: 'node1' },
        status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
      },
      serviceCIDRs: ['10.96.0.0/12'],
    },
    {
      localTrafficDetection: { kind: 'source-cidr', cidr: '10.244.0.0/16' },
      nodePortAddresses: { kind: 'primary' },
      localhostNodePorts: false,
    },
  );
  const transaction = new NftablesPlanner({ masqueradeBit: 14 }).plan(state, diffStates(undefined, state));
  return transaction === undefined ? '' : renderTransaction(transaction).replace(/ comment "[0-9a-f]+"/g, '');
}
