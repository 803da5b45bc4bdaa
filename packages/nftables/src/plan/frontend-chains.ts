import { createHash } from 'node:crypto';
import {
  type Endpoint,
  type Frontend,
  type Masquerade,
  type Protocol,
  type ResolvedServicePort,
  type RouteSource,
  resetsConnections,
} from '@kube-proxier/core';
import type { NftField, NftLookup, NftStatement } from '@kube-proxier/linux';
import { nftFields } from '@kube-proxier/linux';
import { type Balancing, DRAWS, drawOf, endpointSlots } from './endpoint-slots.js';
import {
  base,
  type Chain,
  IS_FORWARDED,
  IS_NO_LOOPBACK,
  isLocal,
  type LayoutContext,
  nodePortMatch,
  podMatch,
  type Rule,
  setMark,
  WITH_PORTS,
} from './fixed-chains.js';
import {
  AFFINITY,
  AFFINITY_MARKS,
  endpointCounters,
  endpointsMap,
  fieldsOf,
  HASH_SEED,
  type KeyScope,
  type Layout,
  LOCAL_SLOTS,
  PROTOCOLS,
  protocolPort,
  RANGE_CONTAINERS,
  SPACE_CONTAINERS,
  TRAFFIC_DIRECTIONS,
  type TrafficScope,
} from './layout.js';
import { readServiceOptions } from './service-options.js';

/**
 * A chain that frontends of one kind share. Its name says all that it depends on, so equal names mean equal chains,
 * and their number does not grow with the number of Services.
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

/** Picks one of `count` slots of a list, and sends the packet to its endpoint. */
export interface PickChain {
  readonly kind: 'pick';
  readonly name: string;
  readonly space: KeyScope;
  readonly protocol: Protocol;
  readonly list: 'cluster' | 'local';
  readonly count: number;
  /** Whether some of these may not exist, so that another one is drawn. */
  readonly isRepeated: boolean;
  /** Whether the source address decides, and not chance. */
  readonly hashed: boolean;
  /** Seconds that a client stays with its endpoint; undefined for no affinity. */
  readonly affinitySeconds: number | undefined;
}

/** Picks one of some given endpoints. Its name follows from them, so service ports with the same ones share it. */
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

/** Drops what does not come from an allowed source. */
export interface GuardChain {
  readonly kind: 'guard';
  readonly name: string;
  readonly space: KeyScope;
  readonly target: EndpointChain | RouteChain | DropChain | 'accept' | 'drop';
}

/** Takes back the priority that session affinity used as a variable. */
export interface PriorityChain {
  readonly kind: 'priority';
  readonly name: string;
}

/** Counts connections on their way in, or from this node. */
export interface CountChain {
  readonly kind: 'count';
  readonly name: string;
  readonly hook: 'prerouting' | 'output';
}

/**
 * Counts connections that reach an endpoint, or an interface on their way there. Those of the node's own hooks lead to the one without
 * a hook, which has a rule for each protocol and kind of frontend.
 */
export interface EndpointCountChain {
  readonly kind: 'count-endpoint';
  readonly name: string;
  readonly hook: 'postrouting' | 'input' | undefined;
}

/**
 * Counts packets of connections to endpoints. Those of the node's own hooks lead to the one without a hook, which has a rule for each
 * protocol, direction and kind of frontend.
 */
export interface TrafficChain {
  readonly kind: 'traffic';
  readonly name: string;
  readonly hook: 'prerouting' | 'output' | undefined;
}

/** Resets packets of unknown connections to frontends without endpoints for them (spec R-4), before what refuses all of them. */
export interface ResetChain {
  readonly kind: 'reset';
  readonly name: string;
  readonly hook: 'input' | 'forward' | 'output';
}

/** Drops packets that open a connection. Others are reset later on. */
export interface DropChain {
  readonly kind: 'drop-new';
  readonly name: string;
}

