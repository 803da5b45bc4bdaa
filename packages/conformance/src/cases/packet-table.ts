import type { IPFamily } from '@kube-proxier/core';
import type {
  Capability,
  CaseFlow,
  CaseObject,
  CaseOptions,
  ConformanceCase,
  FlowExpectation,
} from './conformance-case.js';

/** A row of core's `test-data/packet-flows.json`. */
export interface PacketRow {
  readonly id: string;
  readonly case: string;
  readonly family?: IPFamily;
  readonly service: {
    readonly vips: readonly string[];
    readonly ipMode?: string;
    readonly sessionAffinity?: string;
    readonly [field: string]: unknown;
  };
  readonly endpoints: readonly Readonly<Record<string, unknown>>[] | null;
  readonly slicePorts?: readonly unknown[];
  readonly serviceCIDRs?: readonly string[];
  readonly detector?: unknown;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly packet: {
    readonly source: string;
    readonly destination: string;
    readonly port: number;
    readonly protocol?: string;
  };
  readonly expect: {
    readonly outcome: 'forwarded' | 'refused' | 'dropped' | 'passed-on';
    readonly endpoints?: readonly string[];
    readonly masqueraded?: boolean | readonly boolean[];
  };
}

/** Hosts for the addresses of rows, and values for other words; see `cases/packet-tables.yaml`. */
export interface PacketTableWords {
  readonly hosts: Readonly<Record<string, string>>;
  readonly words: Readonly<Record<string, string>>;
}

/** Converts rows to cases: rows with equal objects and options become one case with a flow each. */
export function packetCases(rows: readonly PacketRow[], words: PacketTableWords): ConformanceCase[] {
  const groups = new Map<string, PacketRow[]>();
  for (const row of rows) {
    // The kit does not require Perl, which the sandbox needs for SCTP.
    if (row.packet.protocol !== 'SCTP') {
      const { id: _id, case: _case, packet: _packet, expect: _expect, ...rest } = row;
      const key = JSON.stringify([rest, /^[A-Z]+-[A-Z]*/.exec(row.id)?.[0]]);
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
  }
  const taken = new Map<string, number>();
  return [...groups.values()].map((group) => {
    const first = group[0] as PacketRow;
    const base = taken.has(first.id) ? `${first.id}/${slug(sharedTitle(group))}` : first.id;
    const number = (taken.get(base) ?? 0) + 1;
    taken.set(base, number);
    return packetCase(number === 1 ? base : `${base}-${number}`, group, words);
  });
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The common prefix of the titles of all rows, cut at the end of a part. */
function sharedTitle(group: readonly PacketRow[]): string {
  const [first = '', ...rest] = group.map((row) => row.case);
  let end = first.length;
  for (const other of rest) {
    let same = 0;
    while (same < end && other[same] === first[same]) {
      same += 1;
    }
    end = same;
  }
  if (end === first.length) {
    return first;
  }
  const shared = first.slice(0, end);
  const cut = Math.max(shared.lastIndexOf(','), shared.lastIndexOf(':'));
  return cut > 0 ? shared.slice(0, cut) : shared.trim() || first;
}

function packetCase(id: string, group: readonly PacketRow[], { hosts, words }: PacketTableWords): ConformanceCase {
  const first = group[0] as PacketRow;
  const translate = <T>(value: T): T => replaceWords(value, { ...placeholdersOf(hosts), ...words });
  const { vips, ipMode, ...spec } = first.service;
  const family = first.family ?? 'IPv4';
  const objects: CaseObject[] = [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { healthCheckNodePort: '${healthPort}', ...spec },
      ...(vips.length === 0
        ? {}
        : { status: { loadBalancer: { ingress: vips.map((ip) => ({ ip, ...(ipMode ? { ipMode } : {}) })) } } }),
    },
    ...(first.endpoints === null ? [] : [sliceOf(first, family)]),
    ...(first.serviceCIDRs
      ? [{ kind: 'ServiceCIDR' as const, metadata: { name: 'kubernetes' }, spec: { cidrs: first.serviceCIDRs } }]
      : []),
  ];
  const options = {
    ...first.options,
    ...(first.detector === undefined
      ? family === 'IPv6'
        ? { localTrafficDetection: { kind: 'none' } }
        : {}
      : { localTrafficDetection: first.detector === 'none' ? { kind: 'none' } : first.detector }),
  } as CaseOptions;
  const affinity = first.service.sessionAffinity === 'ClientIP';
  const spoken = [...new Set(group.map((row) => row.id))];
  return {
    id,
    title: sharedTitle(group),
    spec: spoken,
    quick: true,
    families: [family],
    protocols: ['TCP'],
    needs: [],
    options: translate(options),
    steps: [
      { apply: translate(objects) },
      { flows: group.map((row) => translateFlow(row, affinity, hosts, translate)) },
    ],
  };
}

function sliceOf(row: PacketRow, family: IPFamily): CaseObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: family,
    ports: row.slicePorts ?? [{ name: 'p80', protocol: 'TCP', port: 80 }],
    endpoints: (row.endpoints ?? []).map(({ address, node, ready = true, serving = ready, terminating = false }) => ({
      addresses: [address],
      conditions: { ready, serving, terminating },
      ...(node === undefined ? {} : { nodeName: node }),
    })),
  };
}

