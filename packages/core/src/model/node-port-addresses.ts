import { isRecord } from '../objects/unknown-record.js';
import { cidrContains, familyOf, type IPFamily, parseCIDR } from './address.js';
import type { PortRangeSupport } from './port-range.js';
import type { Protocol } from './service-port-name.js';

/**
 * Keywords of `nodePortAddresses`, in addition to networks (spec K-75):
 * - `primary`: the node's own address of each family, loopback addresses left out (spec W-31).
 * - `localhost`: 127.0.0.0/8 and ::1/128.
 * - `all`: 0.0.0.0/0 and ::/0.
 */
export const NODE_PORT_ADDRESS_KEYWORDS = ['primary', 'localhost', 'all'] as const;

/** One of {@link NODE_PORT_ADDRESS_KEYWORDS}. */
export type NodePortAddressKeyword = (typeof NODE_PORT_ADDRESS_KEYWORDS)[number];

/** How the node's own addresses are selected for NodePorts (spec K-70…K-76). */
export type NodePortAddressSelection =
  /** Every local address. */
  | { readonly kind: 'all' }
  /** The node's own addresses of each family (`primary`, spec W-31). */
  | { readonly kind: 'primary' }
  /**
   * Local addresses in these networks; networks of the other family are ignored; without any, all addresses are used.
   */
  | { readonly kind: 'cidrs'; readonly cidrs: readonly string[] }
  /** Keywords and networks, in any order; duplicates have no effect. An entry that is neither is ignored. */
  | { readonly kind: 'entries'; readonly entries: readonly string[] };

/**
 * The node's own addresses on which NodePorts are served (spec K-70…K-76).
 * - `all`: every local address. `loopback` selects whether loopback addresses are included.
 * - `listed`: only these addresses, without loopback.
 *
 * `loopback` is true when NodePorts are enabled on 127.0.0.0/8 or, for IPv6, on ::1.
 */
export type NodePortAddresses =
  | { readonly kind: 'all'; readonly loopback: boolean }
  | { readonly kind: 'listed'; readonly addresses: readonly string[]; readonly loopback: boolean };

/**
 * Whether NodePorts are served on loopback addresses:
 * - `true`: on 127.0.0.0/8 if a selected network contains 127.0.0.0 or begins in 127.0.0.0/8; on ::1 if it is listed.
 * - `listed`: only if a selected network consists of loopback addresses, such as `localhost`.
 * - `false`: never.
 */
export type LocalhostNodePorts = boolean | 'listed';

/** The loopback capabilities of a backend; part of `BackendCapabilities`, where they are documented. */
export interface LoopbackCapabilities {
  readonly localhostNodePorts?: boolean;
  readonly localhostNodePortsIPv6?: boolean;
}

/** The loopback options; part of `ProxierOptions`, where they are documented. */
export interface LoopbackOptions {
  readonly localhostNodePorts: LocalhostNodePorts;
  readonly nodePortAddresses: NodePortAddressSelection;
}

/** What a {@link NodePortAddressSelection} is resolved with. */
export interface NodePortAddressFacts {
  readonly family: IPFamily;
  /** The node's own addresses, primary first, any family. */
  readonly nodeAddresses: readonly string[];
  /** Addresses of the host's interfaces. */
  readonly localAddresses: readonly string[];
  readonly localhostNodePorts: LocalhostNodePorts;
}

const KEYWORD_NETWORKS = {
  localhost: { IPv4: '127.0.0.0/8', IPv6: '::1/128' },
  all: { IPv4: '0.0.0.0/0', IPv6: '::/0' },
} as const satisfies Record<Exclude<NodePortAddressKeyword, 'primary'>, Readonly<Record<IPFamily, string>>>;

/** The loopback network of a family, on which NodePorts can be served. */
export const LOOPBACK_NETWORKS = KEYWORD_NETWORKS.localhost;

/** Whether a text is a keyword of `nodePortAddresses`. Upper case letters are no keywords. */
export function isNodePortAddressKeyword(text: string): text is NodePortAddressKeyword {
  return (NODE_PORT_ADDRESS_KEYWORDS as readonly string[]).includes(text);
}

/**
 * The selection of a list of keywords and networks, as `nodePortAddresses` of a KubeProxyConfiguration has it.
 *
 * @param entries empty for the default, which is every local address.
 */
export function selectNodePortAddresses(entries: readonly string[]): NodePortAddressSelection {
  if (entries.length === 0) {
    return { kind: 'all' };
  }
  if (entries.every((entry) => entry === 'primary')) {
    return { kind: 'primary' };
  }
  return entries.some(isNodePortAddressKeyword) ? { kind: 'entries', entries } : { kind: 'cidrs', cidrs: entries };
}