/** There as long as any Service has connections reset whose endpoint is gone. */
export const RESET_CHAINS: readonly [ResetChain, ...ResetChain[]] = [
  { kind: 'reset', name: 'reset-input', hook: 'input' },
  { kind: 'reset', name: 'reset-forward', hook: 'forward' },
  { kind: 'reset', name: 'reset-output', hook: 'output' },
];

const DROP_NEW: DropChain = { kind: 'drop-new', name: 'drop-new' };

/** There as long as connections to any Service are counted. */
export const COUNT_CHAINS: readonly [CountChain, CountChain] = [
  { kind: 'count', name: 'count-prerouting', hook: 'prerouting' },
  { kind: 'count', name: 'count-output', hook: 'output' },
];

const COUNT_ENDPOINT: EndpointCountChain = { kind: 'count-endpoint', name: 'count-endpoint', hook: undefined };

/** There as long as connections to endpoints of any Service are counted. */
export const ENDPOINT_COUNT_CHAINS: readonly [EndpointCountChain, ...EndpointCountChain[]] = [
  COUNT_ENDPOINT,
  { kind: 'count-endpoint', name: 'count-postrouting', hook: 'postrouting' },
  { kind: 'count-endpoint', name: 'count-input', hook: 'input' },
];

const COUNT_TRAFFIC: TrafficChain = { kind: 'traffic', name: 'count-traffic', hook: undefined };

/** There as long as packets of any Service are counted. */
export const TRAFFIC_CHAINS: readonly [TrafficChain, ...TrafficChain[]] = [
  COUNT_TRAFFIC,
  { kind: 'traffic', name: 'traffic-prerouting', hook: 'prerouting' },
  { kind: 'traffic', name: 'traffic-output', hook: 'output' },
];

/** There as long as any Service has session affinity. */
export const FORGET_PRIORITY: PriorityChain = { kind: 'priority', name: 'affinity-postrouting' };

/** Where packets of a frontend go first, and every chain that they may come through. */
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
      // Nothing can be refused before the packet is filtered; until then it passes.
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
 * How the slots of a service port are used where each is an element. With session affinity, a packet draws once: what it draws is a
 * number that further rules use.
 */
export function balancingOf({ servicePort, affinitySeconds }: ResolvedServicePort): Balancing {
  const { options } = readServiceOptions(servicePort.annotations);
  return { ...options, drawsAgain: affinitySeconds === undefined };
}

