import { type NftField, type NftLookup, type NftStatement, nftFields } from '@kube-proxier/linux';
import { DRAWS } from './endpoint-slots.js';
import {
  base,
  type Chain,
  IS_FORWARDED,
  isLocal,
  type LayoutContext,
  nodePortMatch,
  podMatch,
  type Rule,
  setMark,
  WITH_PORTS,
} from './fixed-chains.js';
import {
  COUNT_ENDPOINT,
  COUNT_REPLIES,
  type GuardChain,
  type KindChain,
  type ListChain,
  type PickChain,
  type RouteChain,
} from './frontend-chains.js';
import {
  AFFINITY,
  AFFINITY_MARKS,
  type EndpointQuantity,
  endpointCounters,
  endpointsMap,
  fieldsOf,
  HASH_SEED,
  LOCAL_SLOTS,
  PROTOCOLS,
  protocolPort,
  RANGE_CONTAINERS,
  SPACE_CONTAINERS,
  type TrafficScope,
} from './layout.js';

/** The rules of a chain. */
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
      const dispatch: NftStatement = { kind: 'goto', chain: 'dispatch' };
      return {
        rules: [
          // Counts by lookup result: a check for node addresses would double the cost.
          [{ kind: 'count', key: key.address, map: address.counters }, dispatch],
          ...(context.features.ranges
            ? [[{ kind: 'count', key: key.address, map: RANGE_CONTAINERS.counters } as const, dispatch]]
            : []),
          [...nodePortMatch(context), { kind: 'count', key: key['node-port'], map: nodePort.counters }],
          [dispatch],
        ],
      };
    }
    case 'count-endpoint':
      return chain.hook === undefined
        ? { rules: countRules(context, 'connections', 'destination') }
        : {
            // At the SNAT hook, each connection passes once, with its first packet and after filtering, including those
            // of this node to itself. Must be the first chain of this type, as none is called after a translation.
            base: base('nat', chain.hook, -100),
            rules: [[IS_FORWARDED, { kind: 'goto', chain: COUNT_ENDPOINT.name }]],
          };
    case 'traffic': {
      const isReply: NftStatement = { kind: 'match', left: { kind: 'ct', key: 'direction' }, right: 'reply' };
      return {
        rules: [
          ...(chain.direction === 'to-endpoints'
            ? [[isReply, { kind: 'goto', chain: COUNT_REPLIES.name } as const]]
            : []),
          ...countRules(context, chain.direction, chain.direction === 'to-endpoints' ? 'destination' : 'source'),
        ],
      };
    }
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
          ...(context.features.ranges
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

/**
 * The frontend and the endpoint of a connection, which the packet has as its source or destination: the same for all
 * packets. The kernel reads the packet much faster than the tuples of its connection. The port of the packet is first:
 * nft lists it as `tcp dport`, without the protocol match, which it then has for the port of the connection.
 */
function endpointKeys(
  { family, features }: LayoutContext,
  endpoint: 'source' | 'destination',
): readonly (readonly [TrafficScope, readonly NftField[]])[] {
  const { protocol, saddr, daddr, family: nft } = fieldsOf(family);
  const from = [saddr, nftFields.port('th', 'sport')] as const;
  const to = [daddr, nftFields.port('th', 'dport')] as const;
  const key = [protocol, ...(endpoint === 'source' ? from : to), nftFields.tuple('original', 'proto-dst')];
  const withAddress = [nftFields.tuple('original', `${nft} daddr`), ...key];
  return [['address', withAddress], ...(features.ranges ? [['range', withAddress] as const] : []), ['node-port', key]];
}

/**
 * Rules that count the packets that they are evaluated for, by frontend and endpoint.
 *
 * @param endpoint where the packet has its endpoint.
 */
function countRules(context: LayoutContext, quantity: EndpointQuantity, endpoint: 'source' | 'destination'): Rule[] {
  const { protocol: field } = fieldsOf(context.family);
  const keys = endpointKeys(context, endpoint);
  return PROTOCOLS.flatMap((protocol) =>
    keys.map(
      ([scope, key]): Rule => [
        // nft requires a protocol match before conntrack ports.
        { kind: 'match', left: field, right: protocol.toLowerCase() },
        { kind: 'count', key, map: endpointCounters(scope, quantity) },
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

/** DNAT to the endpoint of a map lookup. */
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
  // A packet may be dispatched just before a removal of endpoints, and look up a slot just after. The first slot exists
  // as long as any slot.
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
 * The affinity map maps the client's address and the number of the service port to the number of an endpoint, which is
 * looked up among the endpoints of the list in use: so no client is ever sent to a removed endpoint, or to one outside
 * of this list. The mark carries the number of the service port, the priority that of the endpoint; the original mark
 * is saved in a map meanwhile.
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
    // In the local list, the last bit of endpoint numbers is set.
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
    // Adds the client with the selected endpoint. An existing entry keeps its endpoint, and its timeout is renewed.
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
