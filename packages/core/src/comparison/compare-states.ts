import { type IPFamily, joinHostPort } from '../model/address.js';
import type { Endpoint } from '../model/endpoint.js';
import type { Frontend, FrontendKind, Route } from '../model/frontend.js';
import { formatPorts } from '../model/port-range.js';
import type { NodeState, ProxyState, ReadonlyTable, ResolvedServicePort } from '../model/proxy-state.js';
import { formatServicePortName, type Protocol, serviceKey } from '../model/service-port-name.js';
import { structurallyEqual } from '../model/structurally-equal.js';
import { endpointDescriber } from '../simulator/describe-endpoint.js';

/** How an object changes between two states. */
export type Change = 'add' | 'change' | 'remove';

/** A property before and after, in words. */
export interface PropertyChange {
  /** `action`, `masquerade`, `source ranges`, `session affinity`, … */
  readonly property: string;
  /** Null where there was none. */
  readonly before: string | null;
  /** Null where there is none. */
  readonly after: string | null;
}

/** An address and port of a service port that appears, disappears or has other decisions. */
export interface FrontendChange {
  readonly change: Change;
  readonly kind: FrontendKind;
  /** Null for a NodePort. */
  readonly address: string | null;
  readonly port: number;
  /** The last port of its range; absent for a single port. */
  readonly lastPort?: number;
  /** What happens to packets, in words: before for `remove`, else after. */
  readonly action: string;
  /** Set for a `change`. */
  readonly properties: readonly PropertyChange[];
}

/** An endpoint that starts or stops receiving new connections, or receives them from other clients. */
export interface EndpointChange {
  readonly change: Change;
  readonly address: string;
  readonly port: number;
  /** Null when unknown. */
  readonly podName: string | null;
  /** Null when unknown. */
  readonly nodeName: string | null;
  /**
   * Endpoint lists that contain it: `cluster`, for clients that may use all endpoints; `local`, for clients with policy
   * Local.
   */
  readonly before: readonly ('cluster' | 'local')[];
  readonly after: readonly ('cluster' | 'local')[];
  /** 0…65535; null where it was not in a list. */
  readonly weightBefore: number | null;
  /** 0…65535; null where it is not in a list. */
  readonly weightAfter: number | null;
  /**
   * Whether it runs on this node: after the change, or before for `remove`. A `change` may affect only this or only the
   * weight.
   */
  readonly isLocal: boolean;
  /** The reason, for an endpoint that existed before or still exists; null for a removed endpoint. */
  readonly reason: string | null;
}

/** One service port of one IP family that differs. */
export interface ServicePortComparison {
  readonly change: Change;
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Empty when the port has no name. */
  readonly portName: string;
  readonly protocol: Protocol;
  readonly family: IPFamily;
  readonly frontends: readonly FrontendChange[];
  readonly endpoints: readonly EndpointChange[];
  /** Set for a `change`: properties of all of its frontends. */
  readonly properties: readonly PropertyChange[];
}

/** The difference of two states by meaning: plain data for JSON. */
export interface StateComparison {
  /** Number of Services. */
  readonly summary: { readonly add: number; readonly change: number; readonly remove: number };
  /** Sorted by namespace, Service, port and family. */
  readonly servicePorts: readonly ServicePortComparison[];
  /** Node settings: detection of pod traffic, NodePort addresses. */
  readonly node: readonly (PropertyChange & { readonly family: IPFamily })[];
}

/** A state of one IP family, and the state that follows it; undefined: the family is not served. */
export interface StatePair {
  readonly family: IPFamily;
  readonly before: ProxyState | undefined;
  readonly after: ProxyState | undefined;
}

/**
 * Compares how two states handle packets: added and removed frontends, the action for packets at each, and the
 * endpoints that get new connections. Pure. Ignores fields that are not rendered, such as conditions of unused
 * endpoints.
 */
export function compareStates(pairs: readonly StatePair[]): StateComparison {
  const servicePorts = pairs.flatMap(comparePair).sort(compareOrder);
  return {
    summary: summarize(pairs, servicePorts),
    servicePorts,
    node: pairs.flatMap(({ family, before, after }) =>
      before && after ? nodeProperties(before.node, after.node).map((change) => ({ ...change, family })) : [],
    ),
  };
}

/** Whether nothing differs. */
export function isEmptyComparison({ servicePorts, node }: StateComparison): boolean {
  return servicePorts.length === 0 && node.length === 0;
}

const NO_PORTS: ReadonlyTable<ResolvedServicePort['key'], ResolvedServicePort> = new Map();

