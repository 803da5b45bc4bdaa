import type { CaseFlow, ConformanceCase, FlowExpectation } from './conformance-case.js';

/** A row of core's `test-data/topology.json`. */
export interface TopologyRow {
  readonly id: string;
  readonly case: string;
  readonly endpoints:
    | readonly {
        readonly id: string;
        readonly local?: boolean;
        readonly zones?: readonly string[];
        readonly nodes?: readonly string[];
        readonly ready?: boolean;
        readonly serving?: boolean;
        readonly terminating?: boolean;
      }[]
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

/** Converts a row to a case: each list is tested through a frontend that uses it. */
export function topologyCase(row: TopologyRow): ConformanceCase {
  const count = { pod: 0, 'remote-pod': 0 };
  const hosts = new Map(
    (row.endpoints ?? []).map(({ id, local }) => {
      const kind = local ? 'pod' : 'remote-pod';
      count[kind] += 1;
      return [id, `${kind}${count[kind]}`] as const;
    }),
  );
  // The node of the row becomes the node of the sandbox.
  const node = (name: string) => (name === row.node ? 'node1' : `other-${name}`);
  const answer = (ids: readonly string[] | null, source: 'kept' | 'node'): FlowExpectation =>
    !row.expect.hasAny
      ? 'refused'
      : ids === null || ids.length === 0
        ? 'dropped'
        : { by: ids.map((id) => hosts.get(id) ?? id), source };
  const { cluster, local } = row.expect;
  const flows: CaseFlow[] = [
    { from: 'pod3', to: '${clusterIP}', port: 80, expect: answer(row.internal === 'Local' ? local : cluster, 'kept') },
  ];
  if (row.nodePort) {
    const to = { to: '${node}', port: '${nodePort}' };
    const isLocal = row.external === 'Local';
    flows.push(
      { from: 'client', ...to, expect: answer(isLocal ? local : cluster, isLocal ? 'kept' : 'node') },
      { from: 'pod3', ...to, expect: answer(cluster, isLocal ? 'kept' : 'node') },
    );
  }
  return {
    id: row.id,
    title: `topology and policy: ${row.case}`,
    spec: [row.id],
    quick: true,
    families: ['IPv4', 'IPv6'],
    protocols: ['TCP'],
    needs: [],
    options: row.nodeTopologyHints === undefined ? {} : { nodeTopologyHints: row.nodeTopologyHints },
    steps: [
      {
        apply: [
          {
            apiVersion: 'v1',
            kind: 'Node',
            metadata: {
              name: 'node1',
              labels: row.zone === undefined ? {} : { 'topology.kubernetes.io/zone': row.zone },
            },
            status: { addresses: [{ type: 'InternalIP', address: '${node}' }] },
          },
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata: { name: 'web' },
            spec: {
              type: row.nodePort ? 'NodePort' : 'ClusterIP',
              clusterIP: '${clusterIP}',
              ports: [{ port: 80, protocol: '${protocol}', ...(row.nodePort ? { nodePort: '${nodePort}' } : {}) }],
              ...(row.internal ? { internalTrafficPolicy: row.internal } : {}),
              ...(row.external ? { externalTrafficPolicy: row.external } : {}),
            },
          },
          ...(row.endpoints === null
            ? []
            : [
                {
                  apiVersion: 'discovery.k8s.io/v1',
                  kind: 'EndpointSlice' as const,
                  metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
                  addressType: '${family}',
                  ports: [{ protocol: '${protocol}', port: 8080 }],
                  endpoints: row.endpoints.map(({ id, local: isLocal, zones, nodes, ...conditions }) => ({
                    addresses: [`\${${hosts.get(id)}}`],
                    nodeName: isLocal ? 'node1' : 'node2',
                    conditions: { ready: true, serving: conditions.ready !== false, terminating: false, ...conditions },
                    ...(zones || nodes
                      ? {
                          hints: {
                            ...(zones ? { forZones: zones.map((name) => ({ name })) } : {}),
                            ...(nodes ? { forNodes: nodes.map((name) => ({ name: node(name) })) } : {}),
                          },
                        }
                      : {}),
                  })),
                },
              ]),
        ],
      },
      { flows },
    ],
  };
}
