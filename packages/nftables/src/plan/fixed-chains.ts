import type { IPFamily, LocalTrafficDetector } from '@kube-proxier/core';
import { type NftBaseChain, type NftField, type NftStatement, nftFields } from '@kube-proxier/linux';
import { NftablesUnusableName } from '../nftables-error.js';
import type { Chain, LayoutContext, Rule } from './chain.js';
import { anyPortRule } from './count-rules.js';
import { COUNT_REPLIES, COUNT_SERVICE, COUNT_TRAFFIC } from './frontend-chains.js';
import { CLUSTER_IPS, fieldsOf, HAIRPIN, NODE_PORT_ADDRESSES, RANGE_CONTAINERS, SPACE_CONTAINERS } from './layout.js';

/** The protocols that Services have. Also declares to nft that ports exist. */
export const WITH_PORTS: NftStatement = { kind: 'one-of', left: nftFields.protocol, values: ['tcp', 'udp', 'sctp'] };

export function markBit(context: Pick<LayoutContext, 'masqueradeBit'>): number {
  return (1 << context.masqueradeBit) >>> 0;
}

/** Sets the mark with which a packet is masqueraded in POSTROUTING. */
export function setMark(context: LayoutContext): NftStatement {
  return changeMark('|', markBit(context));
}

function changeMark(operator: '|' | '^', right: number): NftStatement {
  const { mark } = nftFields;
  return { kind: 'assign', to: mark, value: { kind: 'bitwise', left: mark, operator, right } };
}

