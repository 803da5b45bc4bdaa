import { type NftField, type NftLookup, type NftStatement, nftFields } from '@kube-proxier/linux';
import type { Chain, LayoutContext, Rule } from './chain.js';
import { anyPortRule, countRules } from './count-rules.js';
import { DRAWS } from './endpoint-slots.js';
import { base, IS_FORWARDED, isLocal, nodePortMatch, podMatch, setMark, WITH_PORTS } from './fixed-chains.js';
import {
  COUNT_ENDPOINT,
  type GuardChain,
  type KindChain,
  type ListChain,
  type PickChain,
  type RouteChain,
  type TrafficChain,
} from './frontend-chains.js';
import {
  AFFINITY,
  AFFINITY_MARKS,
  endpointsMap,
  fieldsOf,
  HASH_SEED,
  LOCAL_SLOTS,
  protocolPort,
  RANGE_CONTAINERS,
  SPACE_CONTAINERS,
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
        ? { rules: countRules(context, 'connections') }
        : {
            // At the SNAT hook, each connection passes once, with its first packet and after filtering, including those
            // of this node to itself. Must be the first chain of this type, as none is called after a translation.
            base: base('nat', chain.hook, -100),
            rules: [
              [IS_FORWARDED, ...anyPortRule(context, 'connections')],
              [IS_FORWARDED, { kind: 'goto', chain: COUNT_ENDPOINT.name }],
            ],
          };
    case 'traffic':
      return { rules: trafficRules(chain, context) };
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

/** Packets to endpoints were looked up with {@link anyPortRule} before they come here. */
function trafficRules({ direction }: TrafficChain, context: LayoutContext): Rule[] {
  const first = direction === 'to-clients' ? [anyPortRule(context, direction)] : [];
  return [...first, ...countRules(context, direction)];
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
