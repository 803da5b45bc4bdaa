import type { IpSet, RealServerStatus, SavedTable, VirtualServer } from '@kube-proxier/linux';
import type { RuleTable } from './fixed-chains.js';

/** The current state of the kernel, of one family. */
export interface InstalledIpvs {
  /** Those of this backend. */
  readonly virtualServers: readonly InstalledVirtualServer[];
  /** By name: the existing sets of this backend, and those that kube-proxy left. */
  readonly sets: ReadonlyMap<string, IpSet>;
  readonly hasInterface: boolean;
  /** Addresses of the interface of this backend. */
  readonly addresses: readonly string[];
  readonly tables: Readonly<Record<RuleTable, SavedTable>>;
  /** Kernel settings have the values that this backend needs. */
  readonly settled: boolean;
  readonly facts: HostFacts;
  /** Problems that are already logged, and need no transaction. */
  readonly reportedProblems: ReadonlySet<string>;
}

/** A virtual server with its real servers. */
export interface InstalledVirtualServer {
  readonly virtual: VirtualServer;
  readonly reals: readonly RealServerStatus[];
}

/** What the host supports. */
export interface HostFacts {
  /** MASQUERADE supports `--random-fully`. */
  readonly randomFully: boolean;
  /** Schedulers of the kernel; undefined when unknown: all are then assumed to exist. */
  readonly schedulers: ReadonlySet<string> | undefined;
}
