import type { AddressCommand, Link, LinkAddress, Links } from '../link/links.js';
import { NetlinkRefused } from '../netlink/netlink-error.js';

const EEXIST = 17;
const ENODEV = 19;
const EADDRNOTAVAIL = 99;

/** Interfaces in memory. */
export class FakeLinks implements Links {
  readonly #links = new Map<string, Link>();
  #addresses: LinkAddress[] = [];
  #lastIndex = 1;

  /** @param host addresses of an interface that is there from the start. */
  constructor(host: readonly string[] = []) {
    this.#links.set('eth0', { index: 1, name: 'eth0', kind: '' });
    this.#addresses = host.map((address) => ({ link: 1, family: address.includes(':') ? 'IPv6' : 'IPv4', address }));
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
    this.#addresses = this.#addresses.filter((address) => address.link !== link.index);
  }

  async addresses(): Promise<readonly LinkAddress[]> {
    return this.#addresses;
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
        this.#addresses.push({ link, family: address.includes(':') ? 'IPv6' : 'IPv4', address });
        return undefined;
      }
      if (at < 0) {
        return new NetlinkRefused(EADDRNOTAVAIL, what);
      }
      this.#addresses.splice(at, 1);
      return undefined;
    });
  }
}
