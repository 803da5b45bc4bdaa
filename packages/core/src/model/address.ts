import ipaddr from 'ipaddr.js';

/** The two families of IP addresses, spelled as in `spec.ipFamilies`. */
export type IPFamily = 'IPv4' | 'IPv6';

/** An IP address in its one canonical spelling, with its family. */
export interface ParsedAddress {
  readonly family: IPFamily;
  readonly text: string;
}

/** A network in canonical spelling (`10.0.0.0/14`: host bits cleared, spec K-63). */
export interface ParsedCIDR extends ParsedAddress {
  readonly prefixLength: number;
}

/** The form of nearly every address; the fast path. */
const CANONICAL_IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV4_TEXT = /^\d{1,10}(\.\d{1,10}){3}$/;

/** Leading zeros in IPv4 octets are decimal, as kube-proxy reads them (spec C-70), never octal. */
function stripLeadingZeros(text: string): string {
  return text.includes('.') ? text.replace(/(^|[.:])0+(?=\d)/g, '$1') : text;
}

/**
 * Parses an IP address and returns its canonical spelling: `172.30.0.041` becomes `172.30.0.41`, `FD00:0::1` becomes
 * `fd00::1`, and an IPv4-mapped IPv6 address becomes the IPv4 address.
 *
 * @returns undefined when the text is not an IP address (host names, zones such as `fe80::1%eth0`, and anything
 * with blanks or line breaks in it included).
 */
export function parseAddress(text: unknown): ParsedAddress | undefined {
  if (typeof text !== 'string' || text.length > 45 || text.includes('%')) {
    return undefined;
  }
  if (text.includes(':')) {
    if (!ipaddr.IPv6.isValid(text)) {
      return undefined;
    }
    const address = ipaddr.IPv6.parse(text);
    return address.isIPv4MappedAddress()
      ? { family: 'IPv4', text: address.toIPv4Address().toString() }
      : { family: 'IPv6', text: address.toRFC5952String() };
  }
  if (CANONICAL_IPV4.test(text)) {
    return { family: 'IPv4', text };
  }
  if (!IPV4_TEXT.test(text)) {
    return undefined;
  }
  const octets = stripLeadingZeros(text);
  return ipaddr.IPv4.isValidFourPartDecimal(octets)
    ? { family: 'IPv4', text: ipaddr.IPv4.parse(octets).toString() }
    : undefined;
}

/**
 * Parses a network in CIDR notation and returns its canonical spelling. Leading zeros are accepted (spec C-70).
 *
 * @returns undefined when the text is not a network.
 */
export function parseCIDR(text: unknown): ParsedCIDR | undefined {
  if (typeof text !== 'string') {
    return undefined;
  }
  const match = /^([^/]+)\/(\d{1,5})$/.exec(text);
  const base = match && parseAddress(match[1]);
  if (!match || !base) {
    return undefined;
  }
  const prefixLength = Number(match[2]);
  if (prefixLength > (base.family === 'IPv4' ? 32 : 128) || (match[1]?.includes(':') && base.family === 'IPv4')) {
    return undefined;
  }
  const network =
    base.family === 'IPv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${base.text}/${prefixLength}`).toString()
      : ipaddr.IPv6.networkAddressFromCIDR(`${base.text}/${prefixLength}`).toRFC5952String();
  return { family: base.family, prefixLength, text: `${network}/${prefixLength}` };
}

/**
 * Whether `address` is in `cidr`. Both must be canonical text; different families never contain each other.
 *
 * @throws Error when either is not canonical text of an address or a network.
 */
export function cidrContains(cidr: string, address: string): boolean {
  return firstNetworkWith([cidr], address) === 0;
}

/** The index of the first network that contains an address; -1 when none does. All are canonical texts. */
export function firstNetworkWith(cidrs: readonly string[], address: string): number {
  // `ipaddr.parse` tries the other family first.
  const candidate = address.includes(':') ? ipaddr.IPv6.parse(address) : ipaddr.IPv4.parse(address);
  return cidrs.findIndex((cidr) => {
    const network = networkOf(cidr);
    return network[0].kind() === candidate.kind() && candidate.match(network);
  });
}

function networkOf(cidr: string): ReturnType<typeof ipaddr.parseCIDR> {
  let network = NETWORKS.get(cidr);
  if (network === undefined) {
    network = ipaddr.parseCIDR(cidr);
    if (NETWORKS.size >= MAX_NETWORKS) {
      NETWORKS.clear();
    }
    NETWORKS.set(cidr, network);
  }
  return network;
}

/** Cache of parsed networks: the networks of the cluster and the node are looked up for every address. */
const NETWORKS = new Map<string, ReturnType<typeof ipaddr.parseCIDR>>();
const MAX_NETWORKS = 1000;

/** `10.0.0.1:80` or `[fd00::1]:80` (spec K-4). */
export function joinHostPort(address: string, port: number | string): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** The family of canonical address text. */
export function familyOf(address: string): IPFamily {
  return address.includes(':') ? 'IPv6' : 'IPv4';
}

/** The network that contains only this address: `/32` or `/128`. */
export function hostCIDR(address: string): string {
  return address.includes(':') ? `${address}/128` : `${address}/32`;
}
