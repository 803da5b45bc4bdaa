import { asU16, attributeMap, cString, encodeAttributes } from '../netlink/attributes.js';
import { NETLINK_FLAGS, type Netlink, type NetlinkAnswer } from '../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import type {
  Ipvs,
  IpvsCommand,
  IpvsTimeouts,
  RealServerCounts,
  RealServerStatus,
  VirtualServer,
  VirtualServerAddress,
} from './ipvs.js';
import { virtualServerKey } from './ipvs.js';
import {
  decodeRealServer,
  decodeRealServerCounts,
  decodeTimeouts,
  decodeVersion,
  decodeVirtualServer,
  encodeIpvsCommand,
  encodeRealServersRequest,
  encodeTimeouts,
  encodeVirtualServerRequest,
  IPVS_COMMANDS,
  type IpvsMessage,
} from './ipvs-messages.js';

const CONTROLLER = 0x10;
const GET_FAMILY = 3;
const FAMILY_ID = 1;
const FAMILY_NAME = 2;
const VERSION = 1;
const GENERIC_HEADER = 4;
const ENOENT = 2;
const ESRCH = 3;

/** {@link Ipvs} by generic netlink. Resolving the family makes the kernel load its module, where permitted. */
export class IpvsNetlink implements Ipvs {
  #family: Promise<number> | undefined;

  /** @param netlink to protocol `generic`; default is a socket of this process's network namespace. */
  constructor(private readonly netlink: Netlink = new NetlinkSocket('generic')) {}

  async execute(commands: readonly IpvsCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    if (commands.length === 0) {
      return [];
    }
    const type = await this.#type();
    const requests = commands.map((command) => ({ type, flags: 0, payload: body(encodeIpvsCommand(command)) }));
    const errors = await this.netlink.execute(requests);
    return commands.map((command, index) => {
      const errno = errors[index] ?? 0;
      return errno === 0 ? undefined : new NetlinkRefused(errno, describe(command));
    });
  }

  async virtualServers(): Promise<readonly VirtualServer[]> {
    // A dump resolves the family again: the module may have been reloaded with another number.
    this.#family = undefined;
    const answers = await this.#request({ command: IPVS_COMMANDS.getService, attributes: NOTHING }, NETLINK_FLAGS.dump);
    return answers.flatMap((attributes) => decodeVirtualServer(attributes) ?? []);
  }

  async has(at: VirtualServerAddress): Promise<boolean> {
    try {
      return (await this.#request(encodeVirtualServerRequest(at))).length > 0;
    } catch (error) {
      if (error instanceof NetlinkRefused && error.errno === ESRCH) {
        return false;
      }
      throw error;
    }
  }

  async realServers(at: VirtualServerAddress): Promise<readonly RealServerStatus[]> {
    const answers = await this.#request(encodeRealServersRequest(at), NETLINK_FLAGS.dump);
    return answers.flatMap((attributes) => decodeRealServer(attributes, at.family) ?? []);
  }

  async counts(at: VirtualServerAddress): Promise<readonly RealServerCounts[]> {
    const answers = await this.#request(encodeRealServersRequest(at), NETLINK_FLAGS.dump);
    return answers.flatMap((attributes) => decodeRealServerCounts(attributes, at.family) ?? []);
  }

  async timeouts(): Promise<IpvsTimeouts> {
    const [answer = NOTHING] = await this.#request({ command: IPVS_COMMANDS.getConfig, attributes: NOTHING });
    return decodeTimeouts(answer);
  }

  async setTimeouts(timeouts: IpvsTimeouts): Promise<void> {
    const request = { type: await this.#type(), flags: 0, payload: body(encodeTimeouts(timeouts)) };
    const [errno = 0] = await this.netlink.execute([request]);
    if (errno !== 0) {
      throw new NetlinkRefused(errno, `set the timeouts of IPVS to ${JSON.stringify(timeouts)}`);
    }
  }

  async version(): Promise<string> {
    const [answer = NOTHING] = await this.#request({ command: IPVS_COMMANDS.getInfo, attributes: NOTHING });
    return decodeVersion(answer);
  }

  /** Closes the socket. */
  close(): void {
    this.netlink.close();
  }

  async #request(question: IpvsMessage, flags = 0): Promise<readonly Buffer[]> {
    const answers = await this.netlink.request({ type: await this.#type(), flags, payload: body(question) });
    return answers.map(behindHeader);
  }

  /** The number that the kernel assigned to the family. It changes when the module is reloaded. */
  #type(): Promise<number> {
    this.#family ??= this.#findFamily().catch((error) => {
      this.#family = undefined;
      throw error;
    });
    return this.#family;
  }

  async #findFamily(): Promise<number> {
    const payload = encodeAttributes(
      [{ type: FAMILY_NAME, value: cString('IPVS') }],
      Buffer.of(GET_FAMILY, VERSION, 0, 0),
    );
    let answers: readonly NetlinkAnswer[];
    try {
      answers = await this.netlink.request({ type: CONTROLLER, flags: 0, payload });
    } catch (error) {
      if (error instanceof NetlinkRefused && error.errno === ENOENT) {
        throw new NetlinkError('NETLINK_UNAVAILABLE', 'the kernel has no IPVS: its module ip_vs is not loaded', {
          cause: error,
        });
      }
      throw error;
    }
    const [answer] = answers.map(behindHeader);
    return asU16(answer && attributeMap(answer).get(FAMILY_ID));
  }
}

const NOTHING = Buffer.alloc(0);

function body({ command, attributes }: IpvsMessage): Buffer {
  return Buffer.concat([Buffer.of(command, VERSION, 0, 0), attributes]);
}

function behindHeader({ payload }: NetlinkAnswer): Buffer {
  return payload.subarray(GENERIC_HEADER);
}

function describe(command: IpvsCommand): string {
  switch (command.do) {
    case 'add-virtual':
    case 'set-virtual': {
      const verb = command.do === 'add-virtual' ? 'add' : 'change';
      return `${verb} the virtual server ${virtualServerKey(command.virtual.at)} with scheduler ${command.virtual.scheduler}`;
    }
    case 'delete-virtual':
      return `remove the virtual server ${virtualServerKey(command.at)}`;
    case 'add-real':
    case 'set-real': {
      const verb = command.do === 'add-real' ? 'add' : 'change';
      return `${verb} the real server ${command.real.address} port ${command.real.port} of ${virtualServerKey(command.at)}`;
    }
    case 'delete-real':
      return `remove the real server ${command.address} port ${command.port} of ${virtualServerKey(command.at)}`;
  }
}
