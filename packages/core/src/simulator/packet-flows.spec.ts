import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { LocalTrafficDetector } from '../model/proxy-state.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import {
  type EndpointDescription,
  makeService,
  makeSlice,
  type ResolveOptions,
  resolveObjects,
} from '../testing/index.js';
import { servicePortKeyFrom } from '../testing/keys.js';
import { type Packet, type Simulation, simulatePacket } from './simulate-packet.js';

function load<Row>(file: string): readonly Row[] {
  const text = readFileSync(new URL(`../../test-data/${file}`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { rows: readonly Row[] }).rows;
}

const NODE_ADDRESSES = ['192.168.0.2', '192.168.1.2', '2001:db8::2', '2001:db8:1::2'];
const LOCAL_ADDRESSES = ['127.0.0.1', '::1', ...NODE_ADDRESSES];
const NODE: Node = {
  metadata: { name: 'node1' },
  status: { addresses: ['192.168.0.2', '2001:db8::2'].map((address) => ({ type: 'InternalIP', address })) },
};
const POD_DETECTOR: LocalTrafficDetector = { kind: 'source-cidr', cidr: '10.0.0.0/8' };

/** The notation of an outcome in the data files. */
function summary({ outcome }: Simulation) {
  if (outcome.kind !== 'forwarded') {
    return { outcome: outcome.kind };
  }
  const masqueraded = outcome.choices.map((choice) => choice.masqueraded);
  expect(outcome.choices.reduce((sum, choice) => sum + choice.probability, 0)).toBeCloseTo(1);
  return {
    outcome: outcome.kind,
    endpoints: outcome.choices.map(({ endpoint }) => endpoint.key),
    masqueraded: masqueraded.every((one) => one === masqueraded[0]) ? masqueraded[0] : masqueraded,
    ...(outcome.affinitySeconds === undefined ? {} : { affinitySeconds: outcome.affinitySeconds }),
  };
}

interface PolicyRow {
  readonly id: string;
  readonly to: readonly ('clusterIP' | 'nodePort' | 'externalIP' | 'loadBalancerIP')[];
  readonly policy: 'Cluster' | 'Local';
  readonly endpoints: readonly string[];
  readonly detector: boolean;
  readonly masqueradeAll: boolean;
  readonly expect: Readonly<Record<'P' | 'H' | 'N' | 'X', string>>;
}

describe('policy tables', () => {
  const rows = load<PolicyRow>('policy-flows.json');
  const address = (token: string, index: number) => `10.0.${token.startsWith('L') ? 1 : 2}.${index + 1}`;
  const endpointOf = (token: string, index: number): EndpointDescription => ({
    address: address(token, index),
    node: token.startsWith('L') ? 'node1' : 'node2',
    ready: token.length === 1,
    serving: token.length === 1 || token.endsWith('t'),
    terminating: token.endsWith('t') || token.endsWith('x'),
  });
  const destinations = {
    clusterIP: ['172.30.0.41', 80],
    nodePort: ['192.168.0.2', 3001],
    externalIP: ['192.168.99.22', 80],
    loadBalancerIP: ['1.2.3.4', 80],
  } as const;

  test('hold for every cell', () => {
    let cells = 0;
    const wrong: string[] = [];
    for (const row of rows) {
      const policy = { internalTrafficPolicy: 'Cluster', externalTrafficPolicy: 'Cluster' };
      // The other policy must have no effect, so it is set both ways.
      for (const other of ['Cluster', 'Local']) {
        const policies = row.to.includes('clusterIP')
          ? { ...policy, internalTrafficPolicy: row.policy, externalTrafficPolicy: other }
          : { ...policy, externalTrafficPolicy: row.policy, internalTrafficPolicy: other };
        const service = makeService(
          'svc',
          {
            type: 'LoadBalancer',
            clusterIP: '172.30.0.41',
            externalIPs: ['192.168.99.22'],
            ports: [{ port: 80, nodePort: 3001 }],
            healthCheckNodePort: 3002,
            ...policies,
          },
          { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } },
        );
        const state = resolveObjects(
          { services: [service], slices: [makeSlice('svc', row.endpoints.map(endpointOf))], node: NODE },
          {
            masqueradeAll: row.masqueradeAll,
            localTrafficDetection: row.detector ? POD_DETECTOR : { kind: 'none' },
          },
        );
        const self = row.endpoints.findIndex((token) => token === 'L' || token === 'Lt');
        const sources = { P: '10.0.9.9', H: address('L', self), N: '192.168.0.2', X: '203.0.113.2' };
        for (const to of row.to) {
          for (const client of ['P', 'H', 'N', 'X'] as const) {
            if (row.expect[client] === 'n/a') {
              continue;
            }
            const [destination, port] = destinations[to];
            const packet: Packet = { source: sources[client], destination, port, protocol: 'TCP' };
            const { outcome } = simulatePacket(state, packet);
            const actual =
              outcome.kind === 'forwarded'
                ? outcome.choices
                    .map(({ endpoint, masqueraded }) => {
                      const index = Number(endpoint.address.split('.')[3]) - 1;
                      return `${row.endpoints[index]}${masqueraded ? ' M' : ''}`;
                    })
                    .join('+')
                : outcome.kind === 'refused'
                  ? 'REJECT'
                  : 'DROP';
            const text = row.expect[client];
            const all = text.endsWith(' M');
            const wanted = text
              .replace(/ M$/, '')
              .split('+')
              .map((token) =>
                token === 'REJECT' || token === 'DROP'
                  ? token
                  : `${token.replace('*', '')}${all || token.endsWith('*') ? ' M' : ''}`,
              )
              .join('+');
            cells += 1;
            if (actual !== wanted) {
              wrong.push(`${row.id}/${client} to ${to}: expected ${wanted}, got ${actual}`);
            }
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    console.info(`policy tables: ${rows.length} rows, ${cells} packets as specified`);
    expect(cells).toBe(2688);
  });
});

interface TopologyRow {
  readonly id: string;
  readonly case: string;
  readonly endpoints:
    | readonly (Omit<EndpointDescription, 'address'> & { readonly id: string; readonly local?: boolean })[]
    | null;
  readonly expect: {
    readonly cluster: readonly string[] | null;
    readonly local: readonly string[] | null;
    readonly hasAny: boolean;
  };
  readonly zone?: string;
  readonly node?: string;
  readonly internal?: string;
  readonly external?: string;
  readonly nodePort?: boolean;
  readonly nodeTopologyHints?: boolean;
}

describe('topology and policy', () => {
  const rows = load<TopologyRow>('topology.json');

  test('all 32 rows exist', () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, index) => `TOP-${index + 1}`));
  });

  test.each(rows.map((row) => [row.id, row.case, row] as const))('%s %s', (_id, _case, row) => {
    const nodeName = row.node ?? 'node1';
    const service = makeService('svc', {
      type: row.nodePort ? 'NodePort' : 'ClusterIP',
      ports: [{ port: 80, ...(row.nodePort ? { nodePort: 30080 } : {}) }],
      ...(row.internal ? { internalTrafficPolicy: row.internal } : {}),
      ...(row.external ? { externalTrafficPolicy: row.external } : {}),
    });
    const slices = row.endpoints
      ? [
          makeSlice(
            'svc',
            row.endpoints.map(({ id, local, ...rest }) => ({
              ...rest,
              address: `10.1.2.1${id}`,
              node: local ? nodeName : 'elsewhere',
            })),
          ),
        ]
      : [];
    const node: Node = {
      metadata: { name: nodeName, labels: row.zone === undefined ? {} : { 'topology.kubernetes.io/zone': row.zone } },
    };
    const state = resolveObjects(
      { services: [service], slices, node },
      { nodeName, ...(row.nodeTopologyHints === undefined ? {} : { nodeTopologyHints: row.nodeTopologyHints }) },
    );
    const port = state.servicePorts.get(servicePortKeyFrom('default/svc:/TCP'));
    const ids = (endpoints: readonly { readonly address: string }[] | undefined) =>
      endpoints?.map(({ address }) => address.slice('10.1.2.1'.length));
    expect(ids(port?.cluster)).toEqual(row.expect.cluster ?? []);
    expect(ids(port?.local)).toEqual(row.expect.local ?? []);
    const refused = port?.frontends.every(({ routes }) => routes.every(({ action }) => action === 'reject'));
    expect(!refused).toBe(row.expect.hasAny);
  });
});