function listChain(frontend: Frontend, list: PickChain['list'], port: ResolvedServicePort): ListChain {
  const { affinitySeconds } = port;
  const { protocol } = port.name;
  const { options } = readServiceOptions(port.servicePort.annotations);
  // A table that the source address is looked up in is what this layout does without.
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

/** Where an endpoint gets the packets of a frontend. */
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

/** Whether endpoints of a service port stand in rules: always, or only where it has a range of ports. */
export function layoutOf({ frontends }: ResolvedServicePort, layout: Layout): Layout {
  return frontends.some(({ lastPort }) => lastPort !== undefined) ? 'chain-per-service' : layout;
}

/** The set of clients that stay with an endpoint of a service port, in the layout without maps. */
export function clientsSet(port: ResolvedServicePort, { key }: Endpoint): string {
  return `clients/${shortHash(JSON.stringify([port.key, key, port.affinitySeconds]))}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
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

/** What stands in a chain. */
export function renderKind(chain: KindChain, context: LayoutContext): Chain {
  switch (chain.kind) {
    case 'pick':
      return { rules: chain.affinitySeconds === undefined ? pickRules(chain, context) : stickyRules(chain, context) };
    case 'list':
      return { rules: listRules(chain, context) };
    case 'route':
      return { rules: chain.routes.flatMap((route) => routeRules(route, context)) };
    case 'guard': {
      const { saddr, key } = fieldsOf(context.family);
      const { allowed } = SPACE_CONTAINERS[chain.space];
      const isNotAllowed = { kind: 'member', key: [...key[chain.space], saddr], set: allowed, isNot: true } as const;
      return { rules: [[isNotAllowed, { kind: 'drop' }], [leadTo(chain.target)]] };
    }
    case 'count': {
      const { key } = fieldsOf(context.family);
      const { address, 'node-port': nodePort } = SPACE_CONTAINERS;
      return {
        // Before the packet has another destination. A chain of this type sees the first of each connection only.
        base: base('nat', chain.hook, -101),
        rules: [
          // What was found is counted: asking whether the address is one of the node costs as much again.
          [{ kind: 'count', key: key.address, map: address.counters }, { kind: 'accept' }],
          ...(context.hasRanges
            ? [
                [
                  { kind: 'count', key: key.address, map: RANGE_CONTAINERS.counters } as const,
                  { kind: 'accept' } as const,
                ],
              ]
            : []),
          [...nodePortMatch(context), { kind: 'count', key: key['node-port'], map: nodePort.counters }],
        ],
      };
    }
    case 'count-endpoint':
      return chain.hook === undefined
        ? { rules: PROTOCOLS.flatMap((protocol) => endpointCountRules(protocol, context)) }
        : {
            // Where the kernel translates sources, each connection comes by once, with its first packet, after it was filtered: also
            // what this node sends to itself. No other chain of this type comes before, for after a translation no more are called.
            base: base('nat', chain.hook, -100),
            rules: [[IS_FORWARDED, { kind: 'goto', chain: COUNT_ENDPOINT.name }]],
          };
    case 'traffic':
      return chain.hook === undefined
        ? { rules: PROTOCOLS.flatMap((protocol) => trafficRules(protocol, context)) }
        : {
            // After the destination was changed, which other programs may do up to here.
            base: base('filter', chain.hook, -98),
            rules: [
              [
                IS_FORWARDED,
                // This node's packets to itself were counted on their way out.
                ...(chain.hook === 'prerouting' ? [IS_NO_LOOPBACK] : []),
                { kind: 'goto', chain: COUNT_TRAFFIC.name },
              ],
            ],
          };
    case 'reset': {
      const { key } = fieldsOf(context.family);
      const { address, 'node-port': nodePort } = SPACE_CONTAINERS;
      const noSyn: NftStatement = { kind: 'no-syn' };
      const reject: NftStatement = { kind: 'reject', with: 'tcp-reset' };
      return {
        base: base('filter', chain.hook, -1),
        rules: [
          [{ kind: 'match', left: { kind: 'ct', key: 'state' }, operator: '!=', right: 'new' }, { kind: 'accept' }],
          [IS_FORWARDED, { kind: 'accept' }],
          [noSyn, { kind: 'member', key: key.address, set: address.resets }, reject],
          ...(context.hasRanges
            ? [[noSyn, { kind: 'member', key: key.address, set: RANGE_CONTAINERS.resets } as const, reject]]
            : []),
          ...(chain.hook === 'input'
            ? [
                [
                  ...nodePortMatch(context),
                  noSyn,
                  { kind: 'member', key: key['node-port'], set: nodePort.resets } as const,
                  reject,
                ],
              ]
            : []),
        ],
      };
    }
    case 'drop-new':
      return { rules: [[{ kind: 'no-syn' }, { kind: 'accept' }], [{ kind: 'drop' }]] };
    case 'priority':
      return {
        base: { type: 'nat', hook: 'postrouting', priority: 99 },
        rules: [[IS_FORWARDED, { kind: 'assign', to: nftFields.priority, value: 0 }]],
      };
  }
}

/** nft reads no ports of connections before it knows the protocol. */
function ofProtocol(protocol: Protocol): NftStatement {
  return { kind: 'match', left: nftFields.protocol, right: protocol.toLowerCase() };
}

/** Frontend and endpoint of a connection: the same as long as it lasts, for no translation changes its tuples. */
function endpointKeys({ family, hasRanges }: LayoutContext): readonly (readonly [TrafficScope, readonly NftField[]])[] {
  const { family: nft } = fieldsOf(family);
  const frontend = [nftFields.protocol, nftFields.tuple('original', 'proto-dst')];
  const endpoint = [nftFields.tuple('reply', `${nft} saddr`), nftFields.tuple('reply', 'proto-src')];
  const withAddress = [nftFields.tuple('original', `${nft} daddr`), ...frontend, ...endpoint];
  return [
    ['address', withAddress],
    ...(hasRanges ? [['range', withAddress] as const] : []),
    ['node-port', [...frontend, ...endpoint]],
  ];
}

function endpointCountRules(protocol: Protocol, context: LayoutContext): Rule[] {
  return endpointKeys(context).map(([scope, key]) => [
    ofProtocol(protocol),
    { kind: 'count', key, map: endpointCounters(scope, 'connections') },
    { kind: 'accept' },
  ]);
}

function trafficRules(protocol: Protocol, context: LayoutContext): Rule[] {
  return endpointKeys(context).flatMap(([scope, key]) =>
    TRAFFIC_DIRECTIONS.map(
      (direction): Rule => [
        ofProtocol(protocol),
        {
          ...{ kind: 'match', left: { kind: 'ct', key: 'direction' } },
          right: direction === 'to-endpoints' ? 'original' : 'reply',
        },
        { kind: 'count', key, map: endpointCounters(scope, direction) },
        { kind: 'accept' },
      ],
    ),
  );
}

function leadTo(target: GuardChain['target']): NftStatement {
  return typeof target === 'string' ? { kind: target } : { kind: 'goto', chain: target.name };
}

function routeRules({ source, target, masquerade }: RouteChain['routes'][number], context: LayoutContext): Rule[] {
  const pod = podMatch(context.family, context.node.detector);
  const goOn = leadTo(target);
  const match: Rule | undefined = source === 'any' ? [] : source === 'node' ? [isLocal('saddr')] : pod && [pod];
  if (match === undefined) {
    return [];
  }
  switch (masquerade) {
    case 'never':
      return [[...match, goOn]];
    case 'always':
      return [[...match, setMark(context), goOn]];
    case 'off-cluster':
      return [
        ...(pod === undefined ? [] : [[...(source === 'pod' ? [] : match), pod, goOn]]),
        [...match, setMark(context), goOn],
      ];
  }
}

/** A slot of a list, one of the first `count`. */
function slot({ list, hashed }: PickChain, modulus: number, { family }: LayoutContext): NftField {
  const offset = list === 'local' ? { offset: LOCAL_SLOTS } : {};
  return hashed && modulus > 1
    ? { kind: 'jhash', of: [fieldsOf(family).saddr], modulus, seed: HASH_SEED, ...offset }
    : { kind: 'numgen', modulus, ...offset };
}

/** Sends packets to the endpoint that a map has for a key. */
function sendTo(family: LayoutContext['family'], to: NftLookup): NftStatement {
  return { kind: 'dnat', family: fieldsOf(family).family, to };
}

function pickRules(chain: PickChain, context: LayoutContext): Rule[] {
  const { family } = context;
  const port = protocolPort(chain.protocol);
  const key = chain.space === 'address' ? [fieldsOf(family).daddr, port] : [port];
  const map = endpointsMap(chain.space, chain.protocol);
  const rule = (count: number): Rule => [
    sendTo(family, { kind: 'lookup', key: [...key, slot(chain, count, context)], map }),
  ];
  // A packet may have been dispatched just before endpoints went, and look for one just after. The first slot is there
  // as long as any is.
  const draws = chain.count === 1 ? 0 : chain.isRepeated ? DRAWS : 1;
  return [...Array.from({ length: draws }, () => rule(chain.count)), rule(1)];
}

function listRules({ protocol, endpoints, affinitySeconds }: ListChain, { family }: LayoutContext): Rule[] {
  const { family: nft, saddr } = fieldsOf(family);
  const timeout = affinitySeconds === undefined ? {} : { timeoutSeconds: affinitySeconds };
  const known = protocolPort(protocol);
  const rule = (match: Rule, { endpoint, port, clients }: ListChain['endpoints'][number], remember = true): Rule => [
    { kind: 'match', left: nftFields.protocol, right: protocol.toLowerCase() },
    ...match,
    ...(clients === undefined || !remember
      ? []
      : [{ kind: 'write-element', operation: 'update', set: clients, key: [saddr], ...timeout } as const]),
    {
      ...{ kind: 'dnat', family: nft },
      to: {
        ...{ kind: 'endpoint', address: endpoint.address },
        port: typeof port === 'object' ? { kind: 'lookup', key: [known], map: port.map } : port,
      },
    },
  ];
  const byClients = new Map(endpoints.map((endpoint) => [endpoint.clients, endpoint]));
  const [first] = endpoints;
  return [
    ...(affinitySeconds === undefined
      ? []
      : [...byClients.values()].map((target) =>
          rule(target.clients === undefined ? [] : [{ kind: 'member', key: [saddr], set: target.clients }], target),
        )),
    ...endpoints.map((target, index) => {
      const left = endpoints.length - index;
      return rule(left === 1 ? [] : [{ kind: 'match', left: { kind: 'numgen', modulus: left }, right: 0 }], target);
    }),
    // When the affinity set is full, clients are served without affinity.
    ...(affinitySeconds === undefined || first === undefined ? [] : [rule([], first, false)]),
  ];
}

/**
 * Session affinity without a chain per Service or endpoint.
 *
 * A client is remembered by its address and the number of the service port, and what is remembered is the number of an
 * endpoint, which is looked up among the endpoints of the list in use: so no client is ever sent to one that was removed, or
 * that this list does not have. The mark carries the number of the service port, the priority that of the endpoint; the
 * mark itself is kept in a map meanwhile.
 */
function stickyRules(chain: PickChain, context: LayoutContext): Rule[] {
  const { mark, priority } = nftFields;
  const fields = fieldsOf(context.family);
  const names = SPACE_CONTAINERS[chain.space];
  const key = fields.key[chain.space];
  const client = [fields.client, mark];
  const flowMark = { kind: 'write-element', set: AFFINITY_MARKS, key: fields.flow, value: mark } as const;
  const clientNumber = { kind: 'write-element', set: AFFINITY, key: client, value: priority } as const;
  const setTo = (to: typeof mark | typeof priority, of: readonly NftField[], map: string): NftStatement => ({
    ...{ kind: 'assign', to, value: { kind: 'lookup', key: of, map } },
  });
  const keepMark: Rule = [{ ...flowMark, operation: 'update' }, setTo(mark, key, names.affinityIds)];
  const draw = (count: number): Rule => [setTo(priority, [...key, slot(chain, count, context)], names.affinityNumbers)];
  const send: Rule[] = [
    // In the local list endpoints go by their number with the last bit set.
    ...(chain.list === 'local'
      ? [
          [
            { kind: 'assign', to: priority, value: { kind: 'bitwise', left: priority, operator: '|', right: 1 } },
          ] as const,
        ]
      : []),
    [WITH_PORTS, sendTo(context.family, { kind: 'lookup', key: [...key, priority], map: names.affinityEndpoints })],
  ];
  const timeout = chain.affinitySeconds === undefined ? {} : { timeoutSeconds: chain.affinitySeconds };
  const rememberAndSend: Rule[] = [
    draw(chain.count),
    // Adds the client with the endpoint that was drawn. One that is there keeps what it has, and gets more time.
    [{ ...clientNumber, operation: 'update', ...timeout }],
    [setTo(priority, client, AFFINITY)],
    [setTo(mark, fields.flow, AFFINITY_MARKS)],
    [{ ...flowMark, operation: 'delete' }],
    ...send,
  ];
  return [
    keepMark,
    ...rememberAndSend,
    // The recorded endpoint is not usable: choose again, from the start.
    keepMark,
    [{ ...clientNumber, operation: 'delete' }],
    ...rememberAndSend,
    draw(1),
    ...send,
  ];
}
