import type { AddressChange } from '@kube-proxier/core';

/** Events received by {@link AddressEvents}. */
export interface ReceivedAddressChanges {
  /** In order; an address that changed several times is listed several times. */
  readonly changes: readonly AddressChange[];
  /** Events were lost: the addresses must be read again. */
  readonly missed: boolean;
}

/**
 * Reports that addresses of interfaces were added, removed, or changed: an IPv6 address is reported twice, first during
 * duplicate address detection, and again when it is usable.
 */
export interface AddressEvents {
  /**
   * The events since the last call; does not wait. The first call subscribes; earlier events are not reported.
   *
   * @throws NetlinkError when events cannot be read. The next call subscribes again.
   */
  take(): Promise<ReceivedAddressChanges>;

  /** Idempotent. */
  close(): void;
}
