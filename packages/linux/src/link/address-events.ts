import type { AddressChange } from '@kube-proxier/core';

/** What {@link AddressEvents} have taken in. */
export interface AddressNews {
  /** In their order; an address that changed more than once is in it as often. */
  readonly changes: readonly AddressChange[];
  /** There were more, of which nothing is known: addresses have to be looked up. */
  readonly missed: boolean;
}

/**
 * Tells that addresses of interfaces have come, gone, or changed in another way: an IPv6 address comes twice, first while
 * the kernel asks whether another host has it, and again when it is usable.
 */
export interface AddressEvents {
  /**
   * What has happened since the last call; nothing is waited for. The first call begins to listen, and what was before is
   * not told.
   *
   * @throws NetlinkError when it cannot be told. The next call begins anew.
   */
  take(): Promise<AddressNews>;

  /** Idempotent. */
  close(): void;
}
