import { NETLINK_FLAGS, type Netlink } from '../netlink/netlink.js';
import { NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import {
  decodeAddress,
  decodeLink,
  decodePrefixLength,
  encodeAddress,
  encodeEverything,
  encodeLink,
  ROUTE_MESSAGES,
} from './link-messages.js';
import type { AddressCommand, Link, LinkAddress, Links } from './links.js';

const ENODEV = 19;
const EADDRNOTAVAIL = 99;

/** {@link Links} by rtnetlink. */
export class LinksNetlink implements Links {
  /** @param netlink to protocol `route`; default is a socket of this process's network namespace. */
  constructor(private readonly netlink: Netlink = new NetlinkSocket('route')) {}

  async find(name: string): Promise<Link | undefined> {
    try {
      const [answer] = await this.netlink.request({
        type: ROUTE_MESSAGES.getLink,
        flags: 0,
        payload: encodeLink(name),
      });
      return answer && decodeLink(answer.payload);
    } catch (error) {
      if (error instanceof NetlinkRefused && error.errno === ENODEV) {
        return undefined;
      }
      throw error;
    }
  }

  async addDummy(name: string): Promise<void> {
    await this.#do(ROUTE_MESSAGES.newLink, NETLINK_FLAGS.create | NETLINK_FLAGS.exclusive, encodeLink(name, 'dummy'), () => `make the dummy interface ${name}`); // biome-ignore format: one request
  }

  async remove(name: string): Promise<void> {
    await this.#do(ROUTE_MESSAGES.deleteLink, 0, encodeLink(name), () => `remove the interface ${name}`);
  }

  async addresses(): Promise<readonly LinkAddress[]> {
    return (await this.#listAddresses()).flatMap((payload) => decodeAddress(payload) ?? []);
  }

  async execute(commands: readonly AddressCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    if (commands.length === 0) {
      return [];
    }
    const errors = await this.netlink.execute(
      commands.map((command) => ({
        type: command.do === 'add-address' ? ROUTE_MESSAGES.newAddress : ROUTE_MESSAGES.deleteAddress,
        flags: command.do === 'add-address' ? NETLINK_FLAGS.create | NETLINK_FLAGS.exclusive : 0,
        payload: encodeAddress(command),
      })),
    );
    const others = commands.filter(
      ({ do: what }, index) => what === 'delete-address' && errors[index] === EADDRNOTAVAIL,
    );
    const second = others.length === 0 ? new Map<AddressCommand, number>() : await this.#removeNetworks(others);
    return commands.map((command, index) => {
      const errno = second.get(command) ?? errors[index] ?? 0;
      const verb = command.do === 'add-address' ? 'add the address' : 'remove the address';
      return errno === 0 ? undefined : new NetlinkRefused(errno, `${verb} ${command.address}`);
    });
  }

  /**
   * Another program may have added an address with the prefix length of a network; the prefix length is then part of
   * its identity.
   */
  async #removeNetworks(commands: readonly AddressCommand[]): Promise<ReadonlyMap<AddressCommand, number>> {
    const payloads = await this.#listAddresses();
    const requests = commands.flatMap((command) =>
      payloads
        .filter((payload) => {
          const found = decodeAddress(payload);
          return found?.link === command.link && found.address === command.address;
        })
        .map((payload) => ({ command, payload: encodeAddress(command, decodePrefixLength(payload)) })),
    );
    if (requests.length === 0) {
      return new Map();
    }
    const errors = await this.netlink.execute(
      requests.map(({ payload }) => ({ type: ROUTE_MESSAGES.deleteAddress, flags: 0, payload })),
    );
    return new Map(requests.map(({ command }, index) => [command, errors[index] ?? 0]));
  }

  async #listAddresses(): Promise<readonly Buffer[]> {
    const payload = encodeEverything('addresses');
    const answers = await this.netlink.request({ type: ROUTE_MESSAGES.getAddress, flags: NETLINK_FLAGS.dump, payload });
    return answers.map((answer) => answer.payload);
  }

  /** Closes the socket. */
  close(): void {
    this.netlink.close();
  }

  async #do(type: number, flags: number, payload: Buffer, what: () => string): Promise<void> {
    const [errno = 0] = await this.netlink.execute([{ type, flags, payload }]);
    if (errno !== 0) {
      throw new NetlinkRefused(errno, what());
    }
  }
}
