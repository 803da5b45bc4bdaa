import { hash } from 'node:crypto';
import { flatText, formatServicePortName, type ServicePortName } from '@kube-proxier/core';

/** Chains of one service port in the nat table, by what they are for (spec I-1…I-3). */
export type ServiceChainKind = 'SVC' | 'SVL' | 'EXT' | 'FW' | 'SEP';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Two characters of base32, by their 10 bits. */
const BASE32_PAIRS = Array.from({ length: 1024 }, (_, bits) => BASE32.charAt(bits >> 5) + BASE32.charAt(bits & 31));

/** The first 16 characters of the base32 of the SHA-256 of `text`: kube-proxy's hash (spec I-1). */
export function chainHash(text: string): string {
  return withHash('', text);
}

/** A prefix and the hash of a text, as a flat string. */
function withHash(prefix: string, text: string): string {
  const digest = hash('sha256', text, 'hex');
  // Five hexadecimal digits are two pairs.
  const [a, b] = [bitsAt(digest, 0), bitsAt(digest, 5)];
  const [c, d] = [bitsAt(digest, 10), bitsAt(digest, 15)];
  return flatText(prefix, high(a), low(a), high(b), low(b), high(c), low(c), high(d), low(d));
}

function bitsAt(digest: string, start: number): number {
  return Number.parseInt(digest.slice(start, start + 5), 16);
}

function high(bits: number): string {
  return BASE32_PAIRS[bits >> 10] ?? '';
}

function low(bits: number): string {
  return BASE32_PAIRS[bits & 1023] ?? '';
}

const PREFIXES: Readonly<Record<ServiceChainKind, string>> = {
  SVC: 'KUBE-SVC-',
  SVL: 'KUBE-SVL-',
  EXT: 'KUBE-EXT-',
  FW: 'KUBE-FW-',
  SEP: 'KUBE-SEP-',
};

/**
 * `KUBE-SVC-XPGD46QRK7WJZT7O`. `discriminator` is empty for the chain that kube-proxy has too (spec I-2), and the
 * endpoint's `ip:port` for `SEP` (spec I-3).
 */
export function serviceChain(kind: ServiceChainKind, name: ServicePortName, discriminator = ''): string {
  return withHash(PREFIXES[kind], formatServicePortName(name) + name.protocol.toLowerCase() + discriminator);
}

/** Chains that every node has. */
export const CHAINS = {
  services: 'KUBE-SERVICES',
  nodePorts: 'KUBE-NODEPORTS',
  /**
   * Name prefix of the chains behind the two lists of the nat table. With this prefix, kube-proxy treats them as
   * Service chains and removes them in its first sync. With another one, they would be kept and reference chains that
   * kube-proxy removes; the kernel would then refuse every document of kube-proxy.
   */
  serviceBranches: 'KUBE-SVC-IP',
  nodePortBranches: 'KUBE-SVC-NP',
  postrouting: 'KUBE-POSTROUTING',
  markMasquerade: 'KUBE-MARK-MASQ',
  hairpin: 'KUBE-HAIRPIN',
  externalServices: 'KUBE-EXTERNAL-SERVICES',
  proxyFirewall: 'KUBE-PROXY-FIREWALL',
  forward: 'KUBE-FORWARD',
  /** Cluster IPs, for packets that are for none of their ports. */
  clusterIPs: 'KUBE-CLUSTER-IPS',
  /**
   * Marks rules as this backend's: empty, and jumped to from a chain that kube-proxy rewrites with its first sync. So the
   * jump is gone when kube-proxy has taken over, though the names of chains are the same.
   */
  marker: 'KUBE-PROXIER',
  /** Refused NodePorts. */
  closedNodePorts: 'KUBE-CLOSED-NP',
  /** NodePorts with allowed sources. */
  blockedNodePorts: 'KUBE-BLOCKED-NP',
  /** Shared with the kubelet, so only ever added to (spec I-24, I-96). */
  localnetGuard: 'KUBE-FIREWALL',
} as const;

/** Name suffixes of a dispatch tree's chains, after the name of its root. */
const PLACE = '(?:-(?:[0-9A-F]{1,2}|(?:TCP|UDP|SCTP)-[0-9]+)(?:-[0-9A-F]{1,2})?)?';

const OURS: Readonly<Record<'filter' | 'nat' | 'mangle', RegExp>> = {
  nat: new RegExp(
    `^KUBE-(?:(?:SERVICES|NODEPORTS|HAIRPIN)${PLACE}|POSTROUTING|MARK-MASQ|PROXY-CANARY|PROXIER|(?:SVC|SVL|EXT|FW|SEP|XLB)-.*)$`,
  ),
  filter: new RegExp(
    `^KUBE-(?:(?:SERVICES|NODEPORTS|EXTERNAL-SERVICES|PROXY-FIREWALL|CLUSTER-IPS|CLOSED-NP|BLOCKED-NP)${PLACE}|FORWARD|PROXY-CANARY|PROXIER|FW-.*)$`,
  ),
  // Only kube-proxy's, to see that tables are flushed (spec I-95).
  mangle: /^KUBE-PROXY-CANARY$/,
};

/** Chains that this backend and kube-proxy both make: kube-proxy rewrites these with every sync. */
export const SHARED_ROOTS: Readonly<Record<'filter' | 'nat', readonly string[]>> = {
  nat: [CHAINS.services, CHAINS.nodePorts, CHAINS.postrouting, CHAINS.markMasquerade],
  filter: [CHAINS.services, CHAINS.externalServices, CHAINS.nodePorts, CHAINS.proxyFirewall, CHAINS.forward],
};

/** kube-proxy's canaries, which detect flushes of tables (spec I-95). */
export const CANARY = 'KUBE-PROXY-CANARY';

const PLACE_OF_TREE = PLACE.replace(/\?$/, '');
const ONLY_OURS: Readonly<Record<'filter' | 'nat', RegExp>> = {
  // Earlier versions named branches after their roots.
  nat: new RegExp(`^KUBE-(?:PROXIER|HAIRPIN${PLACE}|(?:SVC-IP|SVC-NP|SERVICES|NODEPORTS)${PLACE_OF_TREE})$`),
  filter: new RegExp(
    `^KUBE-(?:PROXIER|(?:CLUSTER-IPS|CLOSED-NP|BLOCKED-NP)${PLACE}|(?:SERVICES|NODEPORTS|EXTERNAL-SERVICES|PROXY-FIREWALL)${PLACE_OF_TREE}|FW-.*)$`,
  ),
};

/** Whether a chain has a name that only this backend uses. */
export function isOnlyOurChain(table: 'filter' | 'nat' | 'mangle', name: string): boolean {
  return table !== 'mangle' && ONLY_OURS[table].test(name);
}

/** Whether a chain belongs to this backend: made by it, or left by a kube-proxy in iptables mode. */
export function isOurChain(table: 'filter' | 'nat' | 'mangle', name: string): boolean {
  return OURS[table].test(name);
}
