/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

// Real packets, compared with the simulator.
export {
  ENDPOINT_PORT,
  forgetFlows,
  NODE_PORT,
  PacketFlowFixture,
  type PacketFlowFixtureOptions,
  type PolicyRow,
  SERVICE_PORT,
} from './flows/packet-flow-fixture.js';
export { type SctpTest, sctpSuite } from './flows/sctp-suite.js';
export { type Flow, verifyFlow } from './flows/verify-flow.js';
// Rules of iptables, evaluated without a kernel, and written as kube-proxy writes them.
export { syncAsKubeProxy } from './iptables/kube-proxy-sync.js';
export { type WalkedPacket, type WalkOutcome, walkPacket } from './iptables/walk-packet.js';
// The network sandbox: real packets through the real kernel.
export * from './sandbox/network-sandbox.js';
export * from './sandbox/outcome.js';
export * from './sandbox/sandbox-error.js';
export * from './sandbox/sandbox-host.js';
export { SANDBOX_NETWORK } from './sandbox/sandbox-plan.js';
export { canSendSctp } from './sandbox/sctp-support.js';