/** Whether an untyped value is a {@link NodePortAddressSelection} whose entries are all keywords and networks. */
export function isNodePortAddressSelection(value: unknown): value is NodePortAddressSelection {
  if (!isRecord(value)) {
    return false;
  }
  const isNetwork = (entry: unknown) => parseCIDR(entry) !== undefined;
  const isEntry = (entry: unknown) =>
    isNetwork(entry) || (typeof entry === 'string' && isNodePortAddressKeyword(entry));
  switch (value.kind) {
    case 'all':
    case 'primary':
      return true;
    case 'cidrs':
      return Array.isArray(value.cidrs) && value.cidrs.every(isNetwork);
    case 'entries':
      return Array.isArray(value.entries) && value.entries.every(isEntry);
    default:
      return false;
  }
}

/** The keywords and networks of a selection; `all` if it is the default. */
export function nodePortAddressEntries(selection: NodePortAddressSelection): readonly string[] {
  switch (selection.kind) {
    case 'all':
    case 'primary':
      return [selection.kind];
    case 'cidrs':
      return selection.cidrs;
    case 'entries':
      return selection.entries;
  }
}

/**
 * The addresses that a selection resolves to for one family (spec K-70…K-76). Pure. If nothing of the family is
 * selected, as with networks of the other family only, or with `primary` on a node without an address of the family,
 * NodePorts are served on all local addresses.
 */
export function resolveNodePortAddresses(
  selection: NodePortAddressSelection,
  { family, nodeAddresses, localAddresses, localhostNodePorts }: NodePortAddressFacts,
): NodePortAddresses {
  const networks = networksOf(selection, family);
  const own = selectsPrimary(selection)
    ? nodeAddresses.find((address) => familyOf(address) === family && !isLoopbackAddress(address))
    : undefined;
  const isAll = isEveryAddress(networks) || (networks.length === 0 && own === undefined);
  const effective = isAll && !isEveryAddress(networks) ? [...networks, KEYWORD_NETWORKS.all[family]] : networks;
  const loopback = servesLoopbackOf(effective, family, localhostNodePorts);
  if (isAll) {
    return { kind: 'all', loopback };
  }
  const inNetworks = localAddresses.filter(
    (address) => !isLoopbackAddress(address) && networks.some((network) => cidrContains(network, address)),
  );
  const addresses = own === undefined ? inNetworks : [own, ...inNetworks.filter((address) => address !== own)];
  return { kind: 'listed', addresses, loopback };
}

/**
 * The addresses on which NodePorts are served, for reports: `all` or single addresses, and the loopback network where
 * it is served. Empty for none.
 */
export function listNodePortAddresses(addresses: NodePortAddresses, family: IPFamily): readonly string[] {
  return [
    ...(addresses.kind === 'all' ? ['all'] : addresses.addresses),
    ...(addresses.loopback ? [LOOPBACK_NETWORKS[family]] : []),
  ];
}

/** Whether {@link resolveNodePortAddresses} depends on the addresses of the host's interfaces (spec K-72). */
export function dependsOnLocalAddresses(selection: NodePortAddressSelection, family: IPFamily): boolean {
  const networks = networksOf(selection, family);
  return !isEveryAddress(networks) && networks.some((network) => !isLoopbackNetwork(network));
}

/**
 * The families of which a selection has no network and no keyword, so that their NodePorts are served on all local
 * addresses (spec K-70).
 */
export function unselectedFamilies(
  selection: NodePortAddressSelection,
  families: readonly IPFamily[],
): readonly IPFamily[] {
  return selectsPrimary(selection) ? [] : families.filter((family) => networksOf(selection, family).length === 0);
}

/**
 * Whether these options enable NodePorts on loopback addresses of a family, provided that the node has an address of it.
 *
 * @param family default IPv4.
 */
export function servesLoopback(options: LoopbackOptions, family: IPFamily = 'IPv4'): boolean {
  const { nodePortAddresses, localhostNodePorts } = options;
  const networks = networksOf(nodePortAddresses, family);
  const effective =
    networks.length === 0 && !selectsPrimary(nodePortAddresses) ? [KEYWORD_NETWORKS.all[family]] : networks;
  return servesLoopbackOf(effective, family, localhostNodePorts);
}

/** What a backend serves; see `BackendCapabilities`. */
interface ServedCapabilities {
  readonly portRanges?: boolean;
  readonly shiftedPortRanges?: boolean;
  readonly udp?: boolean;
  readonly sctp?: boolean;
}