function translateFlow(
  row: PacketRow,
  affinity: boolean,
  hosts: Readonly<Record<string, string>>,
  translate: <T>(value: T) => T,
): CaseFlow {
  const { source, destination, port, protocol } = row.packet;
  const [from = 'node', address] = (hosts[source] ?? '').split(' ');
  const loopback = source === '127.0.0.1' || source === '::1';
  const byInterface = JSON.stringify(row.detector ?? '').includes('interface') && from.startsWith('pod');
  const needs: Capability[] = [
    ...(loopback && row.expect.outcome === 'forwarded' ? [localhostCapability(source)] : []),
    ...(byInterface ? (['detectsInterfaces'] as const) : []),
  ];
  return {
    from: loopback || from === '' ? 'node' : from,
    ...(loopback ? { source } : address === undefined && from !== '' ? {} : { source: translate(address ?? source) }),
    to: translate(destination),
    port: translate({ port }).port,
    ...(protocol === 'UDP' ? { protocol } : {}),
    spec: `${row.id} ${row.case}`,
    ...(needs.length > 0 ? { needs } : {}),
    expect: expectationOf(row, affinity, hosts),
  };
}

function localhostCapability(source: string): Capability {
  return source === '::1' ? 'localhostNodePortsIPv6' : 'localhostNodePorts';
}

function expectationOf(
  { expect }: PacketRow,
  affinity: boolean,
  hosts: Readonly<Record<string, string>>,
): FlowExpectation {
  if (expect.outcome !== 'forwarded') {
    return expect.outcome === 'passed-on' ? 'untouched' : expect.outcome;
  }
  const by = (expect.endpoints ?? []).map((key) => {
    const address = key.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    return hosts[address] ?? address;
  });
  const { masqueraded } = expect;
  const source =
    typeof masqueraded === 'boolean'
      ? masqueraded
        ? 'node'
        : 'kept'
      : Object.fromEntries(by.map((host, index) => [host, masqueraded?.[index] ? 'node' : 'kept'] as const));
  return { by, source, ...(affinity ? { one: 'first' } : {}) };
}

function placeholdersOf(hosts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(hosts).map(([address, host]) => {
      const [name, placeholder] = host.split(' ');
      return [address, placeholder ?? `\${${name}}`];
    }),
  );
}

/** Replaces strings and numbers of the list, and space-separated words in longer strings. */
function replaceWords<T>(value: T, words: Readonly<Record<string, string>>): T {
  const replace = (part: unknown): unknown => {
    if (typeof part === 'string' || typeof part === 'number') {
      const text = String(part);
      const found = words[text.trim()];
      return found === undefined ? part : text.replace(text.trim(), () => found);
    }
    if (Array.isArray(part)) {
      return part.map(replace);
    }
    return typeof part === 'object' && part !== null
      ? Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, replace(inner)]))
      : part;
  };
  return replace(value) as T;
}
