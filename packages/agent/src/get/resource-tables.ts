import {
  countOf,
  type FrontendView,
  formatBytes,
  formatPorts,
  formatTable,
  joinHostPort,
  type ServicePortView,
  serviceKey,
  type TrafficCount,
} from '@kube-proxier/core';
import { formatAge } from '../commands/format-age.js';

/** Resources that `kube-proxier get` prints. */
export const RESOURCES = ['services', 'endpoints', 'frontends'] as const;
export type Resource = (typeof RESOURCES)[number];

/** Other names of resources, as kubectl has them. */
const ALIASES: Readonly<Record<string, Resource>> = {
  service: 'services',
  svc: 'services',
  endpoint: 'endpoints',
  ep: 'endpoints',
  frontend: 'frontends',
};

/** The resource that a name or an alias means; undefined for an unknown one. */
export function findResource(name: string): Resource | undefined {
  return RESOURCES.find((resource) => resource === name) ?? ALIASES[name];
}

export interface TableOptions {
  /** More columns. */
  readonly wide: boolean;
  /** A column with the namespace. */
  readonly withNamespace: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Service ports as the table of a resource, as kubectl prints one. */
export function formatResources(resource: Resource, ports: readonly ServicePortView[], options: TableOptions): string {
  switch (resource) {
    case 'services':
      return servicesTable(ports, options);
    case 'endpoints':
      return endpointsTable(ports, options);
    case 'frontends':
      return frontendsTable(ports, options);
  }
}

function servicesTable(ports: readonly ServicePortView[], { wide, withNamespace, now }: TableOptions): string {
  const head = ['NAME', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'ENDPOINTS', 'AGE'];
  // Not every mode counts connections, and some count only those of Services with an annotation for it.
  const counters = wide ? countersOf(ports) : [];
  const more = wide ? ['INTERNAL', 'EXTERNAL', 'AFFINITY', 'TOPOLOGY', ...counters.map(({ head }) => head)] : [];
  const services = grouped(ports, serviceKey);
  const rows = services.map((group) => {
    const [first] = group;
    const external = unique(group.flatMap(({ externalIPs, loadBalancerIPs }) => [...loadBalancerIPs, ...externalIPs]));
    const endpoints = group.flatMap((port) => port.endpoints);
    return [
      ...(withNamespace ? [first.namespace] : []),
      first.name,
      listed(unique(group.map(({ clusterIP }) => clusterIP))),
      listed(external, '<none>'),
      listed(
        unique(
          group.map(
            ({ port, lastPort, nodePort, protocol }) =>
              `${formatPorts({ port, lastPort })}${nodePort === null ? '' : `:${nodePort}`}/${protocol}`,
          ),
        ),
      ),
      `${endpoints.filter(({ used }) => used).length}/${endpoints.length}`,
      formatAge(Math.min(...group.map(({ createdAt }) => createdAt)), now),
      ...(wide
        ? [
            first.internalTrafficPolicy,
            first.externalTrafficPolicy,
            first.affinitySeconds === null ? '<none>' : `ClientIP ${first.affinitySeconds}s`,
            first.topology === 'none' ? '<none>' : first.topology,
            ...counters.map(({ of }) => of(group)),
          ]
        : []),
    ];
  });
  return formatTable([[...(withNamespace ? ['NAMESPACE'] : []), ...head, ...more], ...rows]);
}

/** A column of what was counted. */
interface Counter {
  readonly head: string;
  /** The sum of its counts. */
  of(counts: readonly TrafficCount[]): string;
}

/** Columns of the mode's counts: not every mode counts everything, and some only for annotated Services. */
function countersOf(counts: readonly TrafficCount[]): readonly Counter[] {
  const counter = (
    head: string,
    read: (count: TrafficCount) => number | undefined,
    format: (total: number) => string,
  ): readonly Counter[] => {
    const of = (some: readonly TrafficCount[]) => {
      const counted = some.flatMap((count) => read(count) ?? []);
      return counted.length === 0 ? '<none>' : format(counted.reduce((sum, value) => sum + value, 0));
    };
    return counts.some((count) => read(count) !== undefined) ? [{ head, of }] : [];
  };
  return [
    ...counter('CONNECTIONS', ({ connections }) => connections, String),
    ...counter('TO-ENDPOINTS', ({ bytes }) => bytes?.toEndpoints, formatBytes),
    ...counter('TO-CLIENTS', ({ bytes }) => bytes?.toClients, formatBytes),
  ];
}

function endpointsTable(ports: readonly ServicePortView[], { wide, withNamespace }: TableOptions): string {
  const counters = wide ? countersOf(ports.flatMap((port) => port.endpoints)) : [];
  const rows = ports.flatMap((port) =>
    port.endpoints.map((endpoint) => [
      ...(withNamespace ? [port.namespace] : []),
      port.name,
      portLabel(port),
      joinHostPort(endpoint.address, endpoint.port),
      ...(wide
        ? [
            endpoint.podName ?? '<unknown>',
            endpoint.nodeName ?? '<unknown>',
            endpoint.isLocal ? 'yes' : 'no',
            String(endpoint.weight),
            ...counters.map(({ of }) => of([endpoint])),
          ]
        : []),
      endpoint.used ? 'yes' : 'no',
      endpoint.reason,
    ]),
  );
  const details = ['POD', 'NODE', 'LOCAL', 'WEIGHT', ...counters.map(({ head }) => head)];
  const head = ['SERVICE', 'PORT', 'ENDPOINT', ...(wide ? details : []), 'USED', 'REASON'];
  return formatTable([[...(withNamespace ? ['NAMESPACE'] : []), ...head], ...rows]);
}

function frontendsTable(ports: readonly ServicePortView[], { wide, withNamespace }: TableOptions): string {
  const rows = ports.flatMap((port) =>
    port.frontends.map((frontend) => [
      ...(withNamespace ? [port.namespace] : []),
      port.name,
      frontend.address === null ? `<node>:${frontend.port}` : joinHostPort(frontend.address, formatPorts(frontend)),
      port.protocol,
      frontend.kind,
      actionOf(frontend, port),
      ...(wide ? [frontend.masquerade ?? '<none>', listed(frontend.allowedSources ?? ['<all>'], '<none>')] : []),
    ]),
  );
  const head = ['SERVICE', 'ADDRESS', 'PROTOCOL', 'KIND', 'ACTION', ...(wide ? ['MASQUERADE', 'SOURCES'] : [])];
  return formatTable([[...(withNamespace ? ['NAMESPACE'] : []), ...head], ...rows]);
}

function actionOf({ action, endpoints }: FrontendView, port: ServicePortView): string {
  if (action !== 'forward') {
    return action;
  }
  const used = port.endpoints.filter(({ used, isLocal }) => used && (endpoints === 'cluster' || isLocal)).length;
  return `forward to ${countOf(used, endpoints === 'local' ? 'local endpoint' : 'endpoint')}`;
}

function portLabel({ portName, port, protocol }: ServicePortView): string {
  return `${portName === '' ? port : portName}/${protocol}`;
}

type NonEmpty<T> = readonly [T, ...T[]];

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly NonEmpty<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) {
      group.push(item);
    } else {
      groups.set(keyOf(item), [item]);
    }
  }
  return [...groups.values()];
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

function listed(texts: readonly string[], none = '<none>'): string {
  return texts.length === 0 ? none : texts.join(',');
}
