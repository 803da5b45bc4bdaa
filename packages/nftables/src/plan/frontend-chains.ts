import { hash } from 'node:crypto';
import {
  type Endpoint,
  type Frontend,
  type Masquerade,
  type Protocol,
  type ResolvedServicePort,
  type RouteSource,
  resetsConnections,
} from '@kube-proxier/core';
import { type Balancing, drawOf, endpointSlots } from './endpoint-slots.js';
import type { KeyScope, Layout, TrafficDirection } from './layout.js';
import { readServiceOptions } from './service-options.js';

/**
 * A chain that frontends of one kind share. Its name contains all parameters, so equal names mean equal chains, and
 * their number does not grow with the number of Services.
 */
export type KindChain =
  | PickChain
  | ListChain
  | RouteChain
  | GuardChain
  | PriorityChain
  | CountChain
  | EndpointCountChain
  | TrafficChain
  | ResetChain
  | DropChain;

type EndpointChain = PickChain | ListChain;

/** Selects one of `count` slots of a list, and sends the packet to its endpoint. */
export interface PickChain {
  readonly kind: 'pick';
  readonly name: string;
  readonly space: KeyScope;
  readonly protocol: Protocol;
  readonly list: 'cluster' | 'local';
  readonly count: number;
  /** Whether slots may be missing, so that another number is drawn. */
  readonly isRepeated: boolean;
  /** Whether selection is by source address, not at random. */
  readonly hashed: boolean;
  /** Seconds that a client stays with its endpoint; undefined for no affinity. */
  readonly affinitySeconds: number | undefined;
}

/**
 * Selects one of the given endpoints. Its name is derived from them, so service ports with equal endpoints share it.
 */
export interface ListChain {
  readonly kind: 'list';
  readonly name: string;
  readonly protocol: Protocol;
  readonly endpoints: readonly {
    readonly endpoint: Pick<Endpoint, 'key' | 'address'>;
    /** The port there; undefined for that of the packet; `map`: by the port of the packet. */
    readonly port: number | undefined | { readonly map: string };
    /** Set of the clients that stay with it; undefined for no affinity. */
    readonly clients: string | undefined;
  }[];
  readonly affinitySeconds: number | undefined;
}

/** Distinguishes packets by their source. */
export interface RouteChain {
  readonly kind: 'route';
  readonly name: string;
  readonly routes: readonly {
    readonly source: RouteSource;
    readonly target: EndpointChain | DropChain | 'accept' | 'drop';
    readonly masquerade: Masquerade;
  }[];
}

/** Drops packets from sources that are not allowed. */
export interface GuardChain {
  readonly kind: 'guard';
  readonly name: string;
  readonly space: KeyScope;
  readonly target: EndpointChain | RouteChain | DropChain | 'accept' | 'drop';
}

/** Restores the priority that session affinity used as a variable. */
export interface PriorityChain {
  readonly kind: 'priority';
  readonly name: string;
}

/** Counts connections before their destination is translated, and leads to the dispatch. */
export interface CountChain {
  readonly kind: 'count';
  readonly name: string;
}

/**
 * Counts connections that reach an endpoint. The chains at the hooks have a rule for most of them, and lead others to the
 * one without a hook, which has a rule for each protocol and further kind of frontend.
 */
export interface EndpointCountChain {
  readonly kind: 'count-endpoint';
  readonly name: string;
  readonly hook: 'postrouting' | 'input' | undefined;
}

/**
 * Counts packets of connections to endpoints in one direction: a rule for most of them, and one for each protocol and
 * each further kind of frontend. The base chains have the former rule themselves for packets to endpoints.
 */
export interface TrafficChain {
  readonly kind: 'traffic';
  readonly name: string;
  readonly direction: TrafficDirection;
}

/** Resets packets of unknown connections to frontends without endpoints for them (spec R-4), before what refuses all of them. */
export interface ResetChain {
  readonly kind: 'reset';
  readonly name: string;
  readonly hook: 'input' | 'forward' | 'output';
}

/** Drops packets that open a connection. Other packets are reset later. */
export interface DropChain {
  readonly kind: 'drop-new';
  readonly name: string;
}

