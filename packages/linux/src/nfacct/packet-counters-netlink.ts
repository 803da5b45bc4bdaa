import { attributeMap, cString, encodeAttributes } from '../netlink/attributes.js';
import { NETLINK_FLAGS, type Netlink, type NetlinkAnswer } from '../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import type { PacketCount, PacketCounters } from './packet-counters.js';

/** Constants of `linux/netfilter/nfnetlink.h` and `nfnetlink_acct.h`. */
const SUBSYSTEM = 7;
const NEW = 0;
const GET = 1;
const NAME = 1;
const PACKETS = 2;
const BYTES = 3;
const EEXIST = 17;
const ENOENT = 2;
/** `struct nfgenmsg`: address family, version, resource id (unused). */
const HEAD = Buffer.alloc(4);

/** {@link PacketCounters} by nfnetlink (spec I-72). */
export class PacketCountersNetlink implements PacketCounters {
  #netlink: Netlink | undefined;

  /** @param connect default is a socket of this process's network namespace. */
  constructor(private readonly connect: () => Netlink = () => new NetlinkSocket('netfilter')) {}

  async ensure(name: string): Promise<boolean> {
    try {
      const flags = NETLINK_FLAGS.create | NETLINK_FLAGS.exclusive;
      const [errno = 0] = await this.#open().execute([message(NEW, name, flags)]);
      return errno === 0 || errno === EEXIST;
    } catch (error) {
      if (error instanceof NetlinkError) {
        return false;
      }
      throw error;
    }
  }

  async read(name: string): Promise<PacketCount | undefined> {
    try {
      const [answer] = await this.#open().request(message(GET, name));
      return answer && decode(answer);
    } catch (error) {
      if (error instanceof NetlinkRefused && error.errno === ENOENT) {
        return undefined;
      }
      throw error;
    }
  }

  close(): void {
    this.#netlink?.close();
    this.#netlink = undefined;
  }

  #open(): Netlink {
    this.#netlink ??= this.connect();
    return this.#netlink;
  }
}

function message(command: number, name: string, flags = 0) {
  const payload = encodeAttributes([{ type: NAME, value: cString(name) }], HEAD);
  return { type: (SUBSYSTEM << 8) | command, flags, payload };
}

function decode({ payload }: NetlinkAnswer): PacketCount {
  const attributes = attributeMap(payload.subarray(HEAD.length));
  const number = (type: number) => {
    const value = attributes.get(type);
    return value === undefined || value.length < 8 ? 0 : Number(value.readBigUInt64BE(0));
  };
  return { packets: number(PACKETS), bytes: number(BYTES) };
}
