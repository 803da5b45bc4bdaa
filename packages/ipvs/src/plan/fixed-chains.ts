import { hostCIDR, type IPFamily, type LocalTrafficDetector, type NodeState } from '@kube-proxier/core';
import { type IptablesMatch, type IptablesProtocol, IptablesRule, type IptablesRuleParts } from '@kube-proxier/linux';
import { CHAINS, type MarkLayout, type SetRole, setName } from './layout.js';

/** The tables with rules. */
export type RuleTable = 'mangle' | 'nat' | 'filter';

export const RULE_TABLES: readonly RuleTable[] = ['mangle', 'nat', 'filter'];

/** Input of rules besides the state. */
export interface FixedChainsContext {
  readonly family: IPFamily;
  readonly node: NodeState;
  readonly masqueradeBit: number;
  readonly marks: MarkLayout;
  /** MASQUERADE supports `--random-fully`. */
  readonly randomFully: boolean;
  /** Rules of ranges of ports. Default: none. */
  readonly ranges?: RangeChains;
}

/** Rules for port ranges. */
export interface RangeChains {
  /** mangle: rules that set marks. */
  readonly marking: readonly IptablesRule[];
  /** Endpoints on this node, for hairpin traffic at any port. */
  readonly hairpins: readonly string[];
}

/** Chains with their rules, by table. Their number does not depend on Services. */
export type FixedChains = Readonly<Record<RuleTable, ReadonlyMap<string, readonly IptablesRule[]>>>;

/** Jumps from built-in chains to own chains. */
export const JUMPS: Readonly<Record<RuleTable, readonly { from: string; rule: IptablesRule }[]>> = {
  mangle: [
    jump('PREROUTING', CHAINS.services, 'kubernetes service portals'),
    jump('OUTPUT', CHAINS.services, 'kubernetes service portals'),
  ],
  nat: [jump('POSTROUTING', CHAINS.postrouting, 'kubernetes postrouting rules')],
  filter: [
    jump('INPUT', CHAINS.input, 'kubernetes ipvs access filter'),
    jump('FORWARD', CHAINS.forward, 'kubernetes forwarding rules'),
  ],
};

function jump(from: string, chain: string, comment: string) {
  return { from, rule: new IptablesRule({ comment, target: { target: 'jump', chain } }) };
}

const PROTOCOLS: readonly IptablesProtocol[] = ['tcp', 'udp', 'sctp'];
const NEW = { match: 'conntrack', states: ['NEW'] } as const satisfies IptablesMatch;
export const FROM_HERE: IptablesMatch = { match: 'addrtype', side: 'src', type: 'LOCAL' };

const NOT_TO_HERE: IptablesMatch = { match: 'addrtype', side: 'dst', type: 'LOCAL', not: true };

/** The constant rules: Services are only in sets. */
export function fixedChains(context: FixedChainsContext): FixedChains {
  return {
    mangle: new Map([
      [CHAINS.services, services(context)],
      [CHAINS.ranges, context.ranges?.marking ?? []],
      [CHAINS.shortcut, [shortcut(context)]],
    ]),
    nat: new Map([
      [CHAINS.postrouting, postrouting(context)],
      [CHAINS.shortcut, afterShortcut(context)],
    ]),
    filter: new Map([
      [CHAINS.input, input(context)],
      [CHAINS.forward, forward()],
    ]),
  };
}

/** Before IPVS: incoming packets in PREROUTING, packets of this node in OUTPUT. */
function services(context: FixedChainsContext): readonly IptablesRule[] {
  const { node } = context;
  const { detector } = node;
  const toFrontendIn = (role: SetRole) => inSet(context, role, 'dst', 'dst');
  const shortcut = { target: 'goto', chain: CHAINS.shortcut } as const;
  const drop = { target: 'DROP' } as const;
  return [
    // IPVS tracks connections; only the first packet is evaluated.
    rule({ matches: [{ ...NEW, not: true }], target: { target: 'RETURN' } }),
    rule({
      matches: [toFrontendIn('GUARDED'), { ...inSet(context, 'ALLOWED', 'dst', 'dst', 'src'), not: true }],
      target: drop,
    }),
    ...(context.ranges?.marking.length ? [rule({ target: { target: 'jump', chain: CHAINS.ranges } })] : []),
    // Pods are matched before the node's own addresses (spec O-10).
    ...(detector.kind === 'none'
      ? []
      : [rule({ ...fromPods(detector), matches: [toFrontendIn('SHORTCUT')], target: shortcut })]),
    rule({ matches: [FROM_HERE, toFrontendIn('SHORTCUT')], target: shortcut }),
    rule({
      protocol: 'tcp',
      matches: [{ match: 'no-syn' }, toFrontendIn('RESETS')],
      target: { target: 'RETURN' },
    }),
    rule({ matches: [toFrontendIn('DROP')], target: drop }),
    ...node.serviceCIDRs.flatMap((value) =>
      PROTOCOLS.map((protocol) =>
        rule({
          destination: { value },
          protocol,
          // A cluster IP may be on another interface, too, such as that of a DNS cache.
          matches: [{ ...inSet(context, 'ADDRESSES', 'dst'), not: true }, NOT_TO_HERE],
          target: drop,
        }),
      ),
    ),
    rule({ matches: [toFrontendIn('MASQUERADE')], target: setBit(context) }),
    rule({
      ...(detector.kind === 'none' ? {} : fromPods(detector, true)),
      matches: [toFrontendIn('OFF-CLUSTER')],
      target: setBit(context),
    }),
    // A process of this node that connects to a virtual address uses it as its source address.
    rule({ matches: [inSet(context, 'ADDRESSES', 'src'), toFrontendIn('FRONTENDS')], target: setBit(context) }),
  ];
}

