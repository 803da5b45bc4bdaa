import { type IPFamily, joinHostPort, type NodeState, type Route } from '@kube-proxier/core';
import {
  type IptablesMatch,
  type IptablesProtocol,
  IptablesRule,
  type IptablesRuleParts,
  type IptablesTarget,
} from '@kube-proxier/linux';
import { intersectNetworks } from './intersect-networks.js';
import type { RedirectedListener } from './redirect-state.js';
import type { Portal } from './userspace-transaction.js';

/** Chains of this backend (spec U-40…U-43); those in `filter` but the first are its own addition. */
export const CHAINS = {
  portalsContainer: 'KUBE-PORTALS-CONTAINER',
  portalsHost: 'KUBE-PORTALS-HOST',
  nodePortContainer: 'KUBE-NODEPORT-CONTAINER',
  nodePortHost: 'KUBE-NODEPORT-HOST',
  nonLocal: 'KUBE-NODEPORT-NON-LOCAL',
  refuse: 'KUBE-PORTALS-REFUSE',
} as const;

export type PortalTable = 'filter' | 'nat';

export const PORTAL_TABLES: readonly PortalTable[] = ['nat', 'filter'];

/** One rule and its chain. */
export interface PortalRule {
  readonly table: PortalTable;
  readonly chain: string;
  readonly rule: IptablesRule;
}

/** A jump from a built-in chain to an own chain. `at` is its position. */
export interface PortalJump extends PortalRule {
  readonly at: 'top' | 'bottom';
}

const CLUSTER_IPS = 'handle ClusterIPs; NOTE: this must be before the NodePort rules';
const NON_LOCAL = 'Ensure that non-local NodePort traffic can flow';
const REFUSE = 'refuse what no portal is for';
const OWN = 'connections of kube-proxier to endpoints';
const NEW: IptablesMatch = { match: 'conntrack', states: ['NEW'] };

function jump(
  table: PortalTable,
  from: string,
  to: string,
  comment: string,
  at: PortalJump['at'],
  parts: IptablesRuleParts = {},
): PortalJump {
  const rule = new IptablesRule({ ...parts, comment, target: { target: 'jump', chain: to } });
  return { table, chain: from, rule, at };
}

export const JUMPS: readonly PortalJump[] = [
  jump('nat', 'PREROUTING', CHAINS.portalsContainer, CLUSTER_IPS, 'top'),
  jump('nat', 'OUTPUT', CHAINS.portalsHost, CLUSTER_IPS, 'top'),
  jump('filter', 'INPUT', CHAINS.nonLocal, NON_LOCAL, 'top'),
  jump('filter', 'FORWARD', CHAINS.refuse, REFUSE, 'top', { matches: [NEW], commentAfter: 1 }),
  jump('filter', 'OUTPUT', CHAINS.refuse, REFUSE, 'top', { matches: [NEW], commentAfter: 1 }),
];

/** Chains that are written; the rest of {@link CHAINS} are only cleaned up after others. */
export const WRITTEN: Readonly<Record<PortalTable, readonly string[]>> = {
  nat: [CHAINS.portalsContainer, CHAINS.portalsHost],
  filter: [CHAINS.nonLocal, CHAINS.refuse],
};

function host(address: string): string {
  return address.includes(':') ? `${address}/128` : `${address}/32`;
}

function reject(family: IPFamily): IptablesTarget {
  return { target: 'REJECT', with: family === 'IPv4' ? 'icmp-port-unreachable' : 'icmp6-port-unreachable' };
}

/** All rules of one listener, in the order required within their chain. Pure. */
export function listenerRules(family: IPFamily, node: NodeState, listener: RedirectedListener): readonly PortalRule[] {
  return [...redirects(listener), ...loopbackNodePorts(listener), ...guards(family, node, listener)];
}

/**
 * Redirects packets of the host itself to a NodePort on any address of 127.0.0.0/8 to the socket on 127.0.0.1, so that
 * the reply has the expected source address. Not needed for a socket on all addresses.
 */
function loopbackNodePorts({ spec, name, at }: RedirectedListener): readonly PortalRule[] {
  const socket = at.find(({ address }) => address === '127.0.0.1');
  if (spec.place.kind !== 'node-port' || !socket) {
    return [];
  }
  const protocol = lower(spec.protocol);
  const matches: IptablesMatch[] = [{ match: 'port', protocol, first: socket.port }];
  const target: IptablesTarget = { target: 'DNAT', to: joinHostPort(socket.address, socket.port) };
  const destination = { value: '127.0.0.0/8' };
  const rule = new IptablesRule({ destination, protocol, comment: name, matches, target });
  return [{ table: 'nat', chain: CHAINS.portalsHost, rule }];
}

/** Spec U-40…U-42. The same from everywhere: packets of the host itself come through another hook. */
function redirects({ spec, name, at, notFromHost = [] }: RedirectedListener): readonly PortalRule[] {
  const [socket] = at;
  if (spec.place.kind !== 'proxy-port' || !socket) {
    return [];
  }
  const protocol = lower(spec.protocol);
  const everywhere = socket.address === '0.0.0.0' || socket.address === '::';
  const target: IptablesTarget = everywhere
    ? { target: 'REDIRECT', toPort: socket.port }
    : { target: 'DNAT', to: joinHostPort(socket.address, socket.port) };
  return spec.portals.flatMap(({ address, port }) =>
    address === undefined
      ? []
      : [CHAINS.portalsContainer, ...(isAmong(notFromHost, { address, port }) ? [] : [CHAINS.portalsHost])].map(
          (chain): PortalRule => {
            const matches: IptablesMatch[] = [{ match: 'port', protocol, first: port }];
            const destination = { value: host(address) };
            return {
              table: 'nat',
              chain,
              rule: new IptablesRule({ destination, protocol, comment: name, matches, target }),
            };
          },
        ),
  );
}

