import type { CaseFlow, CaseObject, ConformanceCase, FlowExpectation } from './conformance-case.js';

/** A row of core's `test-data/policy-flows.json`. */
export interface PolicyRow {
  readonly id: string;
  readonly state: string;
  readonly to: readonly ('clusterIP' | 'nodePort' | 'externalIP' | 'loadBalancerIP')[];
  readonly policy: 'Cluster' | 'Local';
  /** `L` local or `R` remote, with `t` terminating and serving, `x` terminating, `u` not ready. */
  readonly endpoints: readonly string[];
  readonly detector: boolean;
  readonly masqueradeAll: boolean;
  readonly expect: Readonly<Record<'P' | 'H' | 'N' | 'X', string>>;
}

/** The columns: a pod that is no endpoint, the endpoint itself, a process on the node, an external client. */
const CLIENTS = { P: 'pod3', H: 'pod1', N: 'node', X: 'client' } as const;

/** Converts a row to a case. `service` is the Service with every kind of frontend, without its policy. */
export function policyCase(row: PolicyRow, service: CaseObject): ConformanceCase {
  const field = row.to.includes('clusterIP') ? 'internalTrafficPolicy' : 'externalTrafficPolicy';
  const hosts = hostsOf(row.endpoints);
  const variant = [row.detector ? '' : ', no detector', row.masqueradeAll ? ', masqueradeAll' : ''].join('');
  return {
    id: row.id,
    title: `${field} ${row.policy}, ${row.state}${variant}`,
    spec: [row.id],
    quick: !row.id.includes('/'),
    families: ['IPv4', 'IPv6'],
    protocols: ['TCP', 'UDP'],
    needs: [],
    options: {
      ...(row.masqueradeAll ? { masqueradeAll: true } : {}),
      ...(row.detector ? {} : { localTrafficDetection: { kind: 'none' } }),
    },
    steps: [
      {
        apply: [
          { ...service, spec: { ...(service.spec as object), [field]: row.policy } },
          {
            apiVersion: 'discovery.k8s.io/v1',
            kind: 'EndpointSlice',
            metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
            addressType: '${family}',
            ports: [{ protocol: '${protocol}', port: 8080 }],
            endpoints: row.endpoints.map((token, index) => endpointOf(token, hosts[index] ?? '')),
          },
        ],
      },
      {
        flows: row.to.flatMap((to) =>
          (['P', 'H', 'N', 'X'] as const).flatMap((column): CaseFlow[] => {
            const text = row.expect[column];
            return text === 'n/a'
              ? []
              : [
                  {
                    from: CLIENTS[column],
                    to: to === 'nodePort' ? '${node}' : `\${${to}}`,
                    port: to === 'nodePort' ? '${nodePort}' : 80,
                    spec: `${row.id}/${column}`,
                    expect: expectationOf(text, row.endpoints, hosts),
                  },
                ];
          }),
        ),
      },
    ],
  };
}

/** Local endpoints are `pod1`, `pod2`, …, remote ones `remote-pod1`, …, in the order of the row. */
function hostsOf(tokens: readonly string[]): readonly string[] {
  const count = { L: 0, R: 0 };
  return tokens.map((token) => {
    const where = token.startsWith('L') ? 'L' : 'R';
    count[where] += 1;
    return `${where === 'L' ? 'pod' : 'remote-pod'}${count[where]}`;
  });
}

function endpointOf(token: string, host: string): object {
  const ready = token.length === 1;
  return {
    addresses: [`\${${host}}`],
    nodeName: token.startsWith('L') ? 'node1' : 'node2',
    conditions: {
      ready,
      serving: ready || token.endsWith('t'),
      terminating: token.endsWith('t') || token.endsWith('x'),
    },
  };
}

/** Reads the notation of the policy tables: `L*+R`, `Lt+Rt M`, `REJECT`, `DROP`. */
function expectationOf(text: string, tokens: readonly string[], hosts: readonly string[]): FlowExpectation {
  if (text === 'REJECT' || text === 'DROP') {
    return text === 'REJECT' ? 'refused' : 'dropped';
  }
  const all = text.endsWith(' M');
  const sources = new Map<string, 'kept' | 'node'>();
  for (const part of text.replace(/ M$/, '').split('+')) {
    const token = part.replace('*', '');
    // Hairpin traffic: the chosen endpoint is the client itself.
    const self = part.endsWith('*');
    tokens.forEach((candidate, index) => {
      if (candidate === token) {
        sources.set(hosts[index] ?? '', all || self ? 'node' : 'kept');
      }
    });
  }
  const seen = [...new Set(sources.values())];
  return { by: [...sources.keys()], source: seen.length === 1 && seen[0] ? seen[0] : Object.fromEntries(sources) };
}
