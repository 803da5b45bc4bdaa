import type { IPFamily, LocalTrafficDetector, NodeState } from '@kube-proxier/core';
import type { NftBaseChain } from '@kube-proxier/linux';
import { NftablesUnusableName } from '../nftables-error.js';
import { CLUSTER_IPS, HAIRPIN, NODE_PORT_ADDRESSES, SPACE_CONTAINERS, wordsOf } from './layout.js';

/** A chain as it should be. */
export interface Chain {
  readonly base?: NftBaseChain;
  /** In nft's language. */
  readonly rules: readonly string[];
}

/** What the rules depend on, besides the kinds of frontend in use. */
export interface LayoutContext {
  readonly family: IPFamily;
  readonly node: NodeState;
  /** 0…31. */
  readonly masqueradeBit: number;
  /** Source ports of masqueraded packets are chosen at random (spec I-20). */
  readonly fullyRandom: boolean;
}

/** The protocols that Services have. Also declares to nft that ports exist. */
export const WITH_PORTS = 'meta l4proto { tcp, udp, sctp }';

export function markBit(context: Pick<LayoutContext, 'masqueradeBit'>): string {
  return `0x${((1 << context.masqueradeBit) >>> 0).toString(16).padStart(8, '0')}`;
}

/** Sets the mark that has a packet masqueraded on its way out. */
export function setMark(context: LayoutContext): string {
  return `meta mark set meta mark | ${markBit(context)}`;
}

const INTERFACE_NAME = /^[^\s"'\\*/]{1,15}$/;

function quoted(name: string, wildcard: '' | '*'): string {
  if (!INTERFACE_NAME.test(name)) {
    throw new NftablesUnusableName(name);
  }
  return `"${name}${wildcard}"`;
}

/** The match for packets of pods; undefined where they cannot be distinguished. */
export function podMatch(family: IPFamily, detector: LocalTrafficDetector): string | undefined {
  switch (detector.kind) {
    case 'none':
      return undefined;
    case 'source-cidr':
      return `${wordsOf(family).saddr} ${detector.cidr}`;
    case 'interface':
      return `iifname ${quoted(detector.name, '')}`;
    case 'interface-prefix':
      return `iifname ${quoted(detector.prefix, '*')}`;
  }
}

/** The match for addresses on which NodePorts are served. Loopback addresses are none of them (spec N-43). */
export function nodePortMatch({ family, node }: LayoutContext): string {
  const { daddr } = wordsOf(family);
  return node.nodePortAddresses.kind === 'listed'
    ? `${daddr} @${NODE_PORT_ADDRESSES}`
    : `fib daddr type local ${daddr} != ${family === 'IPv4' ? '127.0.0.0/8' : '::1'}`;
}

export const base = (type: NftBaseChain['type'], hook: NftBaseChain['hook'], priority: number): NftBaseChain => ({
  type,
  hook,
  priority,
});

/** The first packet of a connection through these chains. All that others meet of this table is the one rule. */
function onlyFirst(...chains: readonly string[]): string[] {
  return ['ct state != new accept', ...chains.map((name) => `jump ${name}`)];
}

/** Chains that are always there. */
export function fixedChains(context: LayoutContext): ReadonlyMap<string, Chain> {
  const { family, node, fullyRandom } = context;
  const { saddr, daddr, key } = wordsOf(family);
  const bit = markBit(context);
  const masquerade = fullyRandom ? 'masquerade fully-random' : 'masquerade';
  const { address, 'node-port': nodePort } = SPACE_CONTAINERS;
  const nodePortAddress = nodePortMatch(context);
  return new Map<string, Chain>([
    [
      'dispatch',
      {
        rules: [
          `${key.address} vmap @${address.dispatch}`,
          `${nodePortAddress} ${key['node-port']} vmap @${nodePort.dispatch}`,
        ],
      },
    ],
    ['nat-prerouting', { base: base('nat', 'prerouting', -100), rules: ['jump dispatch'] }],
    ['nat-output', { base: base('nat', 'output', -100), rules: ['jump dispatch'] }],
    // A packet that came while a transaction took effect may have met a new element and an old rule, or the other way
    // round, and found no endpoint. It is evaluated again. Forwarded packets do not reach this rule.
    ['nat-prerouting-again', { base: base('nat', 'prerouting', -99), rules: ['jump dispatch'] }],
    ['nat-output-again', { base: base('nat', 'output', -99), rules: ['jump dispatch'] }],
    [
      'nat-postrouting',
      {
        base: base('nat', 'postrouting', 100),
        rules: [
          // The mark must not outlive this pass: encapsulated packets come through here again.
          `meta mark & ${bit} != 0 meta mark set meta mark ^ ${bit} ${masquerade}`,
          `ct status dnat ${saddr} . ${daddr} @${HAIRPIN} ${masquerade}`,
        ],
      },
    ],
    // What was forwarded has another destination by now, and is done with.
    ['closed-services', { rules: ['ct status dnat accept', `${key.address} @${address.refused} reject`] }],
    ['closed-node-ports', { rules: [`${nodePortAddress} ${key['node-port']} @${nodePort.refused} reject`] }],
    ['closed-cluster-ips', { rules: [`${WITH_PORTS} ${daddr} @${CLUSTER_IPS} reject`] }],
    ['closed-networks', { rules: node.serviceCIDRs.map((cidr) => `${WITH_PORTS} ${daddr} ${cidr} drop`) }],
    [
      'filter-input',
      {
        base: base('filter', 'input', 0),
        rules: onlyFirst('closed-services', 'closed-node-ports', 'closed-cluster-ips'),
      },
    ],
    ...(['forward', 'output'] as const).map(
      (hook) =>
        [
          `filter-${hook}`,
          {
            base: base('filter', hook, 0),
            rules: onlyFirst('closed-services', 'closed-cluster-ips', 'closed-networks'),
          },
        ] as const,
    ),
  ]);
}
