import type { IPFamily } from '@kube-proxier/core';

/** The kernel interface of the tools. Neither variant lists the rules of the other. */
export type IptablesVariant = 'legacy' | 'nft';

export type IptablesTable = 'filter' | 'nat' | 'mangle' | 'raw' | 'security';

export interface IptablesVersion {
  /** For example `1.8.9`. */
  readonly text: string;
  readonly variant: IptablesVariant;
  /** Whether MASQUERADE supports `--random-fully` (1.6.2 and later). */
  readonly randomFully: boolean;
}

/**
 * The rules of one IP family, through one variant of the iptables tools. Calls on one instance are serialized, except
 * reads other than `counted`, which run concurrently.
 *
 * Every method rejects with an `IptablesError`, whose `code` identifies the failure.
 */
export interface Iptables {
  readonly family: IPFamily;

  /**
   * Runs a document through `iptables-restore --noflush`. Chains that it does not name are unchanged; declaring a chain
   * (`:NAME - [0:0]`) creates or flushes it. Each table is atomic, in the order of the document.
   *
   * @throws IptablesDocumentRefused when a line is rejected.
   */
  restore(document: string): Promise<void>;

  /**
   * The output of `iptables-save -t table`; without a table, its output for all tables in use, which does not load
   * further tables.
   *
   * @param signal aborts it; it then rejects. Default: none.
   */
  save(table?: IptablesTable, signal?: AbortSignal): Promise<string>;

  /**
   * Rules with their counters, one a line: `[PACKETS:BYTES] -A CHAIN …`.
   *
   * @param chain only its rules. Default: those of all chains of the table.
   */
  counted(table: IptablesTable, chain?: string): Promise<string>;

  chainExists(table: IptablesTable, chain: string): Promise<boolean>;

  /** Whether `chain` contains the rule, given as `iptables-save` prints it without `-A CHAIN `. */
  ruleExists(table: IptablesTable, chain: string, rule: string): Promise<boolean>;

  /**
   * A value that changes whenever rules or chains of the table are added or removed, at almost no cost. It may also
   * change without that: the nft variant has one stamp for all of nf_tables. With the legacy variant it is the table's
   * size and layout, which a table with other rules may share.
   *
   * @returns undefined when the kernel cannot be queried. Never rejects.
   */
  stamp(table: IptablesTable): Promise<string | undefined>;

  /**
   * As {@link stamp}, for the rules of one chain, without starting a program: with the nft variant, equal values mean
   * that the chain contains the same rules. With the legacy variant it is the stamp of the table. Cost: that of the
   * rules in the chain.
   *
   * @returns undefined when the kernel cannot be queried, or there is no such table. Never rejects.
   */
  chainStamp(table: IptablesTable, chain: string): Promise<string | undefined>;

  /**
   * Whether rules or chains of the table may have been added or removed since the last call, other than by `restore` of
   * an instance with the same runner. Has the cost and the limits of {@link stamp}; the first call returns false, and
   * starts the observation. While such a `restore` is in progress, it returns false, and a later call reports the changes.
   *
   * @returns undefined when the kernel cannot be queried. Never rejects.
   */
  hasForeignChanges(table: IptablesTable): Promise<boolean | undefined>;

  /** @throws IptablesError with code `IPTABLES_MISSING` when the tool is not installed. */
  version(): Promise<IptablesVersion>;

  /**
   * Whether this family can be used on this host: whether POSTROUTING of the nat table can be listed (spec I-86).
   * Never rejects.
   */
  isPresent(): Promise<boolean>;

  /** Stops long-running helpers. A later call starts them again. */
  close(): void;
}
