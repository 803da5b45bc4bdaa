/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { AFFINITY, TABLE } from './layout.js';
export {
  createNftablesBackend,
  type NftablesBackend,
  type NftablesBackendOptions,
  nftablesBackend,
  OWNED_TABLE_SETTINGS,
  type OwnedTable,
} from './nftables-backend.js';
export { type CountedConnections, NftablesDataplane, type NftablesDataplaneOptions } from './nftables-dataplane.js';
export { NftablesLeftovers, NftablesUnusableName } from './nftables-error.js';
export { type HostFacts, type InstalledNftables, NftablesPlanner } from './nftables-planner.js';
export { type ForgottenClients, type NftablesTransaction, renderTransaction } from './nftables-transaction.js';
