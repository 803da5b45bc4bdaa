// iptables
export { FakeIptables, type FakeIptablesOptions } from './fake-iptables.js';
export { canMakeNamespaces, makeNamespace, type TestNamespace, withNamespace } from './network-namespace.js';
export { type WalkedPacket, type WalkOutcome, walkPacket } from './walk-packet.js';
