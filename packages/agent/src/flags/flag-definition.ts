/** Type of a flag's value. */
export type FlagType = 'bool' | 'text' | 'list' | 'duration' | 'int' | 'float';

/** One flag of the command line: its syntax, default and help. */
export interface Flag {
  /** Without dashes. */
  readonly name: string;
  /** One letter, without dash. */
  readonly short?: string;
  readonly type: FlagType;
  /** Name of the value in the help text; absent for `bool`. */
  readonly value?: string;
  /** Default, as written on the command line; undefined when there is none. */
  readonly default?: string;
  /** Description of the default in the help text. */
  readonly defaultText: string;
  /** Description with units, in full sentences. */
  readonly help: string;
  readonly group: FlagGroup;
  /** Why it has no effect, for a flag that is accepted only for compatibility with kube-proxy. */
  readonly unused?: string;
}

export type FlagGroup =
  | 'Mode'
  | 'Mode userspace'
  | 'Mode nftables'
  | 'Mode ipvs'
  | 'Status'
  | 'Objects'
  | 'Node'
  | 'Services'
  | 'Timing'
  | 'Conntrack'
  | 'Logging'
  | 'Clean-up'
  | 'Commands'
  | 'Other'
  | 'Without effect';

/** What the value of a flag of the type `duration` is, in its help. */
export const DURATION = 'a duration such as 500ms, 30s or 1m30s';
