import type { IPFamily, NodePortAddresses } from '@kube-proxier/core';
import { type IptablesMatch, IptablesRule, type IptablesRuleParts, type IptablesTarget } from '@kube-proxier/linux';
import type { HostFacts } from './installed-iptables.js';
import type { Chain } from './iptables-transaction.js';
import { CHAINS } from './layout.js';

const LOOPBACK = '127.0.0.0/8';

/** kube-proxy's names (spec I-72). */
export const COUNTERS = {
  /** Packets that conntrack calls INVALID, and that are dropped. */
  invalidDropped: 'ct_state_invalid_dropped_pkts',
  /** Connections to NodePorts on 127.0.0.0/8. */
  localhostNodePorts: 'localhost_nps_accepted_pkts',
} as const;

/** A jump from a built-in chain to an own chain. */
export interface Jump {
  readonly table: 'filter' | 'nat';
  readonly from: string;
  readonly rule: IptablesRule;
}

function jump(chain: string): IptablesTarget {
  return { target: 'jump', chain };
}

function jumpRule(table: Jump['table'], from: string, to: string, comment: string, onlyNew = false): Jump {
  const parts: IptablesRuleParts = onlyNew
    ? { matches: [{ match: 'conntrack', states: ['NEW'] }], comment, commentAfter: 1 }
    : { comment };
  return { table, from, rule: new IptablesRule({ ...parts, target: jump(to) }) };
}

const FIREWALL = 'kubernetes load balancer firewall';
const PORTALS = 'kubernetes service portals';
const EXTERNAL = 'kubernetes externally-visible service portals';

/**
 * In order, from the top of each chain (spec I-10). kube-proxy lacks the jump from OUTPUT to KUBE-EXTERNAL-SERVICES
 * (spec B-15), so packets of its own node are not rejected.
 */
export const JUMPS: readonly Jump[] = [
  jumpRule('filter', 'INPUT', CHAINS.proxyFirewall, FIREWALL, true),
  jumpRule('filter', 'INPUT', CHAINS.nodePorts, 'kubernetes health check service ports'),
  jumpRule('filter', 'INPUT', CHAINS.externalServices, EXTERNAL, true),
  jumpRule('filter', 'FORWARD', CHAINS.proxyFirewall, FIREWALL, true),
  jumpRule('filter', 'FORWARD', CHAINS.forward, 'kubernetes forwarding rules'),
  jumpRule('filter', 'FORWARD', CHAINS.services, PORTALS, true),
  jumpRule('filter', 'FORWARD', CHAINS.externalServices, EXTERNAL, true),
  jumpRule('filter', 'OUTPUT', CHAINS.proxyFirewall, FIREWALL, true),
  jumpRule('filter', 'OUTPUT', CHAINS.services, PORTALS, true),
  jumpRule('filter', 'OUTPUT', CHAINS.externalServices, EXTERNAL, true),
  jumpRule('nat', 'PREROUTING', CHAINS.services, PORTALS),
  jumpRule('nat', 'OUTPUT', CHAINS.services, PORTALS),
  jumpRule('nat', 'POSTROUTING', CHAINS.postrouting, 'kubernetes postrouting rules'),
];

/** See `CHAINS.marker`. Not by a comment: rules of large clusters have none. */
const MARKER = new IptablesRule({ target: jump(CHAINS.marker) });

/** The jump that kube-proxy lacks. */
export const OWN_JUMP: Jump | undefined = JUMPS.find(
  ({ from, rule }) => from === 'OUTPUT' && rule.bareText.endsWith(`-j ${CHAINS.externalServices}`),
);

