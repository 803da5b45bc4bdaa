// Fakes with the kernel's semantics; each is located next to its interface.
export * from '../conntrack/fake-conntrack.js';
export * from '../ipset/fake-ip-sets.js';
export { FakeIptables, type FakeIptablesOptions } from '../iptables/fake-iptables.js';
export * from '../ipvs/fake-ipvs.js';
export * from '../link/fake-links.js';
export { type NetlinkSoakOptions, type NetlinkSoakResult, soakNetlink } from '../netlink/netlink-soak.js';
export * from '../network/fake-local-network.js';
export { FakePacketCounters } from '../nfacct/fake-packet-counters.js';
export { FakeNft } from '../nftables/fake-nft.js';
export { type FakePathHostOptions, fakePathHost } from '../packet-path/fake-path-host.js';
export { becomeNode } from '../packet-path/test-node.js';
// Network namespaces, to run adapters in.
export { canMakeNamespaces, makeNamespace, type TestNamespace, withNamespace } from '../process/network-namespace.js';
export { FakeMarkedSockets, type FakeMarkedSocketsOptions } from '../sockets/fake-marked-sockets.js';
export { FakeTcpSockets } from '../sockets/fake-tcp-sockets.js';
export * from '../sysctl/fake-sysctl.js';
export { recordCalls } from './record-calls.js';
