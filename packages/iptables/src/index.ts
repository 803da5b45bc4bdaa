/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export {
  createIptablesBackend,
  type IptablesBackendOptions,
  iptablesBackend,
} from './backend.js';
export { IptablesDataplane, type IptablesDataplaneOptions } from './dataplane.js';
export { readRecentAffinity } from './former-affinity.js';
export type { HostFacts, InstalledIptables } from './plan/installed-iptables.js';
export { IptablesPlanner, MAX_ENDPOINTS_WITH_COMMENTS } from './plan/iptables-planner.js';
export {
  type Chain,
  type IptablesTransaction,
  renderTransaction,
  type TableTransaction,
} from './plan/iptables-transaction.js';
export { chainHash, isOurChain, serviceChain } from './plan/layout.js';
