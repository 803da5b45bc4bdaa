/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

// Processes, conntrack, sysctl, network, ipvs.
export * from './conntrack/conntrack.js';
export { ConntrackNetlink } from './conntrack/conntrack-netlink.js';
export * from './conntrack/conntrack-text.js';
export * from './conntrack/conntrack-tool.js';
export { deleteListed } from './conntrack/delete-listed.js';
export { HostConntrack, type HostConntrackOptions } from './conntrack/host-conntrack.js';
// ipset, IPVS, interfaces: by netlink
export * from './ipset/ip-sets.js';
export { IpSetsNetlink } from './ipset/ip-sets-netlink.js';
export { isBuiltinTarget } from './iptables/builtin-targets.js';
export { type IptablesChangesOptions, iptablesDocumentChanges } from './iptables/document-changes.js';
// iptables
export type { Iptables, IptablesTable, IptablesVariant, IptablesVersion } from './iptables/iptables.js';
export {
  createIptables,
  type IptablesCommandOptions,
  iptablesProgram,
  parseIptablesVersion,
  type SavedRules,
} from './iptables/iptables-command.js';
export {
  declaresAnyInSlices,
  EMPTY_TABLE_DOCUMENT,
  type IptablesChain,
  type IptablesChainRule,
  type IptablesDocument,
  type IptablesInsertion,
  type IptablesLine,
  type IptablesOperation,
  type IptablesTableDocument,
  isEmptyTableDocument,
  lineOfDocument,
  mergeTableDocuments,
  parseDocument,
  parseDocumentInSlices,
  parseSavedTable,
  parseSavedTableInSlices,
  renderDocument,
  renderDocumentInSlices,
  type SavedTable,
  userChain,
} from './iptables/iptables-document.js';
export { IptablesDocumentRefused, IptablesError, type IptablesErrorCode } from './iptables/iptables-error.js';
export { effectOf, IptablesRule } from './iptables/iptables-rule.js';
export {
  type Condition,
  type ConntrackState,
  type IptablesMatch,
  type IptablesProtocol,
  type IptablesRuleParts,
  type IptablesTarget,
  kernelProbability,
  type RejectAnswer,
} from './iptables/iptables-rule-parts.js';
export { IPTABLES_SYNC_METRICS } from './iptables/iptables-sync-metrics.js';
export { detectIptablesVariant, type IptablesVariantChoice, type SavedFamilies } from './iptables/iptables-variant.js';
export { IptablesRuleLookup, openIptablesRules } from './iptables/netlink/iptables-rule-lookup.js';
export {
  type AddToRecentLists,
  addToRecentLists,
  type RecentAddition,
  type RecentClient,
  type RecentFiles,
  readRecentLists,
  recentFiles,
} from './iptables/recent-lists.js';
export {
  type ChainRemovalOptions,
  removeChains,
  removeChainsInSlices,
  removedObjects,
} from './iptables/remove-chains.js';
export { RuleSentinels, type WatchedRule } from './iptables/rule-sentinels.js';
export { splitWords, targetOf, withoutComment } from './iptables/rule-text.js';
export { type RuleWatchOptions, watchRules } from './iptables/watch-rules.js';
export * from './ipvs/ipvs.js';
export { IpvsNetlink } from './ipvs/ipvs-netlink.js';
export { type IpvsTemplate, readIpvsTemplates } from './ipvs/ipvs-templates.js';
export * from './ipvs/probe-ipvs.js';
export * from './link/address-events.js';
export { AddressEventsNetlink } from './link/address-events-netlink.js';
export * from './link/links.js';
export { LinksNetlink } from './link/links-netlink.js';
export { type AddressWatchOptions, watchAddresses } from './link/watch-addresses.js';
export { type Libc, loadLibc } from './netlink/libc.js';
export * from './netlink/netlink.js';
export { NetlinkError, type NetlinkErrorCode, NetlinkRefused } from './netlink/netlink-error.js';
export { NetlinkSocket } from './netlink/netlink-socket.js';
export { chooseNetlinkTransport, type NetlinkTransportChoice } from './netlink/open-datagram-socket.js';
export type { NetlinkSocketOptions, NetlinkTransport } from './netlink/open-socket.js';
export { MAX_IN_FLIGHT } from './netlink/request-batches.js';
export { type LocalNetwork, ProcLocalNetwork } from './network/local-network.js';
export * from './network/supports-ipv6.js';
export * from './nfacct/packet-counters.js';
export { PacketCountersNetlink } from './nfacct/packet-counters-netlink.js';
// nftables
export { EndingOwners } from './nftables/ending-owners.js';
export { NftTableLookup } from './nftables/netlink/nft-table-lookup.js';
export { expectedNftFingerprint } from './nftables/netlink/rule-fingerprint.js';
export type { Nft } from './nftables/nft.js';
export { type ChosenNftAccess, type NftAccess, NftChoice, type NftChoiceOptions } from './nftables/nft-choice.js';
export type { NftCounter } from './nftables/nft-counter.js';
export { NftError, type NftErrorCode, type NftRefusal, NftRefused } from './nftables/nft-error.js';
export type { NftFamily } from './nftables/nft-family.js';
export { createNetlinkNft, type NetlinkNftOptions } from './nftables/nft-netlink.js';
export { createNft, type NftProgramOptions } from './nftables/nft-program.js';
export type { NftElement } from './nftables/nft-table.js';
export {
  type NftListedChain,
  type NftListedContainer,
  NftListingUnreadable,
  type NftTable,
  parseNftElements,
  parseNftTable,
} from './nftables/nft-table.js';
export {
  type NftBaseChain,
  type NftCommand,
  type NftNewElement,
  type NftRule,
  type NftSetOrMap,
  type NftTableFlag,
  type NftTransaction,
  nftContainerSignature,
  renderNftSetOrMap,
  renderNftTransaction,
} from './nftables/nft-transaction.js';
export { type NftChange, NftMonitorReader, type NftWatch } from './nftables/nft-watch.js';
export { jhashOf } from './nftables/rules/jhash.js';
export {
  type NftBitwise,
  type NftConntrack,
  type NftFib,
  type NftField,
  type NftHash,
  type NftLookup,
  type NftMeta,
  type NftPayload,
  type NftRandom,
  type NftStatement,
  type NftTuple,
  type NftTupleField,
  type NftType,
  nftFields,
  nftTypeOf,
} from './nftables/rules/nft-expression.js';
export { nftClassid, renderNftFields, renderNftRule } from './nftables/rules/render-rule.js';
// Simulation of packets through the rules read from the kernel.
export * from './packet-path/index.js';
export {
  type FileCapability,
  hasNetAdmin,
  type PermissionFacts,
  raiseNetAdmin,
  whyNotPermitted,
} from './process/capabilities.js';
export {
  CommandError,
  type CommandFailure,
  type CommandRequest,
  type CommandResult,
  type CommandRunner,
  type CommandRunnerOptions,
  createCommandRunner,
  type RunningCommand,
  type RunningCommandOutput,
} from './process/command-runner.js';
export * from './process/find-tool.js';
// Kernel settings
export { type KernelFiles, kernelFiles, kernelFilesOf, systemErrorCode } from './process/kernel-files.js';
export { listProcesses, type ProcessInfo, seesAllProcesses } from './process/list-processes.js';
export { type MemoryUse, readMemoryUse } from './process/memory-use.js';
export { canRun, inNewNamespace } from './process/new-namespace.js';
export { openFilesLimit } from './process/open-files-limit.js';
export { type SlowCommand, slowCommands } from './process/process-group.js';
export { type ReleasedMemory, releaseUnusedMemory } from './process/unused-memory.js';
export { LibcMarkedSockets, type MarkedSockets, type MarkedTcpOptions } from './sockets/marked-sockets.js';
export {
  LibcTcpConnects,
  type TcpConnectCallback,
  type TcpConnects,
  type TcpTarget,
  tcpSocketIn,
} from './sockets/tcp-connects.js';
export * from './sockets/tcp-sockets.js';
export { TcpSocketsNetlink } from './sockets/tcp-sockets-netlink.js';
export { ProcSysctl, type Sysctl, SysctlError, type SysctlErrorCode } from './sysctl/sysctl.js';
