import type { NetlinkSocketOptions, NetlinkTransport } from './open-socket.js';

/**
 * An open netlink socket that sends and receives datagrams. Every method throws a `NetlinkError`, after which the
 * socket is of no further use.
 */
export interface DatagramSocket {
  readonly transport: NetlinkTransport;
  /** The port id, which identifies the socket in notifications. */
  readonly portId: number;
  /**
   * Maximum bytes of unread answers in the kernel, including its overhead. Exceeding it ends this process. Undefined:
   * an overrun is only an error.
   */
  readonly capacity: number | undefined;
  /** Whether all answers are available when sending returns. */
  readonly isAnsweredAtOnce: boolean;
  /** The last received datagram. Its buffer is reused. */
  readonly received: Buffer;
  /**
   * Sends messages; the kernel processes them before this completes. `bytes` must not change in the meantime.
   *
   * @param inBackground sends from a thread, if the transport supports it. Default: for large messages.
   */
  send(bytes: Buffer, inBackground?: boolean): void | Promise<void>;
  /**
   * Sends a request that the kernel answers without waiting for a transaction. Never from a thread, so the socket may
   * be closed afterwards.
   *
   * @returns false, and sends nothing, when the answer is not available at once.
   */
  sendAtOnce(bytes: Buffer): boolean;
  /** Receives into {@link received}. @returns false when nothing was received yet. */
  receive(): boolean;
  /** Waits briefly until something may have been received. */
  arrival(): Promise<void>;
  /** Lets the event loop run, after one of many datagrams. */
  othersTurn(): Promise<void>;
  close(): void;
}

/** Socket options, set if the transport supports them. */
export interface DatagramSocketOptions extends NetlinkSocketOptions {
  /** Errors have the extended ACK of the kernel, and not the request. Default false. */
  readonly isExplaining?: boolean;
  /** Size in bytes of the receive buffer, beyond the system limit if permitted. Default: within the limit. */
  readonly forcedReceiveBuffer?: number;
}
