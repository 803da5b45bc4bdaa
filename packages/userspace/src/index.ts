/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { Balancer, type BalancerOptions } from './proxy/balancer.js';
export { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
export { type PortRange, parsePortRange } from './proxy/port-range.js';
export type { BoundAddress } from './proxy/proxy-engine.js';
export { type ClientConnection, proxyProtocolHeader } from './proxy/proxy-protocol.js';
export type { ServiceTraffic } from './proxy/service-traffic.js';
export { IptablesRedirector } from './redirect/iptables-redirector.js';
export {
  interfaceAddressCommand,
  type PortproxyEntry,
  parsePortproxy,
  portproxyCommand,
} from './redirect/portproxy-commands.js';
export {
  noRedirector,
  type RedirectChanges,
  type RedirectedListener,
  type Redirector,
  type RedirectState,
} from './redirect/redirector.js';
export { ANNOTATIONS, type LoadBalancing, type ProxyProtocolVersion, type ServiceOptions } from './service-options.js';
export {
  createUserspaceBackend,
  USERSPACE_REDIRECTS,
  type UserspaceBackend,
  type UserspaceBackendOptions,
  type UserspaceRedirect,
  userspaceBackend,
} from './userspace-backend.js';
export {
  type ProxySettings,
  type Redirection,
  UserspaceDataplane,
  type UserspaceDataplaneOptions,
} from './userspace-dataplane.js';
export { UserspaceError, type UserspaceErrorCode, UserspacePartlyApplied } from './userspace-error.js';
export { type Reach, UserspacePlanner, type UserspacePlannerOptions } from './userspace-planner.js';
export * from './userspace-transaction.js';
