import { NetlinkSubscription } from '../netlink/netlink-subscription.js';
import type { NetlinkSocketOptions } from '../netlink/open-socket.js';
import type { AddressEvents, ReceivedAddressChanges } from './address-events.js';
import { decodeAddress, ROUTE_MESSAGES } from './link-messages.js';

/** `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`. */
const GROUPS = 0x10 | 0x100;

/** {@link AddressEvents} by rtnetlink. Needs no privilege. */
export class AddressEventsNetlink implements AddressEvents {
  readonly #subscription: NetlinkSubscription;

  constructor(options: NetlinkSocketOptions = {}) {
    this.#subscription = new NetlinkSubscription('route', GROUPS, options);
  }

  async take(): Promise<ReceivedAddressChanges> {
    const { messages, missed } = await this.#subscription.take();
    const changes = messages.flatMap(({ type, payload }) => {
      const isAddress = type === ROUTE_MESSAGES.newAddress || type === ROUTE_MESSAGES.deleteAddress;
      const found = isAddress ? decodeAddress(payload) : undefined;
      return found === undefined ? [] : [{ link: found.link, family: found.family, address: found.address }];
    });
    return { changes, missed };
  }

  close(): void {
    this.#subscription.close();
  }
}