function comparePair({ family, before, after }: StatePair): readonly ServicePortComparison[] {
  const [old, fresh] = [before?.servicePorts ?? NO_PORTS, after?.servicePorts ?? NO_PORTS];
  const keys = new Set([...old.keys(), ...fresh.keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [old.get(key), fresh.get(key)];
    const { name } = is ?? was ?? {};
    if (name === undefined || was === is) {
      return [];
    }
    const frontends = compareFrontends(was?.frontends ?? [], is?.frontends ?? []);
    const endpoints = compareEndpoints(was, is, after?.node);
    const properties = was && is ? portProperties(was, is) : [];
    const isSame =
      was !== undefined && is !== undefined && frontends.length + endpoints.length + properties.length === 0;
    return isSame
      ? []
      : [
          {
            change: was === undefined ? 'add' : is === undefined ? 'remove' : 'change',
            ...name,
            family,
            frontends,
            endpoints,
            properties,
          },
        ];
  });
}

function compareFrontends(before: readonly Frontend[], after: readonly Frontend[]): readonly FrontendChange[] {
  const old = new Map(before.map((frontend) => [frontend.key, frontend]));
  const changed = after.flatMap((frontend): FrontendChange[] => {
    const was = old.get(frontend.key);
    old.delete(frontend.key);
    const properties = was === undefined || was === frontend ? [] : frontendProperties(was, frontend);
    if (was !== undefined && properties.length === 0) {
      return [];
    }
    return [{ change: was === undefined ? 'add' : 'change', ...shown(frontend), properties }];
  });
  const removed = [...old.values()].map(
    (frontend): FrontendChange => ({ change: 'remove', ...shown(frontend), properties: [] }),
  );
  return [...changed, ...removed];
}

function shown({ kind, address, port, lastPort, routes }: Frontend) {
  const range = lastPort === undefined ? {} : { lastPort };
  return { kind, address: address ?? null, port, ...range, action: actionOf(routes) };
}

function frontendProperties(was: Frontend, is: Frontend): readonly PropertyChange[] {
  return [
    ...property('kind', was.kind, is.kind),
    ...property('ports', formatPorts(was), formatPorts(is)),
    ...property('action', actionOf(was.routes), actionOf(is.routes)),
    ...property('masquerade', masqueradeOf(was.routes), masqueradeOf(is.routes)),
    ...property('source ranges', rangesOf(was.allowedSources), rangesOf(is.allowedSources)),
    ...property('excepted addresses', listOf(was.exceptAddresses), listOf(is.exceptAddresses)),
  ];
}

const SOURCES = { any: 'others', pod: 'pods', node: 'the node itself' } as const;

function actionOf(routes: readonly Route[]): string {
  return (
    bySource(routes, (route) =>
      route.action === 'forward' ? `forward to ${route.endpoints} endpoints` : route.action,
    ) ?? 'pass on'
  );
}

function masqueradeOf(routes: readonly Route[]): string | null {
  return bySource(routes, (route) => (route.action === 'forward' ? route.masquerade : null));
}

/** The action for most packets first, then the exceptions: `never (the node itself: always)`. */
function bySource(routes: readonly Route[], describe: (route: Route) => string | null): string | null {
  // The last route matches all remaining packets.
  const [usual, ...earlier] = [...routes].reverse();
  const text = usual === undefined ? null : describe(usual);
  const sources = new Map<string, string[]>();
  for (const route of earlier) {
    const exception = describe(route);
    if (exception !== null && exception !== text) {
      sources.set(exception, [...(sources.get(exception) ?? []), SOURCES[route.source]]);
    }
  }
  const exceptions = [...sources].map(([other, names]) => `${names.join(', ')}: ${other}`).join('; ');
  if (text === null) {
    return exceptions === '' ? null : exceptions;
  }
  return exceptions === '' ? text : `${text} (${exceptions})`;
}

function rangesOf(ranges: readonly string[] | undefined): string {
  return ranges === undefined ? 'all' : (listOf(ranges) ?? 'none');
}

function portProperties(was: ResolvedServicePort, is: ResolvedServicePort): readonly PropertyChange[] {
  return [
    ...property('session affinity', affinityOf(was), affinityOf(is)),
    ...property('health check node port', healthOf(was), healthOf(is)),
    ...property('annotations', annotationsOf(was), annotationsOf(is)),
  ];
}

function affinityOf({ affinitySeconds }: ResolvedServicePort): string | null {
  return affinitySeconds === undefined ? null : `ClientIP ${affinitySeconds} s`;
}

function healthOf({ servicePort: { healthCheckNodePort } }: ResolvedServicePort): string | null {
  return healthCheckNodePort === 0 ? null : String(healthCheckNodePort);
}

function annotationsOf({ servicePort: { annotations } }: ResolvedServicePort): string | null {
  return listOf(
    Object.entries(annotations)
      .map(([key, value]) => `${key}=${value}`)
      .sort(),
  );
}

