import type { IPFamily } from '@kube-proxier/core';

/** Which kernel interface the tools write to. The two do not see each other's rules. */
export type IptablesVariant = 'legacy' | 'nft';

export type IptablesTable = 'filter' | 'nat' | 'mangle' | 'raw' | 'security';

export interface IptablesVersion {
  /** For example `1.8.9`. */
  readonly text: string;
  readonly variant: IptablesVariant;
  /** Whether MASQUERADE knows `--random-fully` (1.6.2 and later). */
  readonly randomFully: boolean;
}

/**
 * The rules of one IP family, through one variant of the iptables tools. Calls on one instance run one after another.
 *
 * Every method rejects with an `IptablesError`, whose `code` says what is wrong.
 */
export interface Iptables {
  readonly family: IPFamily;

  /**
   * Runs a document through `iptables-restore --noflush`. What it does not name stays as it is; declaring a chain
   * (`:NAME - [0:0]`) creates or empties it. Each table is all or nothing, in the order of the document.
   *
   * @throws IptablesDocumentRefused when a line is not accepted.
   */
  restore(document: string): Promise<void>;

  /**
   * What `iptables-save -t table` prints; without a table, what it prints for all that are in use, which does not bring
   * any into use.
   */
  save(table?: IptablesTable): Promise<string>;

  chainExists(table: IptablesTable, chain: string): Promise<boolean>;

  /** Whether `chain` holds the rule, given as `iptables-save` prints it without `-A CHAIN `. */
  ruleExists(table: IptablesTable, chain: string, rule: string): Promise<boolean>;

  /**
   * Something that is another whenever rules or chains of the table came or went since, and costs next to nothing to ask
   * for. It may be another without that: the nft variant has one stamp for all that nf_tables holds. With the legacy
   * variant it is the table's size and layout, which a table of other rules may share.
   *
   * @returns undefined where the kernel cannot be asked. Never rejects.
   */
  stamp(table: IptablesTable): Promise<string | undefined>;

  /**
   * Whether rules or chains of the table may have come or gone since the last call, other than by `restore` of an instance
   * with the same runner. Costs and knows what {@link stamp} does; the first call says false, and begins to follow.
   *
   * @returns undefined where the kernel cannot be asked. Never rejects.
   */
  changedByOthers(table: IptablesTable): Promise<boolean | undefined>;

  /** @throws IptablesError with code `IPTABLES_MISSING` when the tool is not there. */
  version(): Promise<IptablesVersion>;

  /**
   * Whether this family can be used here at all: whether POSTROUTING of the nat table can be listed (spec I-86).
   * Never rejects.
   */
  isPresent(): Promise<boolean>;

  /** Ends what is kept running for later calls. Another call starts it again. */
  close(): void;
}