/** Exists while any Service requests resets of connections to removed endpoints. */
export const RESET_CHAINS: readonly [ResetChain, ...ResetChain[]] = [
  { kind: 'reset', name: 'reset-input', hook: 'input' },
  { kind: 'reset', name: 'reset-forward', hook: 'forward' },
  { kind: 'reset', name: 'reset-output', hook: 'output' },
];

const DROP_NEW: DropChain = { kind: 'drop-new', name: 'drop-new' };

/** Exists while connections to any Service are counted. The chains of type nat lead to it. */
export const COUNT_SERVICE: CountChain = { kind: 'count', name: 'count-service' };

/** Counts connections that the chains of hooks have not counted, which lead to it. */
export const COUNT_ENDPOINT: EndpointCountChain = { kind: 'count-endpoint', name: 'count-endpoint', hook: undefined };

/** Exists while connections to endpoints of any Service are counted. */
export const ENDPOINT_COUNT_CHAINS: readonly [EndpointCountChain, ...EndpointCountChain[]] = [
  COUNT_ENDPOINT,
  { kind: 'count-endpoint', name: 'count-postrouting', hook: 'postrouting' },
  { kind: 'count-endpoint', name: 'count-input', hook: 'input' },
];

/** Counts packets to endpoints that the chains of type filter have not counted, which lead to it. */
export const COUNT_TRAFFIC: TrafficChain = { kind: 'traffic', name: 'count-traffic', direction: 'to-endpoints' };

/** Counts packets to clients; the chains of type filter lead to it. */
export const COUNT_REPLIES: TrafficChain = { kind: 'traffic', name: 'count-replies', direction: 'to-clients' };

/** Exists while packets of any Service are counted. */
export const TRAFFIC_CHAINS: readonly [TrafficChain, ...TrafficChain[]] = [COUNT_TRAFFIC, COUNT_REPLIES];

/** Exists while any Service has session affinity. */
export const FORGET_PRIORITY: PriorityChain = { kind: 'priority', name: 'affinity-postrouting' };

/** The first chain of packets to a frontend, and all chains that they may traverse. */
export interface FrontendPath {
  /** Value in the dispatch map. */
  readonly verdict: string;
  readonly chains: readonly KindChain[];
}

export function keyScopeOf(frontend: Frontend): KeyScope {
  return frontend.address === undefined ? 'node-port' : 'address';
}

export function pathOf(frontend: Frontend, port: ResolvedServicePort, layout: Layout): FrontendPath {
  const space = keyScopeOf(frontend);
  const chains = new Map<string, KindChain>();
  const note = <Kind extends KindChain>(chain: Kind): Kind => {
    chains.set(chain.name, chain);
    return chain;
  };
  const routes = frontend.routes.map((route): RouteChain['routes'][number] => {
    if (route.action !== 'forward') {
      // Rejecting is possible only at the filter hook; until then the packet passes.
      const drop = () => (resetsConnections(port) ? note(DROP_NEW) : 'drop');
      return { source: route.source, target: route.action === 'reject' ? 'accept' : drop(), masquerade: 'never' };
    }
    const target = note(
      layout === 'constant' ? pickChain(frontend, route.endpoints, port) : listChain(frontend, route.endpoints, port),
    );
    return { source: route.source, target, masquerade: route.masquerade };
  });
  const picks = frontend.routes.some(({ action }) => action === 'forward');
  if (layout === 'constant' && port.affinitySeconds !== undefined && picks) {
    note(FORGET_PRIORITY);
  }
  const [first] = routes;
  const plain = routes.length === 1 && first?.masquerade === 'never' ? first.target : undefined;
  let target: GuardChain['target'] = plain ?? note(routeChain(space, routes));
  let top: GuardChain | GuardChain['target'] = target;
  if (frontend.allowedSources !== undefined) {
    target = top as GuardChain['target'];
    top = note({ kind: 'guard', name: `guard/${nameOf(target)}`, space, target });
  }
  return { verdict: typeof top === 'string' ? top : `goto ${top.name}`, chains: [...chains.values()] };
}

function nameOf(target: GuardChain['target']): string {
  return typeof target === 'string' ? target : target.name;
}

function prefixOf(space: KeyScope): string {
  return space === 'address' ? '' : 'node-port/';
}