function shortcut(context: FixedChainsContext): IptablesRule {
  return rule({ target: { target: 'SET', markFrom: setName('SHORTCUT', context.family), sides: ['dst', 'dst'] } });
}

/** After IPVS: the destination is the endpoint. */
function postrouting(context: FixedChainsContext): readonly IptablesRule[] {
  const { masqueradeBit, marks, randomFully, ranges } = context;
  const bit = (1 << masqueradeBit) >>> 0;
  const masquerade = { target: 'MASQUERADE', randomFully } as const;
  return [
    rule({
      matches: [{ match: 'mark', value: marks.value, mask: marks.mask }],
      target: { target: 'jump', chain: CHAINS.shortcut },
    }),
    // Marks of ranges determine masquerading.
    ...(ranges?.marking.length
      ? [
          rule({
            matches: [{ match: 'mark', ...marks.masqueradedRanges }],
            target: { target: 'MARK', value: bit, mask: 0xffff_ffff },
          }),
          rule({
            matches: [{ match: 'mark', ...marks.ranges }],
            target: { target: 'MARK', value: 0, mask: 0xffff_ffff },
          }),
        ]
      : []),
    rule({ matches: [inSet(context, 'HAIRPIN', 'dst', 'dst', 'src')], target: masquerade }),
    ...(ranges?.hairpins ?? []).map((address) => {
      const host = { value: hostCIDR(address) };
      return rule({ source: host, destination: host, target: masquerade });
    }),
    rule({ matches: [{ match: 'mark', value: bit, mask: bit, not: true }], target: { target: 'RETURN' } }),
    // The mark must not outlive this pass: encapsulated packets come through here again (spec I-20).
    rule({ target: { target: 'MARK', value: bit, mask: 0 } }),
    rule({ target: masquerade }),
  ];
}

/** The mark has selected its virtual server. It now only determines masquerading: for the node, not for pods. */
function afterShortcut(context: FixedChainsContext): readonly IptablesRule[] {
  const { detector } = context.node;
  return [
    rule({ target: { target: 'MARK', value: 0, mask: 0xffff_ffff } }),
    // The input interface is unknown at this point; addresses of pods are not node addresses.
    ...(detector.kind === 'source-cidr'
      ? [rule({ source: { value: detector.cidr }, target: { target: 'RETURN' } })]
      : []),
    rule({ matches: [FROM_HERE], target: setBit(context) }),
  ];
}

/** Other ports of a virtual address would otherwise reach the node itself. */
function input(context: FixedChainsContext): readonly IptablesRule[] {
  const reject = context.family === 'IPv6' ? 'icmp6-port-unreachable' : 'icmp-port-unreachable';
  return [
    rule({ protocol: 'tcp', matches: [inSet(context, 'HEALTH-CHECK', 'dst', 'dst')], target: { target: 'ACCEPT' } }),
    ...(context.ranges?.marking.length
      ? [rule({ matches: [{ match: 'mark', ...context.marks.ranges }], target: { target: 'RETURN' } })]
      : []),
    ...PROTOCOLS.map((protocol) =>
      rule({
        protocol,
        matches: [NEW, inSet(context, 'ADDRESSES', 'dst'), { ...inSet(context, 'FRONTENDS', 'dst', 'dst'), not: true }],
        target: { target: 'REJECT', with: reject },
      }),
    ),
  ];
}

/** Packets of IPVS to endpoints pass OUTPUT; their replies are forwarded. */
function forward(): readonly IptablesRule[] {
  const states = ['RELATED', 'ESTABLISHED'] as const;
  return [rule({ matches: [{ match: 'conntrack', states }], target: { target: 'ACCEPT' } })];
}

function setBit({ masqueradeBit }: FixedChainsContext) {
  const bit = (1 << masqueradeBit) >>> 0;
  return { target: 'MARK', value: bit, mask: bit } as const;
}

function inSet({ family }: FixedChainsContext, role: SetRole, ...sides: readonly ('src' | 'dst')[]) {
  return { match: 'set', set: setName(role, family), sides } as const;
}

export function fromPods(
  detector: LocalTrafficDetector,
  not = false,
): Pick<IptablesRuleParts, 'source' | 'inInterface'> {
  const is = (value: string) => (not ? { value, not } : { value });
  switch (detector.kind) {
    case 'source-cidr':
      return { source: is(detector.cidr) };
    case 'interface':
      return { inInterface: is(detector.name) };
    case 'interface-prefix':
      return { inInterface: is(`${detector.prefix}+`) };
    case 'none':
      return {};
  }
}

function rule(parts: IptablesRuleParts): IptablesRule {
  return new IptablesRule(parts);
}
