import type { IPFamily } from '@kube-proxier/core';
import type { NetlinkRefused } from '../netlink/netlink-error.js';

/** A network interface. */
export interface Link {
  readonly index: number;
  readonly name: string;
  /** `dummy`, `veth`, …; empty for hardware and for what does not say. */
  readonly kind: string;
}

/** An address that an interface has. */
export interface LinkAddress {
  readonly link: number;
  readonly family: IPFamily;
  /** Canonical. */
  readonly address: string;
  /** False for an IPv6 address while the kernel asks whether another host has it, and when one does (RFC 4862). */
  readonly usable: boolean;
}

/**
 * Addresses are added with the prefix length of a single host, and removed whatever length they have. They are there at once, to take packets in;
 * the kernel does not choose them for the source of what it sends elsewhere or masquerades.
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
   * Makes an interface that leads nowhere, and is down.
   *
   * @throws NetlinkRefused `EEXIST` when the name is taken, `EOPNOTSUPP` when the kernel has no such interfaces.
   */
  addDummy(name: string): Promise<void>;

  /** @throws NetlinkRefused `ENODEV` when there is no such interface. */
  remove(name: string): Promise<void>;

  /** Of all interfaces, both families. */
  addresses(): Promise<readonly LinkAddress[]>;

  /**
   * Carries out commands in their order. Adding what is there is refused with `EEXIST`, removing what is not with
   * `EADDRNOTAVAIL`.
   *
   * @returns for each command undefined, or how the kernel refused it.
   */
  execute(commands: readonly AddressCommand[]): Promise<readonly (NetlinkRefused | undefined)[]>;
}