interface FlowRow {
  readonly id: string;
  readonly case: string;
  readonly family?: 'IPv4' | 'IPv6';
  readonly service: Omit<NonNullable<Service['spec']>, 'vips'> & {
    readonly vips: readonly string[];
    readonly ipMode?: string;
  };
  readonly endpoints: readonly EndpointDescription[] | null;
  readonly slicePorts?: EndpointSlice['ports'];
  readonly serviceCIDRs?: readonly string[];
  readonly detector?: 'none' | LocalTrafficDetector;
  readonly options?: Partial<ProxierOptions>;
  readonly packet: Omit<Packet, 'protocol'> & { readonly protocol?: Packet['protocol'] };
  readonly expect: object;
}

describe('packet flows', () => {
  const rows = load<FlowRow>('packet-flows.json');

  test.each(rows.map((row) => [row.id, row.case, row] as const))('%s %s', (_id, _case, row) => {
    const { vips, ipMode, ...spec } = row.service;
    const family = row.family ?? 'IPv4';
    const service = makeService(
      'svc',
      { healthCheckNodePort: 3002, ...spec },
      {
        status: { loadBalancer: { ingress: vips.map((ip) => ({ ip, ...(ipMode ? { ipMode } : {}) })) } },
      },
    );
    const ports = row.slicePorts ?? [{ name: 'p80', protocol: 'TCP', port: 80 }];
    const slices = row.endpoints ? [makeSlice('svc', row.endpoints, { ports, addressType: family })] : [];
    const options: ResolveOptions = {
      family,
      localTrafficDetection:
        row.detector === 'none'
          ? { kind: 'none' }
          : (row.detector ?? (family === 'IPv4' ? POD_DETECTOR : { kind: 'none' })),
      ...row.options,
    };
    const state = resolveObjects(
      {
        services: [service],
        slices,
        node: NODE,
        localAddresses: LOCAL_ADDRESSES,
        ...(row.serviceCIDRs ? { serviceCIDRs: row.serviceCIDRs } : {}),
      },
      options,
    );
    const simulation = simulatePacket(state, { protocol: 'TCP', ...row.packet }, { localAddresses: NODE_ADDRESSES });
    expect(summary(simulation)).toEqual(row.expect);
  });
});
