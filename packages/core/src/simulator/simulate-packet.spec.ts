import { describe, expect, test } from '@jest/globals';
import { makeService, makeSlice, resolveObjects } from '../testing/index.js';
import { explainSimulation, formatSimulation } from './format-simulation.js';
import { type Packet, type SimulationHost, simulatePacket } from './simulate-packet.js';

const OWN = '192.168.0.2';
const POD = '10.0.1.1';
const ELSEWHERE = '192.168.0.3';

/** The API server on a control plane node: an endpoint in the host network, next to other endpoints. */
const state = resolveObjects(
  {
    services: [makeService('default/kubernetes', { ports: [{ port: 443, protocol: 'TCP' }] })],
    slices: [
      makeSlice('default/kubernetes', [
        { address: OWN, node: 'node1' },
        { address: ELSEWHERE, node: 'node2' },
        { address: POD, node: 'node1' },
      ]),
    ],
    node: { metadata: { name: 'node1' }, status: { addresses: [{ type: 'InternalIP', address: OWN }] } },
  },
  { localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.0.0.0/8'] } },
);

const packetFrom = (source: string): Packet => ({
  source,
  destination: '10.96.0.10',
  port: 443,
  protocol: 'TCP',
});

function masqueradedTo(source: string, localAddresses?: readonly string[]): readonly string[] {
  const host = localAddresses === undefined ? {} : { localAddresses };
  const { outcome } = simulatePacket(state, packetFrom(source), host);
  const choices = outcome.kind === 'forwarded' ? outcome.choices : [];
  return choices.flatMap(({ endpoint, masqueraded }) => (masqueraded ? [endpoint.address] : [])).sort();
}

describe('an endpoint with an address of the node (spec O-11)', () => {
  test('sees the address of an external client, unlike other endpoints', () => {
    expect(masqueradedTo('203.0.113.9')).toEqual([POD, ELSEWHERE]);
    const simulation = simulatePacket(state, packetFrom('203.0.113.9'));
    expect(formatSimulation(simulation)).toContain('(masqueraded, except to addresses of this node)');
    expect(explainSimulation(simulation).steps).toContain(
      'Endpoint 192.168.0.2 is an address of this node: it sees the source 203.0.113.9, because only packets that leave the node are masqueraded.',
    );
  });

  test('sees the address of a pod, as other endpoints do', () => {
    expect(masqueradedTo('10.0.9.9')).toEqual([]);
  });

  test('gets packets of the node itself masqueraded, as other endpoints do', () => {
    expect(masqueradedTo(OWN)).toEqual([POD, OWN, ELSEWHERE]);
  });

  test('is detected by the addresses of interfaces, where these are known', () => {
    expect(masqueradedTo('203.0.113.9', [OWN, ELSEWHERE])).toEqual([POD]);
  });
});

describe('an address that is an external IP and a load balancer IP of one Service (spec F-LB-17)', () => {
  const VIP = '203.0.113.80';
  const shared = resolveObjects(
    {
      services: [
        makeService(
          'default/web',
          { type: 'LoadBalancer', externalIPs: [VIP], loadBalancerSourceRanges: ['198.51.100.0/24'] },
          { status: { loadBalancer: { ingress: [{ ip: VIP }] } } },
        ),
      ],
      slices: [makeSlice('default/web', [{ address: POD, node: 'node1' }])],
    },
    {},
  );
  const outcomeFrom = (source: string) =>
    simulatePacket(shared, { source, destination: VIP, port: 80, protocol: 'TCP' }).outcome.kind;

  test('has the source ranges of the Service', () => {
    expect(outcomeFrom('198.51.100.7')).toBe('forwarded');
    expect(outcomeFrom('192.0.2.7')).toBe('dropped');
  });
});

describe('a cluster IP that the node itself has, as with a DNS cache (spec F-CIP-11)', () => {
  const CLUSTER_IP = '10.96.0.10';
  const UNUSED_IP = '10.96.0.99';
  const dns = resolveObjects(
    {
      services: [makeService('default/dns', { clusterIP: CLUSTER_IP })],
      slices: [makeSlice('default/dns', [{ address: POD, node: 'node1' }])],
      serviceCIDRs: ['10.96.0.0/16'],
    },
    {},
  );
  const outcomeOf = (destination: string, port: number, host: SimulationHost) =>
    simulatePacket(dns, { source: '10.0.9.9', destination, port, protocol: 'TCP' }, host).outcome.kind;

  test('is served on the ports of the Service; other ports are left to the node', () => {
    const host = { localAddresses: [OWN, CLUSTER_IP, UNUSED_IP] };
    expect(outcomeOf(CLUSTER_IP, 80, host)).toBe('forwarded');
    expect(outcomeOf(CLUSTER_IP, 9253, host)).toBe('passed-on');
    expect(outcomeOf(UNUSED_IP, 9253, host)).toBe('passed-on');
    const { steps } = simulatePacket(
      dns,
      { source: '10.0.9.9', destination: CLUSTER_IP, port: 9253, protocol: 'TCP' },
      host,
    );
    expect(steps.join(' ')).toContain('also an address of this node');
  });

  test('is refused on other ports where the node does not have it, or the mode assigned it', () => {
    expect(outcomeOf(CLUSTER_IP, 9253, { localAddresses: [OWN] })).toBe('refused');
    expect(outcomeOf(UNUSED_IP, 9253, { localAddresses: [OWN] })).toBe('dropped');
    const localAddresses = [OWN, CLUSTER_IP];
    expect(outcomeOf(CLUSTER_IP, 9253, { localAddresses, clusterIPsOfNode: false })).toBe('refused');
  });
});