const INTERFACE_NAME = /^[^\s"'\\*/]{1,15}$/;

function fromInterface(name: string, wildcard: '' | '*'): NftStatement {
  if (!INTERFACE_NAME.test(name)) {
    throw new NftablesUnusableName(name);
  }
  return { kind: 'match', left: { kind: 'meta', key: 'iifname' }, right: `${name}${wildcard}` };
}

/** The match for packets of pods; undefined where they cannot be distinguished. */
export function podMatch(family: IPFamily, detector: LocalTrafficDetector): NftStatement | undefined {
  switch (detector.kind) {
    case 'none':
      return undefined;
    case 'source-cidr':
      return { kind: 'match', left: fieldsOf(family).saddr, right: detector.cidr };
    case 'interface':
      return fromInterface(detector.name, '');
    case 'interface-prefix':
      return fromInterface(detector.prefix, '*');
  }
}

/** The match for addresses on which NodePorts are served. Excludes loopback addresses (spec N-43). */
export function nodePortMatch({ family, node }: LayoutContext): Rule {
  const { daddr } = fieldsOf(family);
  return node.nodePortAddresses.kind === 'listed'
    ? [{ kind: 'member', key: [daddr], set: NODE_PORT_ADDRESSES }]
    : [
        isLocal('daddr'),
        { kind: 'match', left: daddr, operator: '!=', right: family === 'IPv4' ? '127.0.0.0/8' : '::1' },
      ];
}

/** The match for addresses of this node. */
export function isLocal(address: 'saddr' | 'daddr'): NftStatement {
  return { kind: 'match', left: { kind: 'fib', address }, right: 'local' };
}

/** Packets to addresses that this node does not have. */
const IS_NOT_HERE: NftStatement = {
  ...{ kind: 'match', left: { kind: 'fib', address: 'daddr' } },
  ...{ operator: '!=', right: 'local' },
};

/** Connections whose destination was changed. */
export const IS_FORWARDED: NftStatement = { kind: 'match', left: { kind: 'ct', key: 'status' }, right: 'dnat' };

/** Packets that this node did not send to itself. */
const IS_NO_LOOPBACK: NftStatement = {
  ...{ kind: 'match', left: { kind: 'meta', key: 'iifname' } },
  ...{ operator: '!=', right: 'lo' },
};

export const base = (type: NftBaseChain['type'], hook: NftBaseChain['hook'], priority: number): NftBaseChain => ({
  type,
  hook,
  priority,
});

/** Packets from endpoints. Untracked and invalid packets have no direction. */
const IS_REPLY: NftStatement = { kind: 'match', left: { kind: 'ct', key: 'direction' }, right: 'reply' };

/**
 * Rules of a base chain of type filter. With traffic counters, packets of DNAT connections are counted. Packets of other
 * established connections are accepted; only new connections traverse the given chains.
 */
function filterRules(hook: 'input' | 'forward' | 'output', context: LayoutContext, chains: readonly string[]): Rule[] {
  return [
    ...(context.features.traffic ? trafficRules(hook, context) : []),
    [{ kind: 'match', left: { kind: 'ct', key: 'state' }, operator: '!=', right: 'new' }, { kind: 'accept' }],
    ...chains.map(jumpTo),
  ];
}

/** The usual lookup of packets to endpoints is here, as a jump has a cost for each packet. */
function trafficRules(hook: 'input' | 'forward' | 'output', context: LayoutContext): Rule[] {
  // Packets of this node to itself were counted at output. Like the other chains, the counting chains accept DNAT
  // connections.
  const counted = [IS_FORWARDED, ...(hook === 'input' ? [IS_NO_LOOPBACK] : [])];
  return [
    [IS_REPLY, ...counted, { kind: 'goto', chain: COUNT_REPLIES.name }],
    [...counted, ...anyPortRule(context, 'to-endpoints')],
    [...counted, { kind: 'goto', chain: COUNT_TRAFFIC.name }],
  ];
}

function jumpTo(chain: string): Rule {
  return [{ kind: 'jump', chain }];
}

/** Chains that always exist. */
export function fixedChains(context: LayoutContext): ReadonlyMap<string, Chain> {
  const { family, node, fullyRandom, features } = context;
  const { saddr, daddr, key } = fieldsOf(family);
  const bit = markBit(context);
  const masquerade: NftStatement = { kind: 'masquerade', fullyRandom };
  const reject: NftStatement = { kind: 'reject' };
  const isRefused = (of: readonly NftField[], set: string): NftStatement => ({ kind: 'member', key: of, set });
  const { address, 'node-port': nodePort } = SPACE_CONTAINERS;
  const nodePortAddress = nodePortMatch(context);
  const first = features.counters ? COUNT_SERVICE.name : 'dispatch';
  return new Map<string, Chain>([
    [
      'dispatch',
      {
        rules: [
          [{ kind: 'vmap', key: key.address, map: address.dispatch }],
          // After single ports, whose cost is unchanged, and before NodePorts: an address with such a range has
          // precedence.
          ...(features.ranges ? [[{ kind: 'vmap', key: key.address, map: RANGE_CONTAINERS.dispatch } as const]] : []),
          [...nodePortAddress, { kind: 'vmap', key: key['node-port'], map: nodePort.dispatch }],
        ],
      },
    ],
    ['nat-prerouting', { base: base('nat', 'prerouting', -100), rules: [jumpTo(first)] }],
    ['nat-output', { base: base('nat', 'output', -100), rules: [jumpTo(first)] }],
    // A packet during a commit may match a new element and an old rule, or vice versa, and find no endpoint. It is
    // evaluated again. Forwarded packets do not reach this rule.
    ['nat-prerouting-again', { base: base('nat', 'prerouting', -99), rules: [jumpTo('dispatch')] }],
    ['nat-output-again', { base: base('nat', 'output', -99), rules: [jumpTo('dispatch')] }],
    [
      'nat-postrouting',
      {
        base: base('nat', 'postrouting', 100),
        rules: [
          // The mark must not outlive this pass: encapsulated packets come through here again.
          [
            {
              ...{ kind: 'match', operator: '!=', right: 0 },
              left: { kind: 'bitwise', left: nftFields.mark, operator: '&', right: bit },
            },
            changeMark('^', bit),
            masquerade,
          ],
          [IS_FORWARDED, { kind: 'member', key: [saddr, daddr], set: HAIRPIN }, masquerade],
        ],
      },
    ],
    // Forwarded packets have another destination at this point, and are accepted.
    [
      'closed-services',
      {
        rules: [
          [IS_FORWARDED, { kind: 'accept' }],
          [isRefused(key.address, address.refused), reject],
          ...(features.ranges ? [[isRefused(key.address, RANGE_CONTAINERS.refused), reject]] : []),
        ],
      },
    ],
    ['closed-node-ports', { rules: [[...nodePortAddress, isRefused(key['node-port'], nodePort.refused), reject]] }],
    // Every protocol, ICMP included. An address that the node itself has, as a DNS cache does, is left to its processes.
    ['closed-cluster-ips', { rules: [[{ kind: 'member', key: [daddr], set: CLUSTER_IPS }, IS_NOT_HERE, reject]] }],
    [
      'closed-networks',
      {
        rules: node.serviceCIDRs.map(
          (cidr): Rule => [{ kind: 'match', left: daddr, right: cidr }, IS_NOT_HERE, { kind: 'drop' }],
        ),
      },
    ],
    [
      'filter-input',
      {
        base: base('filter', 'input', 0),
        rules: filterRules('input', context, ['closed-services', 'closed-node-ports']),
      },
    ],
    ...(['forward', 'output'] as const).map(
      (hook) =>
        [
          `filter-${hook}`,
          {
            base: base('filter', hook, 0),
            rules: filterRules(hook, context, ['closed-services', 'closed-cluster-ips', 'closed-networks']),
          },
        ] as const,
    ),
  ]);
}
