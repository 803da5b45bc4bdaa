// iptables
export { FakeIptables, type FakeIptablesOptions } from './fake-iptables.js';
export { type NetlinkSoakOptions, type NetlinkSoakResult, soakNetlink } from './netlink-soak.js';
export { canMakeNamespaces, makeNamespace, type TestNamespace, withNamespace } from './network-namespace.js';
export { type WalkedPacket, type WalkOutcome, walkPacket } from './walk-packet.js';
// The network sandbox: real packets through the real kernel.

// Fakes that keep the kernel's semantics.
export * from './fake-conntrack.js';
export * from './fake-ip-sets.js';
export * from './fake-ipvs.js';
export * from './fake-links.js';
export * from './fake-local-network.js';
export { FakeMarkedSockets, type FakeMarkedSocketsOptions } from './fake-marked-sockets.js';
// nftables
export { FakeNft } from './fake-nft.js';
export { FakePacketCounters } from './fake-packet-counters.js';
export * from './fake-sysctl.js';
export { syncAsKubeProxy } from './kube-proxy-sync.js';
export {
  ENDPOINT_PORT,
  forgetFlows,
  NODE_PORT,
  PacketFlowWorld,
  type PacketFlowWorldOptions,
  type PolicyRow,
  SERVICE_PORT,
} from './packet-flow-world.js';
export * from './sandbox/network-sandbox.js';
export * from './sandbox/outcome.js';
export * from './sandbox/sandbox-error.js';
export * from './sandbox/sandbox-host.js';
export { SANDBOX_NETWORK } from './sandbox/sandbox-plan.js';
// Real packets, compared with the simulator.
export { type Flow, verifyFlow } from './verify-flow.js';
