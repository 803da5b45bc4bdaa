/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { IptablesRedirector } from './apply/iptables-redirector.js';
export {
  interfaceAddressCommand,
  type PortproxyEntry,
  parsePortproxy,
  portproxyCommand,
} from './apply/portproxy-commands.js';
export { noRedirector, type Redirector } from './apply/redirector.js';
export type { Redirection } from './apply/redirects.js';
export {
  createUserspaceBackend,
  type UserspaceBackend,
  type UserspaceBackendOptions,
  userspaceBackend,
} from './backend.js';
export { UserspaceDataplane, type UserspaceDataplaneOptions } from './dataplane.js';
export type { InstalledUserspace, Reach } from './plan/installed-userspace.js';
export type { BoundAddress, RedirectChanges, RedirectedListener, RedirectState } from './plan/redirect-state.js';
export {
  ANNOTATIONS,
  type LoadBalancing,
  type ProxyProtocolVersion,
  type ServiceOptions,
} from './plan/service-options.js';
export { UserspacePlanner, type UserspacePlannerOptions } from './plan/userspace-planner.js';
export * from './plan/userspace-transaction.js';
export { USERSPACE_REDIRECTS, type UserspaceRedirect } from './probe.js';
export { Balancer, type BalancerOptions } from './proxy/balancer.js';
export { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
export type { NodePortListeners } from './proxy/node-port-listeners.js';
export { type PortRange, parsePortRange } from './proxy/port-range.js';
export { type ClientConnection, proxyProtocolHeader } from './proxy/proxy-protocol.js';
export type { ProxySettings } from './proxy/proxy-settings.js';
export type { ServiceTraffic } from './proxy/service-traffic.js';
export { UserspaceError, type UserspaceErrorCode } from './userspace-error.js';
