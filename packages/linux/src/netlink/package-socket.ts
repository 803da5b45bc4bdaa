import { messageOf } from '@kube-proxier/core';
import type { RawNetlinkSocket } from 'netlink';
import type { DatagramSocket } from './datagram-socket.js';
import { inNamespace } from './in-namespace.js';
import { type Libc, loadLibc } from './libc.js';
import { NETLINK_PROTOCOLS, type NetlinkProtocol } from './netlink.js';
import { lostAnswer, type NetlinkSocketOptions, tooLarge, unavailable } from './open-socket.js';
import { ANSWER_SIZE } from './request-batches.js';

/** Requested sizes of the buffers in bytes; the kernel limits them (`net.core.rmem_max` and `wmem_max`). */
const BUFFER = 8 * 1024 * 1024;
/** Minimum number of answers that must fit into the buffer: one answer and its acknowledgement. */
const LEAST = 4 * ANSWER_SIZE;
const ADVICE = 'raise the sysctl net.core.wmem_max, or install the package koffi';
/** Milliseconds between two readings of the clock. */
const MOMENT = 50;

/**
 * Through the npm package `netlink`, whose native part ends the process when the socket overruns. So callers limit
 * requests in flight to the room for their answers, and the socket receives no notifications. A dump cannot overrun it:
 * the kernel writes the next part when half of the buffer is free.
 */
export async function openPackageSocket(
  protocol: NetlinkProtocol,
  { namespace, receiveBuffer = BUFFER }: NetlinkSocketOptions,
): Promise<DatagramSocket> {
  try {
    const { RawNetlinkSocket: Socket } = await import('netlink');
    const open = () =>
      new Socket(NETLINK_PROTOCOLS[protocol], {
        recvBufferSize: Math.max(receiveBuffer, LEAST),
        sendBufferSize: BUFFER,
      });
    const socket = namespace === undefined ? open() : inNamespace(await libcFor(namespace), namespace, open);
    if (socket.getRecvBufferSize() < LEAST) {
      socket.close();
      throw new Error(`the receive buffer of a socket is limited to less than ${LEAST} bytes (net.core.rmem_max)`);
    }
    return new PackageSocket(socket);
  } catch (error) {
    throw unavailable(protocol, error);
  }
}

/** The package cannot enter another network namespace. */
async function libcFor(namespace: string): Promise<Libc> {
  try {
    return await loadLibc();
  } catch (error) {
    throw new Error(`without koffi, sockets cannot be opened in ${namespace}`, { cause: error });
  }
}

class PackageSocket implements DatagramSocket {
  readonly transport = 'netlink';
  readonly portId: number;
  readonly capacity: number;
  readonly isAnsweredAtOnce = false;
  received: Buffer = Buffer.alloc(0);
  readonly #queue: Buffer[] = [];
  #failure: Error | undefined;
  #isClosed = false;
  /** Wakes up the waiter. */
  #wake: () => void = () => undefined;

  constructor(private readonly socket: RawNetlinkSocket) {
    this.portId = socket.address().port;
    this.capacity = socket.getRecvBufferSize();
    // A listener must do nothing else: an exception ends the process, and closing the socket is not safe.
    socket.on('message', (message: Buffer) => {
      this.#queue.push(message);
      this.#wake();
    });
    socket.on('error', (error: Error) => this.#fail(error));
    // Only answers are expected.
    socket.unref();
  }

  send(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      try {
        this.socket.send(bytes, {}, (error) => {
          if (error === undefined) {
            setImmediate(resolve);
          } else if (error.code === 'EMSGSIZE') {
            setImmediate(reject, tooLarge(bytes.length, ADVICE));
          } else {
            setImmediate(reject, lostAnswer(error.message));
          }
        });
      } catch (error) {
        // Closed after a failure.
        throw lostAnswer(messageOf(error));
      }
    });
  }

  sendAtOnce(): boolean {
    return false;
  }

  receive(): boolean {
    const next = this.#queue.shift();
    if (next !== undefined) {
      this.received = next;
      return true;
    }
    const failure = this.#failure;
    if (failure !== undefined) {
      // The next request may succeed.
      this.#failure = undefined;
      throw lostAnswer(failure.message);
    }
    return false;
  }

  async arrival(): Promise<void> {
    if (this.#queue.length > 0 || this.#failure !== undefined) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MOMENT);
      this.#wake = () => {
        clearTimeout(timer);
        setImmediate(resolve);
      };
    });
    this.#wake = () => undefined;
  }

  /** Each turn receives more than one datagram, so that the queue does not grow. */
  async othersTurn(): Promise<void> {
    if (this.#queue.length === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.socket.close();
    }
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }
}
