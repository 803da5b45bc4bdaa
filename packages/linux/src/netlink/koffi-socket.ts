import { readU32, u32 } from './attributes.js';
import type { DatagramSocket, DatagramSocketOptions } from './datagram-socket.js';
import type { Libc } from './libc.js';
import type { NetlinkProtocol } from './netlink.js';
import { errnoName } from './netlink-error.js';
import { lostAnswer, openSocket, tooLarge, unavailable } from './open-socket.js';
import { MAX_BYTES } from './request-batches.js';

const MSG_TRUNC = 0x20;
const [EINTR, EAGAIN, EMSGSIZE] = [4, 11, 90];
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_SNDBUFFORCE = 32;
const SO_RCVBUFFORCE = 33;
const SOL_NETLINK = 270;
const NETLINK_CAP_ACK = 10;
const NETLINK_EXT_ACK = 11;
/** Maximum bytes that are sent synchronously, without a larger buffer. */
const SEND_BUFFER = 128 * 1024;

/** Number of messages being sent by threads of this process. */
let sending = 0;

/** By calls of the C library: the answer is available when sending returns. */
export function openKoffiSocket(
  libc: Libc,
  protocol: NetlinkProtocol,
  options: DatagramSocketOptions = {},
): DatagramSocket {
  try {
    return new KoffiSocket(libc, openSocket(libc, protocol, options), options);
  } catch (error) {
    throw unavailable(protocol, error);
  }
}

class KoffiSocket implements DatagramSocket {
  readonly transport = 'koffi';
  readonly portId: number;
  readonly capacity = undefined;
  readonly isAnsweredAtOnce = true;
  readonly #buffer = Buffer.alloc(MAX_BYTES);
  received: Buffer = this.#buffer.subarray(0, 0);
  #sendBuffer = SEND_BUFFER;
  /** Number of messages of this socket that a thread is sending. */
  #inFlight = 0;
  #isClosed = false;

  constructor(
    private readonly libc: Libc,
    private readonly fd: number,
    { forcedReceiveBuffer, isExplaining = false }: DatagramSocketOptions,
  ) {
    // Older kernels lack these options and give less detail.
    for (const option of isExplaining ? [NETLINK_CAP_ACK, NETLINK_EXT_ACK] : []) {
      libc.setsockopt(fd, SOL_NETLINK, option, u32(1), 4);
    }
    if (forcedReceiveBuffer !== undefined) {
      libc.setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, u32(forcedReceiveBuffer), 4);
    }
    const address = Buffer.alloc(12);
    libc.getsockname(fd, address, u32(address.length));
    this.portId = readU32(address, 4);
  }

  send(bytes: Buffer, inBackground = false): void | Promise<void> {
    // Large messages take up to a second in the kernel; this process continues in the meantime. The kernel blocks other messages
    // of the same subsystem.
    return inBackground || sending > 0 || bytes.length > SEND_BUFFER
      ? this.#sendInBackground(bytes)
      : this.#sendAll(bytes);
  }

  sendAtOnce(bytes: Buffer): boolean {
    this.#sendAll(bytes);
    return true;
  }

  receive(): boolean {
    if (this.#isClosed) {
      throw lostAnswer('the socket was closed');
    }
    for (;;) {
      const length = this.libc.recv(this.fd, this.#buffer, this.#buffer.length, MSG_TRUNC);
      if (length > this.#buffer.length) {
        throw lostAnswer('it was cut short');
      }
      if (length >= 0) {
        this.received = this.#buffer.subarray(0, length);
        return true;
      }
      const errno = this.libc.errno();
      if (errno === EAGAIN) {
        return false;
      }
      if (errno !== EINTR) {
        // ENOBUFS: the socket overran.
        throw lostAnswer(errnoName(errno));
      }
    }
  }

  /** Current kernels have answered at this point. */
  arrival(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 1));
  }

  othersTurn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** A thread that is sending keeps the descriptor: another file could get the number of a closed one. */
  close(): void {
    if (!this.#isClosed && this.#inFlight === 0) {
      this.libc.close(this.fd);
    }
    this.#isClosed = true;
  }

  async #sendInBackground(bytes: Buffer): Promise<void> {
    this.#provideBuffer(bytes.length);
    sending += 1;
    this.#inFlight += 1;
    try {
      if ((await this.libc.sendInBackground(this.fd, bytes, bytes.length, 0)) >= 0) {
        return;
      }
    } finally {
      sending -= 1;
      this.#inFlight -= 1;
      if (this.#isClosed && this.#inFlight === 0) {
        this.libc.close(this.fd);
      }
    }
    if (!this.#isClosed) {
      this.#sendAll(bytes);
    }
  }

  #sendAll(bytes: Buffer): void {
    while (this.libc.send(this.fd, bytes, bytes.length, 0) < 0) {
      const errno = this.libc.errno();
      if (errno === EMSGSIZE) {
        throw tooLarge(bytes.length, 'raise the sysctl net.core.wmem_max');
      }
      if (errno !== EINTR) {
        throw lostAnswer(`sending failed with ${errnoName(errno)}`);
      }
    }
  }

  /** A transaction is sent as one message. `CAP_NET_ADMIN` lifts the system limit of the buffer size. */
  #provideBuffer(length: number): void {
    if (length <= this.#sendBuffer) {
      return;
    }
    const size = u32(length + MAX_BYTES);
    if (this.libc.setsockopt(this.fd, SOL_SOCKET, SO_SNDBUFFORCE, size, size.length) < 0) {
      this.libc.setsockopt(this.fd, SOL_SOCKET, SO_SNDBUF, size, size.length);
    }
    this.#sendBuffer = length;
  }
}