function pickChain(frontend: Frontend, list: PickChain['list'], port: ResolvedServicePort): PickChain {
  const space = keyScopeOf(frontend);
  const { protocol } = frontend;
  const { affinitySeconds } = port;
  const balancing = balancingOf(port);
  const { count, isRepeated } = drawOf(port[list], balancing);
  const hashed = balancing.loadBalancing === 'maglev';
  const sticky = affinitySeconds === undefined ? '' : `-affinity-${affinitySeconds}s`;
  const what = `${list === 'local' ? 'local-' : ''}${hashed ? 'maglev-' : isRepeated ? 'weighted-' : ''}${count}`;
  const name = `${prefixOf(space)}pick-${protocol.toLowerCase()}-${what}${sticky}`;
  return { kind: 'pick', name, space, protocol, list, count, isRepeated, hashed, affinitySeconds };
}

/**
 * How the slots of a service port are used where each is an element. With session affinity, a packet draws once, as
 * further rules use the number.
 */
export function balancingOf({ servicePort, affinitySeconds }: ResolvedServicePort): Balancing {
  const { loadBalancing } = readServiceOptions(servicePort.annotations).options;
  return { loadBalancing, drawsAgain: affinitySeconds === undefined };
}

function listChain(frontend: Frontend, list: PickChain['list'], port: ResolvedServicePort): ListChain {
  const { affinitySeconds } = port;
  const { protocol } = port.name;
  const { options } = readServiceOptions(port.servicePort.annotations);
  // This layout has no lookup table for source addresses.
  const slots = endpointSlots(port[list], { ...options, loadBalancing: 'random' });
  const endpoints = slots.map((endpoint) => ({
    endpoint,
    port: portAt(frontend, endpoint, port),
    clients: affinitySeconds === undefined ? undefined : clientsSet(port, endpoint),
  }));
  const targets = endpoints.map(({ endpoint, port: to, clients }) => ({
    ...{ target: endpoint.key, clients },
    ...(frontend.lastPort === undefined ? {} : { to: to ?? 'same port' }),
  }));
  const what = JSON.stringify([protocol, targets, affinitySeconds]);
  const name = `endpoints/${protocol.toLowerCase()}-${shortHash(what)}`;
  return { kind: 'list', name, protocol, endpoints, affinitySeconds };
}

/** The address and port of an endpoint for packets to a frontend. */
function portAt(
  frontend: Frontend,
  endpoint: Endpoint,
  port: ResolvedServicePort,
): ListChain['endpoints'][number]['port'] {
  if (frontend.lastPort === undefined) {
    return endpoint.port;
  }
  return endpoint.port === frontend.port ? undefined : { map: shiftMap(port, frontend, endpoint) };
}

/** The map from ports of a range to those of an endpoint, which other endpoints with its port share. */
export function shiftMap(port: ResolvedServicePort, frontend: Frontend, endpoint: Endpoint): string {
  return `ports/${shortHash(JSON.stringify([port.key, frontend.port, frontend.lastPort, endpoint.port]))}`;
}

/** Whether endpoints of a service port are in rules: always, or only with a range of ports. */
export function layoutOf({ frontends }: ResolvedServicePort, layout: Layout): Layout {
  return frontends.some(({ lastPort }) => lastPort !== undefined) ? 'chain-per-service' : layout;
}

/** Prefix of the sets with the clients of one endpoint. */
export const CLIENTS_SETS = 'clients/';

/** The set of clients that stay with an endpoint of a service port, in the layout without maps. */
export function clientsSet(port: ResolvedServicePort, { key }: Pick<Endpoint, 'key'>): string {
  return `${CLIENTS_SETS}${shortHash(JSON.stringify([port.key, key, port.affinitySeconds]))}`;
}

function shortHash(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 20);
}

function routeChain(space: KeyScope, routes: RouteChain['routes']): RouteChain {
  const labels = routes.map(({ source, target, masquerade }) => {
    const isOfSpace = typeof target !== 'string' && target.kind !== 'drop-new';
    const where = nameOf(target).slice(isOfSpace ? prefixOf(space).length : 0);
    const how = masquerade === 'always' ? '.masquerade' : masquerade === 'off-cluster' ? '.masquerade-off-cluster' : '';
    return `${source}-${where}${how}`;
  });
  return { kind: 'route', name: `${prefixOf(space)}from/${labels.join('/')}`, routes };
}
