/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export {
  createNftablesBackend,
  NFT_ACCESS_SETTINGS,
  type NftablesBackendOptions,
  nftablesBackend,
} from './backend.js';
export { NftablesDataplane, type NftablesDataplaneOptions } from './dataplane.js';
export { readNftablesAffinity } from './former-affinity.js';
export { NftablesUnusableName } from './nftables-error.js';
export type { HostFacts, InstalledNftables } from './plan/installed-nftables.js';
export { AFFINITY, TABLE } from './plan/layout.js';
export { NftablesPlanner } from './plan/nftables-planner.js';
export { type ForgottenClients, type NftablesTransaction, renderTransaction } from './plan/nftables-transaction.js';
export { OWNED_TABLE_SETTINGS, type OwnedTable } from './probe.js';
