import { messageOf } from '@kube-proxier/core';
import type { Netlink } from '../netlink/netlink.js';
import { NetlinkError, NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { encodeSocketReset, SOCK_DESTROY } from './socket-diag-messages.js';
import { type TcpSocketAddress, type TcpSockets, TcpSocketsError } from './tcp-sockets.js';

const EPERM = 1;
const ENOENT = 2;
const EINVAL = 22;
const EOPNOTSUPP = 95;

/** {@link TcpSockets} by the netlink of the kernel for sockets (sock_diag). Opens a socket with each call and closes it. */
export class TcpSocketsNetlink implements TcpSockets {
  /** @param connect default is a socket of this process's network namespace. */
  constructor(private readonly connect: () => Netlink = () => new NetlinkSocket('socket-diag')) {}

  async reset(connections: readonly TcpSocketAddress[]): Promise<number> {
    if (connections.length === 0) {
      return 0;
    }
    const netlink = this.connect();
    try {
      const requests = connections.map((connection) => ({
        type: SOCK_DESTROY,
        flags: 0,
        payload: encodeSocketReset(connection),
      }));
      let done = 0;
      for (const errno of await netlink.execute(requests)) {
        if (errno === 0) {
          done++;
        } else if (errno !== ENOENT) {
          throw new NetlinkRefused(errno, 'reset a socket');
        }
      }
      return done;
    } catch (error) {
      throw describe(error);
    } finally {
      netlink.close();
    }
  }
}

function describe(error: unknown): unknown {
  if (!(error instanceof NetlinkError)) {
    return error;
  }
  const cause = { cause: error };
  if (error instanceof NetlinkRefused && (error.errno === EOPNOTSUPP || error.errno === EINVAL)) {
    return new TcpSocketsError(
      'SOCKETS_NOT_SUPPORTED',
      `the kernel cannot close sockets of programs (CONFIG_INET_DIAG_DESTROY): ${messageOf(error)}`,
      cause,
    );
  }
  if (error.code === 'NETLINK_UNAVAILABLE') {
    return new TcpSocketsError('SOCKETS_NOT_SUPPORTED', messageOf(error), cause);
  }
  if (error instanceof NetlinkRefused && error.errno === EPERM) {
    return new TcpSocketsError(
      'SOCKETS_NOT_PERMITTED',
      'closing sockets of programs needs root or the capability NET_ADMIN',
      cause,
    );
  }
  return new TcpSocketsError('SOCKETS_FAILED', `sockets could not be reset: ${messageOf(error)}`, cause);
}
