import {
  type EndpointSlice,
  type Node,
  ProxierError,
  pause,
  type Service,
  type ServiceCIDR,
  type Source,
  systemClock,
} from '@kube-proxier/core';

/** The objects that a proxy reads, by `namespace/name`. */
export interface ClusterObjects {
  readonly services: ReadonlyMap<string, Service>;
  readonly endpointSlices: ReadonlyMap<string, EndpointSlice>;
  /** By name. */
  readonly nodes: ReadonlyMap<string, Node>;
  readonly serviceCIDRs: readonly string[];
}

/** Milliseconds that the lists of an API server may take. */
const LIST_TIMEOUT = 60_000;
const INTERVAL = 20;

/**
 * Reads all objects of some sources once.
 *
 * @throws ProxierError of a source; `OBJECTS_INCOMPLETE` when a list is not complete in time.
 */
export async function collectObjects(
  sources: readonly Source[],
  nodeName: string,
  timeout = LIST_TIMEOUT,
): Promise<ClusterObjects> {
  const services = new Map<string, Service>();
  const endpointSlices = new Map<string, EndpointSlice>();
  const nodes = new Map<string, Node>();
  const cidrs = new Map<Source, readonly string[]>();
  const unsynced = new Map(sources.map((source) => [source, new Set(['Services', 'EndpointSlices'] as const)]));
  try {
    for (const source of sources) {
      await source.start(
        {
          onServiceUpdate: (previous, current) => put(services, previous, current),
          onEndpointsUpdate: (previous, current) => put(endpointSlices, previous, current),
          onNodeUpdate: (node) => void nodes.set(node.metadata?.name ?? '', node),
          onServiceCIDRsUpdate: (list) => void cidrs.set(source, list),
          onServicesSynced: () => void unsynced.get(source)?.delete('Services'),
          onEndpointsSynced: () => void unsynced.get(source)?.delete('EndpointSlices'),
        },
        { nodeName },
      );
    }
    const deadline = systemClock.monotonic() + timeout;
    while ([...unsynced.values()].some(({ size }) => size > 0)) {
      if (systemClock.monotonic() > deadline) {
        throw incomplete(unsynced);
      }
      await pause(systemClock, INTERVAL, new AbortController().signal);
    }
  } finally {
    await Promise.all(sources.map((source) => source.stop()));
  }
  return { services, endpointSlices, nodes, serviceCIDRs: [...cidrs.values()].flat() };
}

/** The objects of a list, such as that of `/debug/objects`. Other kinds are ignored. */
export function objectsOfList(items: readonly ListedObject[]): ClusterObjects {
  const services = new Map<string, Service>();
  const endpointSlices = new Map<string, EndpointSlice>();
  const nodes = new Map<string, Node>();
  const serviceCIDRs: string[] = [];
  for (const item of items) {
    switch (item.kind) {
      case 'Service':
        put(services, undefined, item as Service);
        break;
      case 'EndpointSlice':
        put(endpointSlices, undefined, item as EndpointSlice);
        break;
      case 'Node':
        nodes.set(item.metadata?.name ?? '', item as Node);
        break;
      case 'ServiceCIDR':
        serviceCIDRs.push(...((item as ServiceCIDR).spec?.cidrs ?? []));
        break;
    }
  }
  return { services, endpointSlices, nodes, serviceCIDRs };
}

/** An object of a list, of any kind. */
export type ListedObject = Pick<Service, 'apiVersion' | 'kind' | 'metadata'>;

/** Identity among the objects of a kind. */
export function objectKey({ metadata }: Pick<Service, 'metadata'>): string {
  return `${metadata?.namespace ?? 'default'}/${metadata?.name ?? ''}`;
}

function put<T extends Service | EndpointSlice>(
  into: Map<string, T>,
  previous: T | undefined,
  current: T | undefined,
): void {
  if (previous !== undefined && (current === undefined || objectKey(previous) !== objectKey(current))) {
    into.delete(objectKey(previous));
  }
  if (current !== undefined) {
    into.set(objectKey(current), current);
  }
}

function incomplete(unsynced: ReadonlyMap<Source, ReadonlySet<'Services' | 'EndpointSlices'>>): ProxierError {
  const texts = [...unsynced].flatMap(([source, kinds]) =>
    [...kinds].map((kind) => {
      const obstacle = source.obstacle?.(kind);
      return `${kind} from ${source.description}${obstacle === undefined ? '' : `: ${obstacle}`}`;
    }),
  );
  return new ProxierError(
    'OBJECTS_INCOMPLETE',
    `lists of objects are not complete: ${texts.join('; ')}; restore the access, or set --manifests`,
  );
}
