import type { IPFamily } from '@kube-proxier/core';
import { NETLINK_FLAGS, type Netlink, type NetlinkRequest } from '../netlink/netlink.js';
import { NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import {
  decodeListing,
  decodeRevision,
  encodeEntry,
  encodeSetCreation,
  encodeSetName,
  encodeTypeRequest,
  IP_SET_COMMANDS,
  ipSetMessageType,
} from './ip-set-messages.js';
import {
  type IpSet,
  type IpSetCommand,
  type IpSetDefinition,
  type IpSets,
  type IpSetType,
  ipSetEntryKey,
} from './ip-sets.js';

const ENOENT = 2;

/**
 * {@link IpSets} by nfnetlink. Unlike `ipset restore`, it starts no process, and sends entries as fast as the kernel
 * accepts them; `docs/performance.md` has the figures.
 */
export class IpSetsNetlink implements IpSets {
  readonly #revisions = new Map<string, Promise<number>>();

  /** @param netlink to protocol `netfilter`; default is a socket of this process's network namespace. */
  constructor(private readonly netlink: Netlink = new NetlinkSocket('netfilter')) {}

  async execute(commands: readonly IpSetCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    if (commands.length === 0) {
      return [];
    }
    const requests: NetlinkRequest[] = [];
    for (const command of commands) {
      requests.push(await this.#encode(command));
    }
    const errors = await this.netlink.execute(requests);
    return commands.map((command, index) => {
      const errno = errors[index] ?? 0;
      return errno === 0 ? undefined : new NetlinkRefused(errno, describe(command));
    });
  }

  async find(name: string): Promise<IpSet | undefined> {
    let listings: readonly ReturnType<typeof decodeListing>[];
    try {
      listings = await this.#list(name);
    } catch (error) {
      if (error instanceof NetlinkRefused && error.errno === ENOENT) {
        return undefined;
      }
      throw error;
    }
    const definition = listings.find((listing) => listing.definition !== undefined)?.definition;
    const unknown: IpSetDefinition = { name, type: 'hash:ip', family: 'IPv4', maxEntries: 0, marks: false };
    return { ...(definition ?? unknown), entries: definition ? listings.flatMap(({ entries }) => entries) : [] };
  }

  async names(): Promise<readonly string[]> {
    return [...new Set((await this.#list()).map(({ name }) => name))];
  }

  /** Closes the socket. */
  close(): void {
    this.netlink.close();
  }

  async #list(name?: string): Promise<readonly ReturnType<typeof decodeListing>[]> {
    const type = ipSetMessageType(IP_SET_COMMANDS.list);
    const answers = await this.netlink.request({ type, flags: NETLINK_FLAGS.dump, payload: encodeSetName(name) });
    return answers.map(({ payload }) => decodeListing(payload));
  }

  async #encode(command: IpSetCommand): Promise<NetlinkRequest> {
    switch (command.do) {
      case 'create-set': {
        const { set } = command;
        const payload = encodeSetCreation(set, await this.#revision(set.type, set.family));
        return { type: ipSetMessageType(IP_SET_COMMANDS.create), flags: NETLINK_FLAGS.create, payload };
      }
      case 'destroy-set':
      case 'flush-set': {
        const number = command.do === 'destroy-set' ? IP_SET_COMMANDS.destroy : IP_SET_COMMANDS.flush;
        return { type: ipSetMessageType(number), flags: 0, payload: encodeSetName(command.name) };
      }
      case 'add-entry':
      case 'delete-entry': {
        const number = command.do === 'add-entry' ? IP_SET_COMMANDS.add : IP_SET_COMMANDS.delete;
        return { type: ipSetMessageType(number), flags: 0, payload: encodeEntry(command.set, command.entry) };
      }
    }
  }

  /** The newest revision that the kernel supports: the attributes used here are the same in all revisions. */
  #revision(type: IpSetType, family: IPFamily): Promise<number> {
    const key = `${type}/${family}`;
    let found = this.#revisions.get(key);
    if (found === undefined) {
      found = this.#askRevision(type, family).catch((error) => {
        this.#revisions.delete(key);
        throw error;
      });
      this.#revisions.set(key, found);
    }
    return found;
  }

  async #askRevision(type: IpSetType, family: IPFamily): Promise<number> {
    const payload = encodeTypeRequest(type, family);
    const [answer] = await this.netlink.request({ type: ipSetMessageType(IP_SET_COMMANDS.type), flags: 0, payload });
    return answer === undefined ? 0 : decodeRevision(answer.payload);
  }
}

function describe(command: IpSetCommand): string {
  switch (command.do) {
    case 'create-set':
      return `make the set ${command.set.name} (${command.set.type})`;
    case 'destroy-set':
      return `remove the set ${command.name}`;
    case 'flush-set':
      return `empty the set ${command.name}`;
    case 'add-entry':
      return `add ${ipSetEntryKey(command.entry)} to the set ${command.set}`;
    case 'delete-entry':
      return `remove ${ipSetEntryKey(command.entry)} from the set ${command.set}`;
  }
}
