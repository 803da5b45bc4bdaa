import type { FormerAffinity } from '@kube-proxier/core';
import type { SavedTable } from '@kube-proxier/linux';

/** The current state of the kernel: the tables that this backend writes to, with all chains, foreign ones too. */
export interface InstalledIptables {
  readonly filter: SavedTable;
  readonly nat: SavedTable;
  /** Packets to 127.0.0.0/8 are routed (`route_localnet`). */
  readonly routeLocalnet: boolean;
  /** This host refuses to set `route_localnet`, so it is not retried. Default false. */
  readonly localnetRefused?: boolean;
  readonly facts: HostFacts;
  /** The clients of session affinity of other rules, where this backend has none yet. Default: none. */
  readonly formerAffinity?: FormerAffinity;
}

/** Host capabilities and settings that rules depend on. */
export interface HostFacts {
  /** MASQUERADE supports `--random-fully`. */
  readonly randomFully: boolean;
  /** Packets in conntrack state INVALID are dropped; not where the host sets `nf_conntrack_tcp_be_liberal`. */
  readonly dropInvalid: boolean;
  /** Names of the existing counters of the kernel. */
  readonly counters: ReadonlySet<string>;
}
