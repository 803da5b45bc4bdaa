import type { IPFamily, Protocol } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/** Kinds of sets that this project uses. */
export type IpSetType = 'hash:ip' | 'hash:ip,port' | 'hash:ip,port,ip' | 'hash:ip,port,net';

/** What makes two sets the same kind of thing. */
export interface IpSetDefinition {
  /** At most 31 characters. */
  readonly name: string;
  readonly type: IpSetType;
  readonly family: IPFamily;
  /** Most entries that the set takes. */
  readonly maxEntries: number;
  /** Entries carry a packet mark (`skbinfo`). */
  readonly marks: boolean;
}

/** One entry. Which fields it has follows from the type of its set. */
export interface IpSetEntry {
  /** Canonical address. */
  readonly address: string;
  readonly port?: number;
  readonly protocol?: Protocol;
  /** Second address of `hash:ip,port,ip`. */
  readonly second?: string;
  /** Network of `hash:ip,port,net`, canonical; longer than /0. */
  readonly network?: string;
  /** The whole mark that packets get, where the set has marks. */
  readonly mark?: number;
}

export interface IpSet extends IpSetDefinition {
  readonly entries: readonly IpSetEntry[];
}

/**
 * One change. Adding what is there, and removing what is not, is fine; an entry that is there gets the new mark. Making a
 * set that is there is refused with `EEXIST` when it is of another kind; removing one that rules use with
 * `IPSET_BUSY`; anything but removing with a set that is not there with `ENOENT`; an entry too many with `IPSET_HASH_FULL`.
 */
export type IpSetCommand =
  | { readonly do: 'create-set'; readonly set: IpSetDefinition }
  | { readonly do: 'destroy-set' | 'flush-set'; readonly name: string }
  | { readonly do: 'add-entry' | 'delete-entry'; readonly set: string; readonly entry: IpSetEntry };

/**
 * Sets of addresses that packet filter rules look at, of one network namespace.
 *
 * Every method rejects with a `NetlinkError`.
 */
export interface IpSets {
  /**
   * Carries out commands in their order. One that is refused does not keep the others from being carried out.
   *
   * @returns for each command undefined, or how the kernel refused it.
   */
  execute(commands: readonly IpSetCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;

  /** A set with its entries; undefined when it is not there. Of one of another type the entries are left out. */
  find(name: string): Promise<IpSet | undefined>;

  /** Names of all sets. */
  names(): Promise<readonly string[]>;
}

/** Identity of an entry in its set: as `ipset` writes it. */
export function ipSetEntryKey({ address, port, protocol, second, network }: IpSetEntry): string {
  const head = port === undefined ? address : `${address},${(protocol ?? 'TCP').toLowerCase()}:${port}`;
  return second !== undefined ? `${head},${second}` : network !== undefined ? `${head},${network}` : head;
}
