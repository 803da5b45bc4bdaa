/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { chainHash, isOurChain, serviceChain } from './chain-names.js';
export type { HostFacts } from './fixed-rules.js';
export {
  createIptablesBackend,
  type IptablesBackendOptions,
  iptablesBackend,
} from './iptables-backend.js';
export { IptablesDataplane, type IptablesDataplaneOptions } from './iptables-dataplane.js';
export { IptablesLeftovers, IptablesPartlyApplied } from './iptables-error.js';
export { type InstalledIptables, IptablesPlanner, MAX_ENDPOINTS_WITH_COMMENTS } from './iptables-planner.js';
export {
  type Chain,
  type IptablesTransaction,
  renderTransaction,
  type TableTransaction,
} from './iptables-transaction.js';
