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

/** Where the replies of a flow come from. */
export type ReplySource = Pick<ConntrackTuple, 'source' | 'sourcePort'>;

/** Whether the replies of an entry come from there. */
export function repliesComeFrom({ reply }: Pick<ConntrackEntry, 'reply'>, from: ReplySource | undefined): boolean {
  return from === undefined || (reply.source === from.source && reply.sourcePort === from.sourcePort);
}

/** A flow that the kernel tracks. */
export interface ConntrackEntry {
  readonly family: IPFamily;
  readonly protocol: Protocol;
  /** The first packet's tuple: its destination is the address that the client sent to, a cluster IP for example. */
  readonly original: ConntrackTuple;
  /** The reply tuple: its source is the selected endpoint, when there was DNAT. */
  readonly reply: ConntrackTuple;
  /** Conntrack zone; 0 unless a rule assigned another zone. */
  readonly zone: number;
}

/** The part of an entry that destination NAT decides: where the client sent to, and who answers. */
export interface ConntrackTranslation {
  /** Destination of the original direction, a cluster IP for example; canonical. */
  readonly destination: string;
  readonly destinationPort: number;
  /** Source of the reply direction, the selected endpoint for example; canonical. */
  readonly source: string;
  readonly sourcePort: number;
}

/** The kernel's connection tracking table. */
export interface Conntrack {
  /**
   * Checks whether this host has what the other methods need. Reads and changes no flow. When absent, availability is
   * assumed.
   *
   * @throws ConntrackError that names what is missing.
   */
  check?(): Promise<void>;

  /**
   * Lists the entries of one family and protocol. An entry created or deleted during the call may be listed, missing,
   * or listed twice.
   *
   * @param wanted filter; a node can have hundreds of thousands of entries, and only those that match take memory.
   *   Default: all.
   * @param repliesFrom only entries whose replies come from this address and port, where the kernel filters them itself,
   *   and passes on no others. Default: any.
   * @throws ConntrackError
   */
  list(
    family: IPFamily,
    protocol: Protocol,
    wanted?: (entry: ConntrackEntry) => boolean,
    repliesFrom?: ReplySource,
  ): Promise<readonly ConntrackEntry[]>;

  /**
   * Deletes exactly these entries: same protocol, both tuples and zone. An entry that no longer exists is not an error.
   *
   * @returns how many existed and were deleted.
   * @throws ConntrackError; some of the entries may have been deleted.
   */
  delete(entries: readonly ConntrackEntry[]): Promise<number>;

  /**
   * Deletes every entry with one of these translations, in any zone, without listing it: the kernel compares. Its cost is one
   * pass over the whole table for each translation. When absent, the host cannot do it.
   *
   * Up to Linux 6.10 the kernel does not compare, and IPv6 addresses the wrong way round.
   *
   * @returns by how many entries the table is smaller, so near to the number of deleted entries where others come and go
   *   meanwhile; undefined when this host cannot do it and nothing was deleted.
   * @throws ConntrackError; some of the entries may have been deleted.
   */
  deleteTranslated?(
    family: IPFamily,
    protocol: Protocol,
    translations: readonly ConntrackTranslation[],
  ): Promise<number | undefined>;
}

/**
 * - `CONNTRACK_MISSING_TOOL`: the `conntrack` command is not installed.
 * - `CONNTRACK_NO_NETLINK`: the kernel has no netlink for connection tracking, or it cannot be reached from this
 *   process.
 * - `CONNTRACK_NOT_PERMITTED`: needs root or CAP_NET_ADMIN.
 * - `CONNTRACK_FAILED`: anything else; `cause` has it.
 */
export type ConntrackErrorCode =
  | 'CONNTRACK_MISSING_TOOL'
  | 'CONNTRACK_NO_NETLINK'
  | 'CONNTRACK_NOT_PERMITTED'
  | 'CONNTRACK_FAILED';

/** The connection tracking table could not be read or changed. */
export class ConntrackError extends ProxierError {
  declare readonly code: ConntrackErrorCode;

  constructor(code: ConntrackErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}
