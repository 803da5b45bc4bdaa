import type { IPFamily } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/** A network interface. */
export interface Link {
  readonly index: number;
  readonly name: string;
  /** `dummy`, `veth`, …; empty for hardware and for interfaces that do not report a kind. */
  readonly kind: string;
}

/** An address of an interface. */
export interface LinkAddress {
  readonly link: number;
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
  /** False for an IPv6 address during duplicate address detection, and after its failure (RFC 4862). */
  readonly usable: boolean;
}

/**
 * Addresses are added with the prefix length of a host address, and removed for any prefix length. They receive packets
 * at once; the kernel does not select them as source addresses for other hosts, nor for masquerading.
 */
export interface AddressCommand {
  readonly do: 'add-address' | 'delete-address';
  /** Index of the interface. */
  readonly link: number;
  readonly address: string;
}

/**
 * Interfaces and their addresses, of one network namespace.
 *
 * Every method rejects with a `NetlinkError`.
 */
export interface Links {
  find(name: string): Promise<Link | undefined>;

  /**
   * Creates a dummy interface, which is down.
   *
   * @throws NetlinkRefused `EEXIST` when the name is taken, `EOPNOTSUPP` when the kernel has no dummy interfaces.
   */
  addDummy(name: string): Promise<void>;

  /** @throws NetlinkRefused `ENODEV` when the interface does not exist. */
  remove(name: string): Promise<void>;

  /** The addresses of all interfaces, both families. */
  addresses(): Promise<readonly LinkAddress[]>;

  /**
   * Executes commands in order. Adding an existing address is refused with `EEXIST`, removing a missing one with
   * `EADDRNOTAVAIL`.
   *
   * @returns for each command undefined, or the error of the kernel.
   */
  execute(commands: readonly AddressCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;
}