function isAmong(portals: readonly Portal[], { address, port }: Portal): boolean {
  return portals.some((other) => other.address === address && other.port === port);
}

/** Exempts this backend's own connections from all redirects of this host. It is the first rule. */
export function ownConnectionRules(mark: number): readonly PortalRule[] {
  const matches: IptablesMatch[] = [{ match: 'mark', value: mark, mask: mark }];
  const rule = new IptablesRule({ comment: OWN, matches, target: { target: 'RETURN' } });
  return [{ table: 'nat', chain: CHAINS.portalsHost, rule }];
}

/**
 * Rejects and drops clients before they are connected, which a socket cannot do. If no client is rejected, the only
 * rules accept NodePorts past foreign firewalls (spec U-43).
 */
function guards(family: IPFamily, node: NodeState, { spec, name, at }: RedirectedListener): readonly PortalRule[] {
  const protocol = lower(spec.protocol);
  const isNodePort = spec.place.kind === 'node-port';
  const rules: PortalRule[] = [];
  const add = (
    port: number,
    target: IptablesTarget,
    parts: IptablesRuleParts = {},
    extra: readonly IptablesMatch[] = [],
  ) => {
    const matches: IptablesMatch[] = [{ match: 'port', protocol, first: port }, ...extra, NEW];
    const rule = new IptablesRule({ ...parts, protocol, comment: name, matches, target });
    rules.push({ table: 'filter', chain: CHAINS.nonLocal, rule });
  };
  for (const port of new Set(at.map((socket) => socket.port))) {
    if (isNodePort && !node.nodePortAddresses.loopback) {
      add(port, reject(family), { destination: { value: family === 'IPv4' ? '127.0.0.0/8' : '::1/128' } });
    }
    if (
      !isNodePort &&
      spec.allowedSources === undefined &&
      spec.routes[0]?.source === 'any' &&
      spec.routes[0].action === 'forward'
    ) {
      continue;
    }
    const through: IptablesTarget = { target: isNodePort ? 'ACCEPT' : 'RETURN' };
    const networks = spec.allowedSources ?? [undefined];
    for (const route of spec.routes) {
      for (const network of networks) {
        const parts = sourceOf(route, node, network);
        if (parts) {
          add(port, targetOf(route, family, through), parts.parts, parts.extra);
        }
      }
    }
    if (spec.allowedSources !== undefined) {
      add(port, { target: 'DROP' });
    }
  }
  return rules;
}

function targetOf(route: Route, family: IPFamily, through: IptablesTarget): IptablesTarget {
  switch (route.action) {
    case 'forward':
      return through;
    case 'reject':
      return reject(family);
    case 'drop':
      return { target: 'DROP' };
  }
}

/** How a rule matches the clients of a route that are in `network`; undefined when there can be none. */
function sourceOf(
  route: Route,
  { detector }: NodeState,
  network: string | undefined,
): { readonly parts: IptablesRuleParts; readonly extra: readonly IptablesMatch[] } | undefined {
  const within = (cidr: string | undefined): IptablesRuleParts =>
    cidr === undefined || /^(0\.0\.0\.0|::)\/0$/.test(cidr) ? {} : { source: { value: cidr } };
  switch (route.source) {
    case 'any':
      return { parts: within(network), extra: [] };
    case 'node':
      return { parts: within(network), extra: [{ match: 'addrtype', side: 'src', type: 'LOCAL' }] };
    case 'pod': {
      if (detector.kind !== 'source-cidr') {
        // The socket cannot distinguish them either, so both agree.
        return undefined;
      }
      const both = network === undefined ? detector.cidr : intersectNetworks(detector.cidr, network);
      return both === undefined ? undefined : { parts: within(both), extra: [] };
    }
  }
}

/** An address that the node itself has, as a DNS cache does, is left to its processes. */
const NOT_HERE: readonly IptablesMatch[] = [{ match: 'addrtype', side: 'dst', type: 'LOCAL', not: true }];

/** Rejects other ports of a cluster IP, and every other protocol. */
export function clusterIPRules(family: IPFamily, address: string): readonly PortalRule[] {
  const destination = { value: host(address) };
  const rule = new IptablesRule({ destination, matches: NOT_HERE, target: reject(family) });
  return [{ table: 'filter', chain: CHAINS.refuse, rule }];
}

/** Drops packets to unassigned addresses of the service networks. The last rules. */
export function nodeRules({ serviceCIDRs }: NodeState): readonly PortalRule[] {
  return serviceCIDRs.map((value) => ({
    table: 'filter',
    chain: CHAINS.refuse,
    rule: new IptablesRule({ destination: { value }, matches: NOT_HERE, target: { target: 'DROP' } }),
  }));
}

function lower(protocol: 'TCP' | 'UDP'): IptablesProtocol {
  return protocol === 'TCP' ? 'tcp' : 'udp';
}
