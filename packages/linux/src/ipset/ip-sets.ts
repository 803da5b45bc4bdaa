import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/** Kinds of sets that this project uses. */
export type IpSetType = 'hash:ip' | 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net';

/** The properties of a set that define its kind. */
export interface IpSetDefinition {
  /** At most 31 characters. */
  readonly name: string;
  readonly type: IpSetType;
  readonly family: IPFamily;
  /** Maximum number of entries. */
  readonly maxEntries: number;
  /** Entries carry a packet mark (`skbinfo`). */
  readonly marks: boolean;
}

/** One entry. The type of its set determines which fields it has. */
export interface IpSetEntry {
  /** Canonical address. */
  readonly address: string;
  readonly port?: number;
  readonly protocol?: Protocol;
  /** Second address of `hash:ip,port,ip`. */
  readonly second?: string;
  /** Network of `hash:ip,port,net`, canonical; longer than /0. */
  readonly network?: string;
  /** The whole mark that packets get, where the set has marks (`skbinfo`). */
  readonly mark?: number;
}

export interface IpSet extends IpSetDefinition {
  readonly entries: readonly IpSetEntry[];
}

/**
 * One change. Adding an existing entry, and removing a missing entry, succeeds; an existing entry gets the new mark.
 * Creating a set that exists is refused with `EEXIST` when it is of another kind; destroying a set that rules refer to
 * with `IPSET_BUSY`; any other command on a missing set with `ENOENT`; an entry beyond the maximum with
 * `IPSET_HASH_FULL`.
 */
export type IpSetCommand =
  | { readonly do: 'create-set'; readonly set: IpSetDefinition }
  | { readonly do: 'destroy-set' | 'flush-set'; readonly name: string }
  | { readonly do: 'add-entry' | 'delete-entry'; readonly set: string; readonly entry: IpSetEntry };

/**
 * The IP sets of one network namespace, which packet filter rules match against.
 *
 * Every method rejects with a `NetlinkError`.
 */
export interface IpSets {
  /**
   * Executes commands in order. A refused command does not stop the others.
   *
   * @returns for each command undefined, or the error of the kernel.
   */
  execute(commands: readonly IpSetCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;

  /** A set with its entries; undefined when it does not exist. The entries of a set of another type are omitted. */
  find(name: string): Promise<IpSet | undefined>;

  /** Names of all sets. */
  names(): Promise<readonly string[]>;
}

/** Identity of an entry in its set, as `ipset` prints it. */
export function ipSetEntryKey({ address, port, protocol, second, network }: IpSetEntry): string {
  const head = port === undefined ? address : `${address},${(protocol ?? 'TCP').toLowerCase()}:${port}`;
  return second !== undefined ? `${head},${second}` : network !== undefined ? `${head},${network}` : head;
}
