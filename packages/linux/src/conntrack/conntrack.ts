import { type IPFamily, type Protocol, ProxierError } from '@kube-proxier/core';

/** One direction of a flow. */
export interface ConntrackTuple {
  /** Canonical IP address. */
  readonly source: string;
  readonly sourcePort: number;
  /** Canonical IP address. */
  readonly destination: string;
  readonly destinationPort: number;
}

/** A flow that the kernel remembers. */
export interface ConntrackEntry {
  readonly family: IPFamily;
  readonly protocol: Protocol;
  /** As the first packet came: its destination is what the client sent to, a cluster IP for example. */
  readonly original: ConntrackTuple;
  /** As answers come: its source is the endpoint that was chosen, when there was DNAT. */
  readonly reply: ConntrackTuple;
  /** Conntrack zone; 0 unless somebody put the flow into another. */
  readonly zone: number;
}

/** The kernel's table of flows. */
export interface Conntrack {
  /**
   * Whether this host has what the other methods need. Reads and changes no flow. Default: it is there.
   *
   * @throws ConntrackError that says what is missing.
   */
  check?(): Promise<void>;

  /**
   * Lists the entries of one family and protocol. One that comes or goes meanwhile may be there or not, or twice.
   *
   * @param wanted which of them; a node can have hundreds of thousands, and only these take memory. Default: all.
   * @throws ConntrackError
   */
  list(
    family: IPFamily,
    protocol: Protocol,
    wanted?: (entry: ConntrackEntry) => boolean,
  ): Promise<readonly ConntrackEntry[]>;

  /**
   * Deletes exactly these entries: same protocol, both tuples and zone. An entry that is gone already is no error.
   *
   * @returns how many were there and are deleted.
   * @throws ConntrackError; some of the entries may be deleted then.
   */
  delete(entries: readonly ConntrackEntry[]): Promise<number>;
}

/**
 * - `CONNTRACK_MISSING_TOOL`: the `conntrack` command is not installed.
 * - `CONNTRACK_NO_NETLINK`: the kernel has no netlink for connection tracking, or it cannot be reached from here.
 * - `CONNTRACK_NOT_PERMITTED`: needs root or CAP_NET_ADMIN.
 * - `CONNTRACK_FAILED`: anything else; `cause` has it.
 */
export type ConntrackErrorCode =
  | 'CONNTRACK_MISSING_TOOL'
  | 'CONNTRACK_NO_NETLINK'
  | 'CONNTRACK_NOT_PERMITTED'
  | 'CONNTRACK_FAILED';

/** The table of flows could not be read or changed. */
export class ConntrackError extends ProxierError {
  declare readonly code: ConntrackErrorCode;

  constructor(code: ConntrackErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
