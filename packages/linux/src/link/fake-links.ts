import type { AddressChange } from '@kube-proxier/core';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import type { AddressEvents } from './address-events.js';
import type { AddressCommand, Link, LinkAddress, Links } from './links.js';

const EEXIST = 17;
const ENODEV = 19;
const EADDRNOTAVAIL = 99;

/** Interfaces in memory. */
export class FakeLinks implements Links {
  readonly #links = new Map<string, Link>();
  #addresses: LinkAddress[] = [];
  #lastIndex = 1;
  readonly #listeners = new Set<(change: AddressChange) => void>();
  /** While true, subscribing fails, and existing subscriptions are closed. */
  deaf = false;

  /** @param host addresses of an interface that exists from the start. */
  constructor(host: readonly string[] = []) {
    this.#links.set('eth0', { index: 1, name: 'eth0', kind: '' });
    this.#addresses = host.map((address) => linkAddress(1, address));
  }

  /** Index of an interface that exists from the start. */
  async addHostAddress(address: string, usable = true): Promise<void> {
    await this.removeHostAddress(address);
    this.#addresses.push({ ...linkAddress(1, address), usable });
    this.#notify(linkAddress(1, address));
  }

  async removeHostAddress(address: string): Promise<void> {
    await this.execute([{ do: 'delete-address', link: 1, address }]);
  }

  /** @param room number of changes buffered until they are read. */
  events(room = 100): AddressEvents {
    let changes: AddressChange[] | undefined;
    let missed = false;
    const listen = (change: AddressChange) => {
      if (changes !== undefined && changes.length < room) {
        changes.push(change);
      } else {
        missed = true;
      }
    };
    const close = () => {
      changes = undefined;
      this.#listeners.delete(listen);
    };
    return {
      take: async () => {
        if (this.deaf) {
          close();
          throw new NetlinkError('NETLINK_LOST', 'listening to netlink (route) failed: ENOMEM');
        }
        this.#listeners.add(listen);
        const taken = { changes: changes ?? [], missed: missed && changes !== undefined };
        changes = [];
        missed = false;
        return taken;
      },
      close,
    };
  }

  async find(name: string): Promise<Link | undefined> {
    return this.#links.get(name);
  }

  async addDummy(name: string): Promise<void> {
    if (this.#links.has(name)) {
      throw new NetlinkRefused(EEXIST, `make the dummy interface ${name}`);
    }
    this.#lastIndex += 1;
    this.#links.set(name, { index: this.#lastIndex, name, kind: 'dummy' });
  }

  async remove(name: string): Promise<void> {
    const link = this.#links.get(name);
    if (link === undefined) {
      throw new NetlinkRefused(ENODEV, `remove the interface ${name}`);
    }
    this.#links.delete(name);
    const gone = this.#addresses.filter((address) => address.link === link.index);
    this.#addresses = this.#addresses.filter((address) => address.link !== link.index);
    for (const { address } of gone) {
      this.#notify(linkAddress(link.index, address));
    }
  }

  async addresses(): Promise<readonly LinkAddress[]> {
    return [...this.#addresses];
  }

  async execute(commands: readonly AddressCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    return commands.map(({ do: what, link, address }) => {
      const at = this.#addresses.findIndex((found) => found.link === link && found.address === address);
      if (![...this.#links.values()].some(({ index }) => index === link)) {
        return new NetlinkRefused(ENODEV, what);
      }
      if (what === 'add-address') {
        if (at >= 0) {
          return new NetlinkRefused(EEXIST, what);
        }
        this.#addresses.push(linkAddress(link, address));
        this.#notify(linkAddress(link, address));
        return undefined;
      }
      if (at < 0) {
        return new NetlinkRefused(EADDRNOTAVAIL, what);
      }
      this.#addresses.splice(at, 1);
      this.#notify(linkAddress(link, address));
      return undefined;
    });
  }

  #notify({ link, family, address }: AddressChange): void {
    for (const listener of this.#listeners) {
      listener({ link, family, address });
    }
  }
}

function linkAddress(link: number, address: string): LinkAddress {
  return { link, family: address.includes(':') ? 'IPv6' : 'IPv4', address, usable: true };
}