/**
 * The options of the proxier of one family: what a backend cannot serve is not in its state (spec K-103).
 *
 * @param capabilities of the backend.
 */
export function optionsOfFamily<Options extends Pick<LoopbackOptions, 'localhostNodePorts'>>(
  options: Options,
  family: IPFamily,
  capabilities: LoopbackCapabilities & ServedCapabilities = {},
): Options & { readonly portRanges: PortRangeSupport; readonly unservedProtocols: readonly Protocol[] } {
  const portRanges = !capabilities.portRanges ? 'none' : capabilities.shiftedPortRanges ? 'any' : 'same-port';
  const { udp = true, sctp = true } = capabilities;
  const unservedProtocols: readonly Protocol[] = [...(udp ? [] : ['UDP' as const]), ...(sctp ? [] : ['SCTP' as const])];
  const localhostNodePorts = localhostNodePortsOf(options, family, capabilities);
  return { ...options, localhostNodePorts, portRanges, unservedProtocols };
}

function localhostNodePortsOf(
  { localhostNodePorts }: Pick<LoopbackOptions, 'localhostNodePorts'>,
  family: IPFamily,
  capabilities: LoopbackCapabilities,
): LocalhostNodePorts {
  return family === 'IPv6'
    ? capabilities.localhostNodePortsIPv6 === true && 'listed'
    : capabilities.localhostNodePorts === true && localhostNodePorts;
}

/** A loopback network that is listed, but on which NodePorts are not served (spec K-76). */
export interface UnservedLoopback {
  readonly family: IPFamily;
  /** `127.0.0.0/8` or `::1/128`. */
  readonly network: string;
  /** `option`: `localhostNodePorts` is false. */
  readonly cause: 'option' | keyof LoopbackCapabilities;
  /** Nothing else of this family is selected, so its NodePorts are served on no address. */
  readonly isOnly: boolean;
}

/**
 * The loopback networks that a selection lists, for example by `localhost`, and that are not served. Pure.
 *
 * @param families that are served.
 * @param capabilities of the backend.
 */
export function unservedLoopback(
  options: LoopbackOptions,
  families: readonly IPFamily[],
  capabilities: LoopbackCapabilities = {},
): readonly UnservedLoopback[] {
  const { nodePortAddresses: selection } = options;
  return families.flatMap((family): readonly UnservedLoopback[] => {
    const networks = networksOf(selection, family);
    const isListed = networks.some(isLoopbackNetwork);
    if (!isListed || localhostNodePortsOf(options, family, capabilities) !== false) {
      return [];
    }
    const needed = family === 'IPv6' ? 'localhostNodePortsIPv6' : 'localhostNodePorts';
    const cause = capabilities[needed] === true ? 'option' : needed;
    const isOnly = !selectsPrimary(selection) && networks.every(isLoopbackNetwork);
    return [{ family, network: LOOPBACK_NETWORKS[family], cause, isOnly }];
  });
}

function selectsPrimary(selection: NodePortAddressSelection): boolean {
  return nodePortAddressEntries(selection).includes('primary');
}

/** The networks of a family, canonical, without duplicates. */
function networksOf(selection: NodePortAddressSelection, family: IPFamily): readonly string[] {
  const texts = nodePortAddressEntries(selection).flatMap((entry) =>
    entry === 'primary' ? [] : entry === 'localhost' || entry === 'all' ? KEYWORD_NETWORKS[entry][family] : entry,
  );
  const cidrs = texts.flatMap((text) => parseCIDR(text) ?? []).filter((cidr) => cidr.family === family);
  return [...new Set(cidrs.map((cidr) => cidr.text))];
}

/** Spec K-71. */
function isEveryAddress(networks: readonly string[]): boolean {
  return networks.some((network) => network.endsWith('/0'));
}

/** Spec K-73, K-76. */
function servesLoopbackOf(
  networks: readonly string[],
  family: IPFamily,
  localhostNodePorts: LocalhostNodePorts,
): boolean {
  return (
    localhostNodePorts !== false &&
    networks.some(
      (network) =>
        isLoopbackNetwork(network) ||
        // All of 127.0.0.0/8 is local, so a network that overlaps with it is sufficient.
        (family === 'IPv4' && localhostNodePorts === true && cidrContains(network, '127.0.0.0')),
    )
  );
}

/** It begins with a loopback address. */
function isLoopbackNetwork(network: string): boolean {
  return network.startsWith('127.') || network === '::1/128';
}

function isLoopbackAddress(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
