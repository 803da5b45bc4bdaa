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

/** The source of the replies of a flow. */
export type ReplySource = Pick<ConntrackTuple, 'source' | 'sourcePort'>;

/** Whether the replies of an entry have this source. */
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

/** The DNAT translation of an entry: the original destination and the source of the replies. */
export interface ConntrackTranslation {
  /** Destination of the original direction, a cluster IP for example; canonical. */
  readonly destination: string;
  readonly destinationPort: number;
  /** Source of the reply direction, the selected endpoint for example; canonical. */
  readonly source: string;
  readonly sourcePort: number;
}

/**
 * Assigns the entries with a translation to a group; undefined for entries that are not meant. The same translation always
 * has the same group.
 */
export type GroupOfTranslation<Group> = (translation: ConntrackTranslation) => Group | undefined;

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
   * @param wanted filter; a node can have hundreds of thousands of entries, and only matching entries take memory.
   *   Default: all.
   * @param repliesFrom only entries whose replies come from this address and port, if the kernel supports the filter.
   *   Default: any.
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
   * Deletes the entries of one family and protocol whose translation belongs to a group, in any zone, while they are
   * listed: a host has a million entries, and only a few thousand of them are in memory at once.
   *
   * @param groupOf called for each translation, also more than once; it must not throw.
   * @returns how many were deleted, by group.
   * @throws ConntrackError; some of the entries may have been deleted.
   */
  deleteMatching<Group>(
    family: IPFamily,
    protocol: Protocol,
    groupOf: GroupOfTranslation<Group>,
  ): Promise<ReadonlyMap<Group, number>>;

  /**
   * Deletes every entry with one of these translations, in any zone, without a dump: the kernel filters. Costs one pass
   * over the whole table for each translation. Absent when the host does not support it.
   *
   * Kernels up to Linux 6.10 have no such filter, and later ones invert it for IPv6 addresses.
   *
   * @returns the decrease of the table size, which approximates the number of deleted entries while other entries
   *   change; undefined when not supported: nothing was deleted.
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
