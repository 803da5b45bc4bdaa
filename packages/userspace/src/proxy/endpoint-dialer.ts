import type { Socket as UdpSocket } from 'node:dgram';
import { connect, Socket } from 'node:net';
import type { IPFamily } from '@kube-proxier/core';
import type { MarkedSockets } from '@kube-proxier/linux';
import type { ProxiedProtocol, Target } from '../plan/userspace-transaction.js';

/** How connections to endpoints bypass the redirects of this backend. */
export interface Bypass {
  readonly sockets: MarkedSockets;
  /** Whether a redirect may meet what is sent to an endpoint. Evaluated for each connection. */
  readonly isNeeded: (protocol: ProxiedProtocol, target: Target) => boolean;
}

/**
 * Opens connections to endpoints. If one of this backend's redirects would loop them back, they carry the exempting
 * mark; other connections are ordinary.
 */
export class EndpointDialer {
  #bypass: Bypass | undefined;

  constructor(private readonly family: IPFamily) {}

  /** From now on. Default: nothing is redirected. */
  use(bypass: Bypass | undefined): void {
    this.#bypass = bypass;
  }

  /** Failures are events of the socket, at once or later. Ends of each side are kept apart. */
  connectTcp(target: Target, highWaterMark: number): Socket {
    const options = { host: target.address, port: target.port, allowHalfOpen: true, highWaterMark };
    const marked = this.#markedSockets('TCP', target);
    if (!marked) {
      return connect(options);
    }
    try {
      return marked.createTcp(this.family, { allowHalfOpen: true, highWaterMark }).connect(options);
    } catch (error) {
      return new Socket().destroy(error as Error);
    }
  }

  /**
   * Connects a new UDP socket.
   *
   * @param done is called with an error of connecting, or none; never before this returns.
   */
  connectUdp(socket: UdpSocket, target: Target, done: (error?: NodeJS.ErrnoException) => void): void {
    try {
      this.#markedSockets('UDP', target)?.bindUdp(this.family, socket);
    } catch (error) {
      process.nextTick(done, error);
      return;
    }
    // The callback also receives errors, contrary to its type.
    socket.connect(target.port, target.address, (...[error]: readonly NodeJS.ErrnoException[]) => done(error));
  }

  #markedSockets(protocol: ProxiedProtocol, target: Target): MarkedSockets | undefined {
    const { sockets, isNeeded } = this.#bypass ?? {};
    return sockets?.unusable === undefined && isNeeded?.(protocol, target) ? sockets : undefined;
  }
}
