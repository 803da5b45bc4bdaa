import type { FormerAffinity } from '@kube-proxier/core';
import type { NftTable, NftTableFlag } from '@kube-proxier/linux';
import type { Layout } from './layout.js';

/** The current state of the kernel. */
export interface InstalledNftables {
  /** Undefined when the table does not exist. */
  readonly table: NftTable | undefined;
  readonly facts: HostFacts;
  /** Flags that the table must have. Default none. */
  readonly flags?: readonly NftTableFlag[];
  /** The table exists without these flags. Flags cannot be added, so the table is replaced. Default false. */
  readonly lacksFlags?: boolean;
  /** Where the table does not exist: clients of session affinity of other rules. Default none. */
  readonly formerAffinity?: FormerAffinity;
}

/** Host capabilities that rules depend on. */
export interface HostFacts {
  /** `masquerade` supports `fully-random`. */
  readonly fullyRandom: boolean;
  readonly layout: Layout;
  /** Connections and packets can be counted for each endpoint. Default true. */
  readonly endpointCounters?: boolean;
}
