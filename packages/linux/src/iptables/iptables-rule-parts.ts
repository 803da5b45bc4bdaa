/** A condition that can be negated. */
export interface Condition {
  /** The canonical text of a network (`10.0.0.1/32`, `0.0.0.5/128.0.0.15`), or the name of an interface (`cali+`). */
  readonly value: string;
  /** Holds when the value does *not* match. Default false. */
  readonly not?: boolean;
}

/** Transport protocols as iptables spells them. */
export type IptablesProtocol = 'tcp' | 'udp' | 'sctp';

export type ConntrackState = 'INVALID' | 'NEW' | 'RELATED' | 'ESTABLISHED' | 'UNTRACKED' | 'SNAT' | 'DNAT';

/** A match extension (`-m …`), limited to those that backends of this project use. */
export type IptablesMatch =
  | {
      readonly match: 'port';
      readonly protocol: IptablesProtocol;
      readonly first: number;
      readonly last?: number;
      /** For TCP, only packets that do not open a connection. Default false. */
      readonly noSyn?: boolean;
    }
  /** For TCP, only packets that do not open a connection. */
  | { readonly match: 'no-syn' }
  | {
      readonly match: 'conntrack';
      readonly states: readonly ConntrackState[];
      readonly not?: boolean;
      /** The original destination of the connection. */
      readonly originalDestination?: string;
    }
  /** Counts the packet in the kernel counter of that name. */
  | { readonly match: 'nfacct'; readonly counter: string }
  | { readonly match: 'mark'; readonly value: number; readonly mask: number; readonly not?: boolean }
  | { readonly match: 'addrtype'; readonly side: 'src' | 'dst'; readonly type: 'LOCAL'; readonly not?: boolean }
  /**
   * Matches packets against an IP set; `sides` selects the source or destination address or port for each part of an
   * entry.
   */
  | { readonly match: 'set'; readonly set: string; readonly sides: readonly ('src' | 'dst')[]; readonly not?: boolean }
  /** `probability` 0…1; the kernel keeps 31 bits of it. */
  | { readonly match: 'statistic'; readonly probability: number }
  | { readonly match: 'recent'; readonly operation: 'set'; readonly list: string; readonly mask: string }
  | {
      readonly match: 'recent';
      readonly operation: 'rcheck';
      readonly list: string;
      readonly mask: string;
      /** Entries older than this many seconds do not match, and are removed. */
      readonly seconds: number;
    };

/** How a packet is rejected. */
export type RejectAnswer = 'icmp-port-unreachable' | 'icmp6-port-unreachable' | 'tcp-reset';

/** The action of a rule for a matching packet. */
export type IptablesTarget =
  | { readonly target: 'jump' | 'goto'; readonly chain: string }
  | { readonly target: 'ACCEPT' | 'DROP' | 'RETURN' }
  /** `tcp-reset` needs the protocol TCP. */
  | { readonly target: 'REJECT'; readonly with: RejectAnswer }
  /** Clears the bits of `mask`, then flips those of `value`. */
  | { readonly target: 'MARK'; readonly value: number; readonly mask: number }
  /** Sets the packet's mark to the mark that its entry in a set carries. */
  | { readonly target: 'SET'; readonly markFrom: string; readonly sides: readonly ('src' | 'dst')[] }
  | { readonly target: 'MASQUERADE'; readonly randomFully: boolean }
  | { readonly target: 'DNAT'; readonly to: string }
  /** Redirects to the same host: the first address of the input interface, or a loopback address. */
  | { readonly target: 'REDIRECT'; readonly toPort: number };

/** The parts of a rule. An absent part matches everything. */
export interface IptablesRuleParts {
  readonly source?: Condition | undefined;
  readonly destination?: Condition | undefined;
  readonly inInterface?: Condition | undefined;
  readonly outInterface?: Condition | undefined;
  readonly protocol?: IptablesProtocol;
  /** For human readers. Characters other than plain text are replaced, and it is truncated at 255 characters. */
  readonly comment?: string | undefined;
  /** Number of `matches` before the comment. Default 0. */
  readonly commentAfter?: number;
  readonly matches?: readonly IptablesMatch[];
  /** Undefined: the rule only counts packets. */
  readonly target?: IptablesTarget;
}

/** 2^-31: the resolution of the kernel's statistic match. */
export const PROBABILITY_STEPS = 2 ** 31;

/** The probability that the kernel stores for `probability`: it keeps 31 bits. */
export function kernelProbability(probability: number): number {
  return Math.round(probability * PROBABILITY_STEPS) / PROBABILITY_STEPS;
}