function compareEndpoints(
  was: ResolvedServicePort | undefined,
  is: ResolvedServicePort | undefined,
  nodeAfter: NodeState | undefined,
): readonly EndpointChange[] {
  if (was?.cluster === is?.cluster && was?.local === is?.local) {
    return [];
  }
  const [before, after] = [listsOf(was), listsOf(is)];
  const known = new Map([...(is?.candidates ?? [])].map((endpoint) => [endpoint.key, endpoint]));
  const describers = (['cluster', 'local'] as const).map((list) =>
    is && nodeAfter ? ([list, endpointDescriber(is, list, nodeAfter)] as const) : undefined,
  );
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key): EndpointChange[] => {
    const [old, fresh] = [before.get(key), after.get(key)];
    const endpoint = known.get(key) ?? fresh?.endpoint ?? old?.endpoint;
    const [lists, listsAfter] = [old?.lists ?? [], fresh?.lists ?? []];
    const isOther =
      old !== undefined &&
      fresh !== undefined &&
      (old.endpoint.isLocal !== fresh.endpoint.isLocal || old.endpoint.weight !== fresh.endpoint.weight);
    if (endpoint === undefined || (structurallyEqual(lists, listsAfter) && !isOther)) {
      return [];
    }
    const change = lists.length === 0 ? 'add' : listsAfter.length === 0 ? 'remove' : 'change';
    const list = listsAfter[0] ?? lists[0];
    const describe = describers.find((one) => one?.[0] === list)?.[1];
    return [
      {
        ...{ change, address: endpoint.address, port: endpoint.port, podName: endpoint.podName ?? null },
        nodeName: endpoint.nodeName ?? null,
        ...{ before: lists, after: listsAfter, isLocal: endpoint.isLocal },
        ...{ weightBefore: old?.endpoint.weight ?? null, weightAfter: fresh?.endpoint.weight ?? null },
        reason: known.has(key) && describe ? describe(endpoint).reason : null,
      },
    ];
  });
}

type UsedEndpoint = { readonly endpoint: Endpoint; readonly lists: readonly ('cluster' | 'local')[] };

function listsOf(port: ResolvedServicePort | undefined): ReadonlyMap<string, UsedEndpoint> {
  const used = new Map<string, UsedEndpoint>();
  for (const list of ['cluster', 'local'] as const) {
    for (const endpoint of isForwardedTo(port, list) ? (port?.[list] ?? []) : []) {
      used.set(endpoint.key, { endpoint, lists: [...(used.get(endpoint.key)?.lists ?? []), list] });
    }
  }
  return used;
}

function isForwardedTo(port: ResolvedServicePort | undefined, list: 'cluster' | 'local'): boolean {
  return (
    port?.frontends.some(({ routes }) =>
      routes.some((route) => route.action === 'forward' && route.endpoints === list),
    ) ?? false
  );
}

function nodeProperties(was: NodeState, is: NodeState): readonly PropertyChange[] {
  return [
    ...property('packets of pods', detectorOf(was), detectorOf(is)),
    ...property('NodePort addresses', nodePortsOf(was), nodePortsOf(is)),
    ...property('Service networks', listOf(was.serviceCIDRs), listOf(is.serviceCIDRs)),
  ];
}

function detectorOf({ detector }: NodeState): string {
  switch (detector.kind) {
    case 'none':
      return 'not distinguished';
    case 'source-cidr':
      return `from ${detector.cidr}`;
    case 'interface':
      return `from interface ${detector.name}`;
    case 'interface-prefix':
      return `from interfaces ${detector.prefix}*`;
  }
}

function nodePortsOf({ nodePortAddresses }: NodeState): string {
  const addresses =
    nodePortAddresses.kind === 'all' ? 'all addresses' : (listOf(nodePortAddresses.addresses) ?? 'no address');
  return `${addresses}${nodePortAddresses.loopback ? ', and loopback' : ''}`;
}

function property(name: string, before: string | null, after: string | null): readonly PropertyChange[] {
  return before === after ? [] : [{ property: name, before, after }];
}

function listOf(texts: readonly string[] | undefined): string | null {
  return texts === undefined || texts.length === 0 ? null : texts.join(', ');
}

function summarize(
  pairs: readonly StatePair[],
  servicePorts: readonly ServicePortComparison[],
): StateComparison['summary'] {
  const has = (state: 'before' | 'after') => {
    const services = new Set<string>();
    for (const pair of pairs) {
      for (const { name } of pair[state]?.servicePorts.values() ?? []) {
        services.add(serviceKey(name));
      }
    }
    return services;
  };
  const [before, after] = [has('before'), has('after')];
  const count = { add: 0, change: 0, remove: 0 };
  for (const service of new Set(servicePorts.map(serviceKey))) {
    count[!before.has(service) ? 'add' : !after.has(service) ? 'remove' : 'change']++;
  }
  return count;
}

function compareOrder(left: ServicePortComparison, right: ServicePortComparison): number {
  const text = (port: ServicePortComparison) => `${formatServicePortName(port)}/${port.protocol} ${port.family}`;
  const [a, b] = [text(left), text(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `10.244.0.5:8080`. */
export function endpointAddress({ address, port }: Pick<EndpointChange, 'address' | 'port'>): string {
  return joinHostPort(address, port);
}