/** The chains that always exist. Their content depends on the host, not on Services. */
export function fixedChains(
  family: IPFamily,
  masqueradeBit: number,
  facts: HostFacts,
): { readonly filter: Map<string, Chain>; readonly nat: Map<string, Chain> } {
  const bit = (1 << masqueradeBit) >>> 0;
  const marked: IptablesMatch = { match: 'mark', value: bit, mask: bit };
  const notMarked: IptablesMatch = { ...marked, not: true };
  const counting = (counter: string): readonly IptablesMatch[] =>
    facts.counters.has(counter) ? [{ match: 'nfacct', counter }] : [];
  const forward = [
    ...(facts.dropInvalid
      ? [
          new IptablesRule({
            matches: [{ match: 'conntrack', states: ['INVALID'] }, ...counting(COUNTERS.invalidDropped)],
            target: { target: 'DROP' },
          }),
        ]
      : []),
    new IptablesRule({ comment: 'kubernetes forwarding rules', matches: [marked], target: { target: 'ACCEPT' } }),
    new IptablesRule({
      comment: 'kubernetes forwarding conntrack rule',
      matches: [{ match: 'conntrack', states: ['RELATED', 'ESTABLISHED'] }],
      target: { target: 'ACCEPT' },
    }),
    MARKER,
  ];
  const countLocalhost = counting(COUNTERS.localhostNodePorts);
  const postrouting = [
    // kube-proxy has a rule for each NodePort; a translated packet to loopback was for one of them.
    ...(countLocalhost.length === 0 || family === 'IPv6'
      ? []
      : [
          new IptablesRule({
            matches: [{ match: 'conntrack', states: ['DNAT'], originalDestination: LOOPBACK }, ...countLocalhost],
          }),
        ]),
    // May set the mark, so it precedes the rules that match it.
    new IptablesRule({ matches: [notMarked, { match: 'conntrack', states: ['DNAT'] }], target: jump(CHAINS.hairpin) }),
    new IptablesRule({ matches: [notMarked], target: { target: 'RETURN' } }),
    // The mark must not outlive this pass: encapsulated packets come through here again (spec I-20).
    new IptablesRule({ target: { target: 'MARK', value: bit, mask: 0 } }),
    new IptablesRule({
      comment: 'kubernetes service traffic requiring SNAT',
      target: { target: 'MASQUERADE', randomFully: facts.randomFully },
    }),
    // No packet reaches this.
    MARKER,
  ];
  const mark = [new IptablesRule({ target: { target: 'MARK', value: bit, mask: bit } })];
  return {
    filter: new Map([
      [CHAINS.marker, { rules: [] }],
      [CHAINS.forward, { rules: forward }],
    ]),
    nat: new Map([
      [CHAINS.marker, { rules: [] }],
      [CHAINS.postrouting, { rules: postrouting }],
      [CHAINS.markMasquerade, { rules: mark }],
    ]),
  };
}

const LAST = 'kubernetes service nodeports; NOTE: this must be the last rule in this chain';

/** The jumps to `chain` for packets to the node's own addresses (spec I-25). */
export function nodePortJumps(family: IPFamily, addresses: NodePortAddresses, chain: string): readonly IptablesRule[] {
  const target = jump(chain);
  if (addresses.kind === 'all') {
    const except =
      family === 'IPv6'
        ? { destination: { value: '::1/128', not: true } }
        : addresses.loopback
          ? {}
          : { destination: { value: LOOPBACK, not: true } };
    return [
      new IptablesRule({
        ...except,
        comment: LAST,
        matches: [{ match: 'addrtype', side: 'dst', type: 'LOCAL' }],
        target,
      }),
    ];
  }
  const isLoopback = (address: string) => address.startsWith('127.') || address === '::1';
  // The kernel has no route_localnet for IPv6: it drops translated packets from ::1 (spec K-103).
  const loopback = family === 'IPv4' && addresses.loopback;
  const listed = addresses.addresses
    .filter((address) => !isLoopback(address) || loopback)
    .map((address) => (address.includes(':') ? `${address}/128` : `${address}/32`));
  const networks = loopback && !addresses.addresses.some(isLoopback) ? [...listed, LOOPBACK] : listed;
  return networks.map((value) => new IptablesRule({ destination: { value }, comment: LAST, target }));
}

/**
 * When 127.0.0.0/8 is routed, foreign hosts must not reach its listeners (spec I-24). Identical to the kubelet's rule
 * in the kubelet's chain.
 */
export const LOCALNET_GUARD = new IptablesRule({
  source: { value: LOOPBACK, not: true },
  destination: { value: LOOPBACK },
  comment: 'block incoming localnet connections',
  matches: [{ match: 'conntrack', states: ['RELATED', 'ESTABLISHED', 'DNAT'], not: true }],
  target: { target: 'DROP' },
});

export const LOCALNET_GUARD_JUMP = new IptablesRule({ target: jump(CHAINS.localnetGuard) });
export const LOCALNET_GUARD_HOOKS: readonly string[] = ['INPUT', 'OUTPUT'];

/** Whether packets to 127.0.0.0/8 may come and go by interfaces other than lo. */
export const ROUTE_LOCALNET = 'net/ipv4/conf/all/route_localnet';
