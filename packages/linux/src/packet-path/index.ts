/**
 * Interprets netfilter rules read from the kernel: the possible outcomes of a packet, and the deciding rules.
 *
 * {@link readNetfilterPath} reads the rules of iptables (both variants) and nftables, with routes, addresses and
 * settings; {@link netfilterPathOf} takes them as text and objects. It works on a snapshot: `outcomesOf` is pure.
 *
 * Scope: the first packet of a connection, from a client without a history (no session affinity, no `recent` list). All
 * hooks of the families ip, ip6 and inet in the kernel's order; NAT decided once for each direction; routing by the
 * main table; ip_forward, rp_filter, route_localnet and bridge-nf-call; IPVS by its virtual servers
 * ({@link IpvsStage}). For an unsupported match, both branches are evaluated, and the outcomes name its rule.
 *
 * @packageDocumentation
 */

export {
  checkForwardedPackets,
  type ForwardedPackets,
  type ForwardedPacketsRequest,
} from './check-forwarded-packets.js';
export type { NftTableListing } from './compile-nftables.js';
export { IpvsStage, type VirtualServerListing } from './ipvs-stage.js';
export {
  type LivePath,
  NetfilterPath,
  type NetfilterPathOptions,
  type PathStage,
  type StageOutcome,
} from './netfilter-path.js';
export { type HostRoute, PathHost, type PathHostFacts } from './path-host.js';
export { nftListingOf, type PlannedRules, plainHost, plannedPathOf } from './planned-path.js';
export type { LiveTable, NetfilterListing, NetfilterReading } from './read-netfilter-path.js';
export { netfilterPathOf, readNetfilterPath } from './read-netfilter-path.js';
export { parseRoutes, parseRoutesIPv6 } from './read-path-host.js';
export { runInSlices } from './run-in-slices.js';
export type { Walker } from './walker.js';
